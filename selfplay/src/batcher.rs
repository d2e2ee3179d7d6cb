//! Shared batches: search threads feed one queue, and whichever network is free takes what has gathered.
//!
//! ```text
//! worker 0 --.                          .-- network 0 (a batch on the device)
//! worker 1 ---> queue of small batches -+
//! worker 2 --'                          '-- network 1 (the next one being put together)
//! ```
//!
//! To a worker this is a [`Backend`] like any other ([`Batcher::client`]): it encodes its games' leaves and turns the
//! answers into logits itself, in parallel with the others; only tensors go through the queue. So everything above is
//! the same as with a network of its own.

use inference::{Backend, BackendError, RawOutput};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Input of some positions of one worker, and where their answers go.
struct Request {
    n: usize,
    squares: Vec<u8>,
    globals: Vec<f32>,
    since: Instant,
    answer: mpsc::Sender<Answer>,
}

/// The answer, with the request's buffers to be used again.
struct Answer {
    output: Result<RawOutput, String>,
    squares: Vec<u8>,
    globals: Vec<f32>,
}

#[derive(Default)]
struct Queue {
    requests: VecDeque<Request>,
    positions: usize,
    closed: bool,
    batches: u64,
    evaluations: u64,
}

struct Common {
    queue: Mutex<Queue>,
    arrived: Condvar,
    max_batch: usize,
    wait: Duration,
    spec: encoding::InputSpec,
    policy_dim: usize,
    name: String,
}

impl Common {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // A thread that panics in here has only pushed or popped a request.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for requests and takes as many as fit into a batch; `None` once closed.
    fn take(&self, batch: &mut Vec<Request>) -> Option<()> {
        let mut queue = self.lock();
        loop {
            let waited = queue.requests.front().map(|first| first.since.elapsed());
            match waited {
                Some(waited) if queue.positions >= self.max_batch || waited >= self.wait => break,
                Some(_) if queue.closed => break,
                None if queue.closed => return None,
                Some(waited) => {
                    let rest = self.wait - waited;
                    queue = match self.arrived.wait_timeout(queue, rest) {
                        Ok((queue, _)) => queue,
                        Err(poisoned) => poisoned.into_inner().0,
                    };
                }
                None => {
                    queue = self
                        .arrived
                        .wait(queue)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
        let mut positions = 0;
        while let Some(first) = queue.requests.front() {
            // A request larger than a batch goes alone.
            if !batch.is_empty() && positions + first.n > self.max_batch {
                break;
            }
            positions += first.n;
            batch.extend(queue.requests.pop_front());
        }
        queue.positions -= positions;
        queue.batches += 1;
        queue.evaluations += positions as u64;
        if queue.positions > 0 {
            self.arrived.notify_one(); // another network may be waiting
        }
        Some(())
    }
}

/// Networks that work on the batches of many search threads. Ends its threads when dropped.
pub struct Batcher {
    common: Arc<Common>,
    threads: Vec<JoinHandle<()>>,
}

impl Batcher {
    /// Starts one thread for each of `networks` (equal ones, at least one): as many batches are in flight. A batch has at
    /// most `max_batch` positions and starts when it is full or its first position has waited for `wait`.
    ///
    /// # Errors
    /// No network, or a thread cannot be started.
    pub fn new(
        networks: Vec<Box<dyn Backend>>,
        max_batch: usize,
        wait: Duration,
    ) -> Result<Batcher, BackendError> {
        let first = networks
            .first()
            .ok_or_else(|| BackendError("a batcher needs a network".into()))?;
        let common = Arc::new(Common {
            queue: Mutex::default(),
            arrived: Condvar::new(),
            max_batch: max_batch.max(1),
            wait,
            spec: first.spec().clone(),
            policy_dim: first.policy_dim(),
            name: format!(
                "{}, batches of at most {max_batch}, {} in flight",
                first.describe(),
                networks.len()
            ),
        });
        let mut batcher = Batcher {
            common: common.clone(),
            threads: Vec::new(),
        };
        for (i, network) in networks.into_iter().enumerate() {
            let common = common.clone();
            let thread = std::thread::Builder::new()
                .name(format!("batcher-{i}"))
                .spawn(move || serve(&common, network))
                .map_err(|e| BackendError(format!("cannot start a batcher thread: {e}")))?;
            batcher.threads.push(thread);
        }
        Ok(batcher)
    }

    /// A back-end whose calls join the shared batches.
    pub fn client(&self) -> Box<dyn Backend> {
        let (sender, receiver) = mpsc::channel();
        Box::new(Client {
            common: self.common.clone(),
            sender,
            receiver,
            squares: Vec::new(),
            globals: Vec::new(),
        })
    }

    /// Network calls and positions so far.
    pub fn counts(&self) -> (u64, u64) {
        let queue = self.common.lock();
        (queue.batches, queue.evaluations)
    }
}

impl Drop for Batcher {
    fn drop(&mut self) {
        self.common.lock().closed = true;
        self.common.arrived.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join(); // a panic in a network was answered with an error already
        }
    }
}

/// Closes the queue when its thread ends, also by a panic: what waits, and what comes, gets an error.
struct Closing<'a>(&'a Common);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut queue = self.0.lock();
            queue.closed = true;
            queue.requests.clear(); // dropping the senders tells the waiting
            queue.positions = 0;
            self.0.arrived.notify_all();
        }
    }
}

