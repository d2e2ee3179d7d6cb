//! The training stage: drives `trainer` and shows its progress.

use crate::game::Game;
use crate::progress::Stage;
use crate::stages::Run;
use anyhow::{Result, bail};
use inference::Manifest;
use rules::Rules;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use trainer::{CalibrationBin, Job, Progress, Report, Start, Steps, Validation};

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
        let heads = match start.auxiliary_parameters {
            0 => String::new(),
            n => format!(", {n} parameters in auxiliary heads"),
        };
        eprintln!(
            "{}: {}{heads}, about {:.2} GB in all; {} positions of {} games to train on, {} to validate; {}",
            self.name,
            start.cost,
            start.training_bytes as f64 / 1e9,
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
                "steps, {}\nrate {:.1e}, gradient {:.2}, data {:.1} generations old, {:.0} positions/s, {:.1} % waiting",
                losses(report),
                report.learning_rate,
                report.gradient_norm,
                report.data_age,
                report.positions_per_second,
                100.0 * report.wait_share
            );
            stage.set(report.step, &text);
        }
    }

    fn validated(&mut self, step: u64, validation: &Validation) {
        eprintln!(
            "{}: step {step}, {} positions of games kept apart: policy {:.3} nats (KL {:.3}, top move {:.0} %), \
             value {:.3} nats, moves left {:.3}",
            self.name,
            validation.positions,
            validation.policy,
            validation.policy_kl,
            100.0 * validation.policy_accuracy,
            validation.wdl,
            validation.moves_left
        );
        let bins = || validation.calibration.iter().filter(|b| b.positions > 0);
        let row = |name: &str, value: &dyn Fn(&CalibrationBin) -> String| {
            let cells: String = bins().map(|bin| format!("{:>7}", value(bin))).collect();
            eprintln!("  {name:<16}{cells}");
        };
        row("score predicted", &|bin| format!("{:.2}", bin.predicted));
        row("score observed", &|bin| format!("{:.2}", bin.observed));
        row("positions", &|bin| bin.positions.to_string());
    }

    fn saved(&mut self, _step: u64, _folder: &Path) {}
}

/// The losses by head.
fn losses(report: &Report) -> String {
    let mut text = format!(
        "loss {:.3}: policy {:.3} (KL {:.3}, top move {:.0} %), value {:.3}, moves left {:.3}",
        report.loss,
        report.policy,
        report.policy_kl,
        100.0 * report.policy_accuracy,
        report.wdl,
        report.moves_left
    );
    for (name, loss) in [
        ("future", report.future),
        ("short term", report.short_term),
        ("soft policy", report.soft_policy),
    ] {
        if loss > 0.0 {
            text += &format!(", {name} {loss:.3}");
        }
    }
    text
}

/// Makes generation 0 from the network or checkpoint folder `source`: what fits is copied, the rest is fresh.
pub fn adopt_network<P: Game>(run: &Run<P>, source: &Path) -> Result<()> {
    let root = run.dir.root();
    if run
        .dir
        .latest_generation()?
        .is_some_and(|newest| newest > 0)
        || !trainer::checkpoints(root)?.is_empty()
    {
        bail!(
            "{}: this run has networks or checkpoints already; leave --init-from out to go on from them, or use a new \
             run folder",
            root.display()
        );
    }
    let (network, adopted) =
        trainer::init_from::<P>(source, &run.config.network, run.config.train.seed)?;
    for line in adopted.to_string().split("; ") {
        eprintln!("from {}: {line}", source.display());
    }
    let meta = network::NetworkMeta {
        generation: Some(0),
        parent: Manifest::read(source).map_or(String::new(), |manifest| manifest.hash),
        rules: run.rules.name(),
        ..network::NetworkMeta::default()
    };
    network::save_network(&run.dir.network(0), &network, &meta)?;
    Ok(())
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
    };
    let report = trainer::train(&job, &mut show, stop)?;
    if let Some(stage) = show.stage.take() {
        let losses = report
            .last
            .as_ref()
            .map_or(String::new(), |last| format!(", {}", losses(last)));
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
