//! The training stage: drives `trainer` and shows its progress.

use crate::game::Game;
use crate::progress::Stage;
use crate::stages::Run;
use anyhow::Result;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use trainer::{Job, Progress, Report, Start, Steps, Validation};

/// Shows the trainer's news.
struct Show {
    name: String,
    stage: Option<Stage>,
    quiet_notes: bool,
}

impl Progress for Show {
    fn note(&mut self, text: &str) {
        if !self.quiet_notes {
            eprintln!("{}: {text}", self.name);
        }
    }

    fn started(&mut self, start: &Start) {
        eprintln!(
            "{}: {}; {} positions of {} games to train on, {} to validate; {}",
            self.name,
            start.cost,
            start.train_rows,
            start.games,
            start.validation_rows,
            start.device
        );
        self.stage = Some(Stage::new(&self.name, start.goal, start.step));
    }

    fn report(&mut self, report: &Report) {
        if let Some(stage) = &self.stage {
            let text = format!(
                "steps, loss {:.3} (policy {:.3}, value {:.3}), {:.0} positions/s, {:.1} % waiting",
                report.loss,
                report.policy,
                report.wdl,
                report.positions_per_second,
                100.0 * report.wait_share
            );
            stage.set(report.step, &text);
        }
    }

    fn validated(&mut self, step: u64, validation: &Validation) {
        eprintln!(
            "{}: step {step}, games kept apart: policy {:.3} nats (KL {:.3}, top move {:.0} %), value {:.3} nats",
            self.name,
            validation.policy,
            validation.policy_kl,
            100.0 * validation.policy_accuracy,
            validation.wdl
        );
    }

    fn saved(&mut self, _step: u64, _folder: &Path) {}
}

/// Trains the network of `generation` on the run's games and saves it. `steps`: that many from the latest checkpoint,
/// or as many as the data are worth. Returns whether it was finished.
pub fn train<P: Game>(
    run: &Run<P>,
    steps: Option<u64>,
    generation: u32,
    stop: &AtomicBool,
) -> Result<bool> {
    let name = format!("training, generation {generation}");
    let mut show = Show {
        name,
        stage: None,
        quiet_notes: false,
    };
    let job = Job::<P> {
        run: run.dir.root(),
        params: &run.config.train,
        architecture: &run.config.network,
        rules: &run.rules,
        steps: steps.map_or(Steps::ByData, Steps::More),
        generation: Some(generation),
        init_from: None,
    };
    let report = trainer::train(&job, &mut show, stop)?;
    if let Some(stage) = show.stage.take() {
        let losses = report.last.as_ref().map_or(String::new(), |last| {
            format!(
                ", loss {:.3} (policy {:.3}, value {:.3})",
                last.loss, last.policy, last.wdl
            )
        });
        let skipped = if report.skipped > 0 {
            format!(", {} steps skipped", report.skipped)
        } else {
            String::new()
        };
        stage.finish(&format!(
            "step {}{losses}; {:.0} positions/s, {:.1} % waiting{skipped}",
            report.step,
            report.positions_per_second,
            100.0 * report.wait_share
        ));
    }
    if report.refused > 0 {
        eprintln!("warning: {} files of the run were skipped", report.refused);
    }
    if report.stopped {
        return Ok(false);
    }
    trainer::save_network::<P>(run.dir.root(), generation)?;
    Ok(true)
}