fn serve(common: &Common, mut network: Box<dyn Backend>) {
    let _closing = Closing(common);
    let mut batch = Vec::new();
    let (mut squares, mut globals) = (Vec::new(), Vec::new());
    let mut output = RawOutput::default();
    while common.take(&mut batch).is_some() {
        squares.clear();
        globals.clear();
        for request in &batch {
            squares.extend_from_slice(&request.squares);
            globals.extend_from_slice(&request.globals);
        }
        let n: usize = batch.iter().map(|request| request.n).sum();
        let result = network.forward(n, &squares, &globals, &mut output);
        let mut first = 0;
        for request in batch.drain(..) {
            let part = match &result {
                Ok(()) => Ok(slice(&output, n, first, request.n)),
                Err(error) => Err(error.to_string()),
            };
            first += request.n;
            // A worker that has ended does not wait for its answer.
            let _ = request.answer.send(Answer {
                output: part,
                squares: request.squares,
                globals: request.globals,
            });
        }
    }
}

/// The answers of `count` positions from `first` of a batch of `n`.
fn slice(output: &RawOutput, n: usize, first: usize, count: usize) -> RawOutput {
    let part = |values: &[f32]| {
        let each = values.len() / n;
        values[first * each..(first + count) * each].to_vec()
    };
    RawOutput {
        policy: part(&output.policy),
        drops: part(&output.drops),
        marks: part(&output.marks),
        wdl_logits: part(&output.wdl_logits),
        moves_left: part(&output.moves_left),
    }
}

/// One search thread's end of the queue.
struct Client {
    common: Arc<Common>,
    sender: mpsc::Sender<Answer>,
    receiver: mpsc::Receiver<Answer>,
    squares: Vec<u8>,
    globals: Vec<f32>,
}

impl Backend for Client {
    fn spec(&self) -> &encoding::InputSpec {
        &self.common.spec
    }

    fn policy_dim(&self) -> usize {
        self.common.policy_dim
    }

    fn describe(&self) -> String {
        self.common.name.clone()
    }

    fn forward(
        &mut self,
        n: usize,
        squares: &[u8],
        globals: &[f32],
        out: &mut RawOutput,
    ) -> Result<(), BackendError> {
        let gone = || BackendError("the shared network has stopped".into());
        let (mut own_squares, mut own_globals) = (
            std::mem::take(&mut self.squares),
            std::mem::take(&mut self.globals),
        );
        own_squares.clear();
        own_squares.extend_from_slice(squares);
        own_globals.clear();
        own_globals.extend_from_slice(globals);
        {
            let mut queue = self.common.lock();
            if queue.closed {
                return Err(gone());
            }
            queue.positions += n;
            queue.requests.push_back(Request {
                n,
                squares: own_squares,
                globals: own_globals,
                since: Instant::now(),
                answer: self.sender.clone(),
            });
        }
        self.common.arrived.notify_one();
        // The own sender keeps the channel open, so a queue that was closed meanwhile must be noticed by the clock.
        let answer = loop {
            match self.receiver.recv_timeout(Duration::from_millis(200)) {
                Ok(answer) => break answer,
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(gone()),
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if self.common.lock().closed {
                        return Err(gone());
                    }
                }
            }
        };
        (self.squares, self.globals) = (answer.squares, answer.globals);
        *out = answer.output.map_err(BackendError)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Answers each position with its first square. Fails where that is 255, panics at 254, and at 253 waits until
    /// another batch does.
    struct Echo {
        spec: encoding::InputSpec,
        largest: Arc<AtomicUsize>,
        meeting: Arc<Barrier>,
    }

    impl Backend for Echo {
        fn spec(&self) -> &encoding::InputSpec {
            &self.spec
        }
        fn policy_dim(&self) -> usize {
            1
        }
        fn describe(&self) -> String {
            "echo".into()
        }
        fn forward(
            &mut self,
            n: usize,
            squares: &[u8],
            _globals: &[f32],
            out: &mut RawOutput,
        ) -> Result<(), BackendError> {
            self.largest.fetch_max(n, Ordering::SeqCst);
            let each = self.spec.cells();
            let first = |i: usize| squares[i * each];
            if first(0) == 253 {
                self.meeting.wait();
            }
            assert!((0..n).all(|i| first(i) != 254), "on purpose");
            if (0..n).any(|i| first(i) == 255) {
                return Err(BackendError("fails on purpose".into()));
            }
            out.policy = (0..n)
                .flat_map(|i| vec![f32::from(first(i)); 4 * self.spec.squares()])
                .collect();
            (out.drops, out.marks) = (Vec::new(), Vec::new());
            out.wdl_logits = (0..n)
                .flat_map(|i| [f32::from(first(i)), 1.0, 2.0])
                .collect();
            out.moves_left = (0..n).map(|i| f32::from(first(i))).collect();
            Ok(())
        }
    }

