//! Batches decoded ahead of the step, in an order that depends on seed and step alone.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use encoding::Encoded;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use records::{ReplayWindow, Sampler};

use crate::TrainError;
use crate::batch::HostBatch;
use crate::decode::decode_split;
use crate::example::DecodeParams;
use crate::params::TrainParams;

/// The rows of step `step`: (row number, mirrored). Uniform with replacement over the window's training rows; each
/// step has its own random sequence, so that no state is carried from step to step.
pub fn draw(window: &ReplayWindow, params: &TrainParams, step: u64) -> Vec<(u32, bool)> {
    // Two rounds, so that neighbouring seeds and steps have nothing in common.
    let mixed = SplitMix64::seed_from_u64(params.seed)
        .next_u64()
        .wrapping_add(step);
    let mut sampler = Sampler::new(SplitMix64::seed_from_u64(mixed).next_u64());
    let rows = window.train_rows();
    (0..params.batch_size)
        .map(|_| {
            let row = sampler.draw(rows);
            let coin = sampler.coin();
            (row, coin && params.mirror)
        })
        .collect()
}

/// A thread that decodes the batches of some steps in order and holds a few of them ready.
pub struct Loader {
    batches: Option<Receiver<Result<Vec<HostBatch>, TrainError>>>,
    thread: Option<JoinHandle<()>>,
    waited: Duration,
}

impl Loader {
    /// Starts decoding the batches of `steps`.
    ///
    /// # Errors
    /// The threads cannot be started.
    pub fn start<P: Encoded>(
        window: Arc<ReplayWindow>,
        params: &TrainParams,
        steps: std::ops::Range<u64>,
    ) -> Result<Loader, TrainError> {
        let cannot = |e: &dyn std::fmt::Display| {
            TrainError::Config(format!("cannot start the loader's threads: {e}"))
        };
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(params.decode_threads)
            .thread_name(|i| format!("decode-{i}"))
            .build()
            .map_err(|e| cannot(&e))?;
        let params = params.clone();
        let decode_params = DecodeParams::from(&params);
        let (sender, batches) = sync_channel(params.prefetch);
        let work = move || {
            for step in steps {
                let rows = draw(&window, &params, step);
                let batch = pool.install(|| {
                    decode_split::<P>(&window, &rows, &decode_params, params.micro_batch)
                });
                let failed = batch.is_err();
                // The other end is gone when training has stopped.
                if sender.send(batch).is_err() || failed {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("loader".into())
            .spawn(work)
            .map_err(|e| cannot(&e))?;
        Ok(Loader {
            batches: Some(batches),
            thread: Some(thread),
            waited: Duration::ZERO,
        })
    }

    /// The next step's batch, in parts of [`TrainParams::micro_batch`].
    ///
    /// # Errors
    /// A row that cannot be trained on; or the thread died.
    pub fn take(&mut self) -> Result<Vec<HostBatch>, TrainError> {
        let start = Instant::now();
        let batch = self
            .batches
            .as_ref()
            .and_then(|batches| batches.recv().ok());
        self.waited += start.elapsed();
        batch.unwrap_or_else(|| {
            Err(TrainError::Data(
                "the thread that decodes batches died; see its message above".into(),
            ))
        })
    }

    /// Time spent waiting in [`take`](Self::take) so far.
    pub fn waited(&self) -> Duration {
        self.waited
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.batches = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported by `take`.
            let _ = thread.join();
        }
    }
}