    fn batcher(max_batch: usize) -> (Batcher, Arc<AtomicUsize>) {
        let largest = Arc::new(AtomicUsize::new(0));
        let meeting = Arc::new(Barrier::new(2));
        let echo = || -> Box<dyn Backend> {
            Box::new(Echo {
                spec: encoding::spec::<rules::tenjiku::Tenjiku>(),
                largest: largest.clone(),
                meeting: meeting.clone(),
            })
        };
        let wait = Duration::from_millis(1);
        let batcher = Batcher::new(vec![echo(), echo()], max_batch, wait).unwrap();
        (batcher, largest)
    }

    /// Asks for `n` positions whose first square is `code`.
    fn ask(client: &mut dyn Backend, n: usize, code: u8) -> Result<RawOutput, BackendError> {
        let spec = client.spec().clone();
        let mut squares = vec![0; n * spec.cells()];
        squares
            .iter_mut()
            .step_by(spec.cells())
            .for_each(|first| *first = code);
        let mut out = RawOutput::default();
        client.forward(n, &squares, &vec![0.0; n * spec.globals], &mut out)?;
        Ok(out)
    }

    #[test]
    fn everyone_gets_the_own_answers_in_batches_of_all() {
        let (batcher, largest) = batcher(24);
        std::thread::scope(|scope| {
            for worker in 0..8u8 {
                let mut client = batcher.client();
                scope.spawn(move || {
                    for round in 0..50u8 {
                        let code = worker * 25 + round % 25;
                        let n = 1 + usize::from(round) % 6;
                        let out = ask(client.as_mut(), n, code).unwrap();
                        assert_eq!(out.moves_left, vec![f32::from(code); n]);
                        assert_eq!(out.wdl_logits, [f32::from(code), 1.0, 2.0].repeat(n));
                        assert_eq!(out.policy.len(), n * 256 * 4);
                    }
                });
            }
        });
        let (batches, evaluations) = batcher.counts();
        // 50 rounds of 1 to 6 positions: eight times 1 to 6, then 1 and 2.
        assert_eq!(evaluations, 8 * (8 * 21 + 3));
        assert!((evaluations / 24..=400).contains(&batches));
        assert!(largest.load(Ordering::SeqCst) <= 24);
    }

    #[test]
    fn two_batches_are_in_flight() {
        // Each waits for the other inside the network: with one in flight this would never end.
        let (batcher, _) = batcher(1);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let mut client = batcher.client();
                scope.spawn(move || ask(client.as_mut(), 1, 253).unwrap());
            }
        });
        assert_eq!(batcher.counts(), (2, 2));
    }

    #[test]
    fn waiting_positions_of_several_workers_go_together() {
        // Nothing starts before it is full: ten workers with one position each are one batch.
        let largest = Arc::new(AtomicUsize::new(0));
        let echo = Echo {
            spec: encoding::spec::<rules::tenjiku::Tenjiku>(),
            largest: largest.clone(),
            meeting: Arc::new(Barrier::new(1)),
        };
        let batcher = Batcher::new(vec![Box::new(echo)], 10, Duration::from_secs(600)).unwrap();
        std::thread::scope(|scope| {
            for code in 0..10 {
                let mut client = batcher.client();
                scope.spawn(move || {
                    let out = ask(client.as_mut(), 1, code).unwrap();
                    assert_eq!(out.moves_left, [f32::from(code)]);
                });
            }
        });
        assert_eq!(batcher.counts(), (1, 10));
    }

    #[test]
    fn a_failing_network_is_told_and_a_larger_request_goes_alone() {
        let (batcher, largest) = batcher(4);
        let mut client = batcher.client();
        assert!(
            ask(client.as_mut(), 1, 255)
                .unwrap_err()
                .to_string()
                .contains("on purpose")
        );
        assert_eq!(ask(client.as_mut(), 9, 7).unwrap().moves_left, vec![7.0; 9]);
        assert_eq!(largest.load(Ordering::SeqCst), 9);
    }

    #[test]
    fn a_dead_network_does_not_leave_workers_waiting() {
        let (batcher, _) = batcher(4);
        let (mut one, mut other) = (batcher.client(), batcher.client());
        assert!(
            ask(one.as_mut(), 1, 254)
                .unwrap_err()
                .to_string()
                .contains("stopped")
        );
        assert!(
            ask(other.as_mut(), 1, 1)
                .unwrap_err()
                .to_string()
                .contains("stopped")
        );
        drop(batcher);
        assert!(Batcher::new(Vec::new(), 4, Duration::ZERO).is_err());
    }
}
