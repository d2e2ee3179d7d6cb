//! Work that takes time: queued, bounded, and answered by number.
//!
//! A page starts a job and asks for its number until it is done; a connection that breaks in between changes nothing.
//! A start that is sent twice under one key is one job. Finished jobs are kept for a while, then forgotten.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

use crate::error::{Refusal, refuse};

/// Most jobs that wait.
const MAX_WAITING: usize = 64;
/// Most jobs that are remembered.
const MAX_KEPT: usize = 512;
/// How long a finished job is remembered.
const KEPT_FOR: Duration = Duration::from_secs(600);
/// A job that ran for longer is given up.
const MAX_RUN: Duration = Duration::from_secs(60);
/// Longest wait of one question.
const MAX_WAIT: Duration = Duration::from_secs(20);

/// What a job is: long ones leave a worker for the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// A move of a game.
    Move,
    /// An analysis.
    Analysis,
}

type Work = Box<dyn FnOnce(&Progress) -> Result<Value, String> + Send>;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Waiting,
    Running,
    Done,
    Failed,
    Cancelled,
}

struct Job {
    key: String,
    state: State,
    class: Class,
    /// Grows with every change.
    version: u64,
    value: Value,
    error: Option<String>,
    work: Option<Work>,
    since: Instant,
}

impl Job {
    fn set(&mut self, state: State, value: Value, error: Option<String>) {
        self.state = state;
        self.value = value;
        self.error = error;
        self.since = Instant::now();
        self.version += 1;
    }

    fn is_over(&self) -> bool {
        matches!(self.state, State::Done | State::Failed | State::Cancelled)
    }
}

/// What a page is told of a job.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct JobView {
    id: String,
    state: State,
    version: u64,
    /// Jobs before it, while it waits.
    ahead: usize,
    /// The result, or what there is so far.
    value: Value,
    error: Option<String>,
}

#[derive(Default)]
struct Table {
    jobs: HashMap<String, Job>,
    queue: VecDeque<String>,
    analyses: usize,
    closing: bool,
}

struct Shared {
    table: Mutex<Table>,
    changed: Condvar,
    workers: usize,
}

/// The jobs and the threads that do them.
pub(crate) struct Jobs(Arc<Shared>);

/// A running job's link to the page.
pub(crate) struct Progress {
    id: String,
    shared: Arc<Shared>,
    begun: Instant,
}

impl Progress {
    /// Shows what there is so far.
    pub fn show(&self, value: Value) {
        let mut table = self.shared.lock();
        if let Some(job) = table.jobs.get_mut(&self.id)
            && job.state == State::Running
        {
            job.value = value;
            job.version += 1;
        }
        drop(table);
        self.shared.changed.notify_all();
    }

    /// Whether the work is still wanted.
    pub fn wanted(&self) -> bool {
        let table = self.shared.lock();
        self.begun.elapsed() < MAX_RUN
            && !table.closing
            && table.jobs.get(&self.id).is_some_and(|job| !job.is_over())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().expect("no holder of the table panics")
    }
}

impl Jobs {
    /// With this many threads, at least one.
    pub fn new(workers: usize) -> Jobs {
        let shared = Arc::new(Shared {
            table: Mutex::default(),
            changed: Condvar::new(),
            workers: workers.max(1),
        });
        for _ in 0..shared.workers {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || work(&shared));
        }
        Jobs(shared)
    }

    /// Starts a job, or finds the one that was started with this key before.
    ///
    /// # Errors
    /// 429 if too many are waiting.
    pub fn start(&self, key: &str, class: Class, work: Work) -> Result<JobView, Refusal> {
        let mut table = self.0.lock();
        let known = table.jobs.iter().find(|(_, job)| job.key == key);
        if let Some(id) = known.map(|(id, _)| id.clone()) {
            return Ok(view(&table, &id).expect("just found"));
        }
        if table.queue.len() >= MAX_WAITING {
            return Err(refuse(
                429,
                "too many engine requests are waiting; try again later",
            ));
        }
        forget(&mut table);
        let id = format!("{:016x}", rand::random::<u64>());
        let job = Job {
            key: key.to_string(),
            state: State::Waiting,
            class,
            version: 1,
            value: Value::Null,
            error: None,
            work: Some(work),
            since: Instant::now(),
        };
        table.jobs.insert(id.clone(), job);
        table.queue.push_back(id.clone());
        let answer = view(&table, &id).expect("just inserted");
        drop(table);
        self.0.changed.notify_all();
        Ok(answer)
    }

    /// The job, once it is newer than `version` or `wait` has passed.
    ///
    /// # Errors
    /// 404 if there is none of this number.
    pub fn ask(&self, id: &str, version: u64, wait: Duration) -> Result<JobView, Refusal> {
        let until = Instant::now() + wait.min(MAX_WAIT);
        let mut table = self.0.lock();
        loop {
            give_up(&mut table);
            let answer = view(&table, id)
                .ok_or_else(|| refuse(404, "no such job; it may have been forgotten"))?;
            let left = until.saturating_duration_since(Instant::now());
            if answer.version > version || left.is_zero() {
                return Ok(answer);
            }
            // Woken now and then to see that a job has run for too long.
            let nap = left.min(Duration::from_secs(1));
            let woken = self.0.changed.wait_timeout(table, nap);
            table = woken.expect("no holder of the table panics").0;
        }
    }

    /// Ends a job: it leaves the queue, or its work is told that it is no longer wanted.
    pub fn cancel(&self, id: &str) -> Result<JobView, Refusal> {
        let mut table = self.0.lock();
        table.queue.retain(|waiting| waiting != id);
        if let Some(job) = table.jobs.get_mut(id)
            && !job.is_over()
        {
            let value = job.value.take();
            job.set(State::Cancelled, value, None);
            job.work = None;
        }
        let answer = view(&table, id).ok_or_else(|| refuse(404, "no such job"))?;
        drop(table);
        self.0.changed.notify_all();
        Ok(answer)
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.0.lock().closing = true;
        self.0.changed.notify_all();
    }
}

fn view(table: &Table, id: &str) -> Option<JobView> {
    let job = table.jobs.get(id)?;
    Some(JobView {
        id: id.to_string(),
        state: job.state,
        version: job.version,
        ahead: table.queue.iter().position(|w| w == id).unwrap_or(0),
        value: job.value.clone(),
        error: job.error.clone(),
    })
}

/// Jobs that ran too long fail; whoever works on them ends when it can.
fn give_up(table: &mut Table) {
    for job in table.jobs.values_mut() {
        if job.state == State::Running && job.since.elapsed() > MAX_RUN {
            let value = job.value.take();
            let why = format!("took longer than {} s; ask for less", MAX_RUN.as_secs());
            job.set(State::Failed, value, Some(why));
        }
    }
}

/// Old finished jobs go; of too many, the oldest finished.
fn forget(table: &mut Table) {
    let mut over: Vec<(Instant, String)> = table
        .jobs
        .iter()
        .filter(|(_, job)| job.is_over())
        .map(|(id, job)| (job.since, id.clone()))
        .collect();
    over.sort();
    let excess = table.jobs.len().saturating_sub(MAX_KEPT);
    for (i, (since, id)) in over.iter().enumerate() {
        if i < excess || since.elapsed() > KEPT_FOR {
            table.jobs.remove(id);
        }
    }
}

/// A worker's life.
fn work(shared: &Arc<Shared>) {
    let most_analyses = (shared.workers - 1).max(1);
    let mut table = shared.lock();
    loop {
        if table.closing {
            return;
        }
        let fits = |id: &String| match table.jobs.get(id).map(|job| job.class) {
            Some(Class::Analysis) => table.analyses < most_analyses,
            _ => true,
        };
        let Some(at) = table.queue.iter().position(fits) else {
            table = shared
                .changed
                .wait(table)
                .expect("no holder of the table panics");
            continue;
        };
        let id = table.queue.remove(at).expect("just found");
        let Some(job) = table.jobs.get_mut(&id) else {
            continue;
        };
        let Some(todo) = job.work.take() else {
            continue;
        };
        job.set(State::Running, Value::Null, None);
        let analysis = job.class == Class::Analysis;
        table.analyses += usize::from(analysis);
        drop(table);
        shared.changed.notify_all();

        let progress = Progress {
            id: id.clone(),
            shared: Arc::clone(shared),
            begun: Instant::now(),
        };
        // An engine that panics must not take the worker with it.
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| todo(&progress)));

        table = shared.lock();
        table.analyses -= usize::from(analysis);
        if let Some(job) = table.jobs.get_mut(&id)
            && !job.is_over()
        {
            match result {
                Ok(Ok(value)) => job.set(State::Done, value, None),
                Ok(Err(why)) => job.set(State::Failed, Value::Null, Some(why)),
                Err(_) => {
                    let why = "the player's own code failed; see the server's messages";
                    job.set(State::Failed, Value::Null, Some(why.to_string()));
                }
            }
        }
        shared.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    const LONG: Duration = Duration::from_secs(20);

    fn wait(jobs: &Jobs, id: &str) -> JobView {
        let mut version = 0;
        loop {
            let view = jobs.ask(id, version, LONG).unwrap();
            if !matches!(view.state, State::Waiting | State::Running) {
                return view;
            }
            version = view.version;
        }
    }

    #[test]
    fn a_job_is_done_once_per_key_and_failures_are_told() {
        let jobs = Jobs::new(2);
        let one = jobs
            .start("a", Class::Move, Box::new(|_| Ok(1.into())))
            .unwrap();
        let again = jobs
            .start("a", Class::Move, Box::new(|_| Ok(2.into())))
            .unwrap();
        assert_eq!(one.id, again.id);
        assert_eq!(wait(&jobs, &one.id).value, 1);
        let bad = jobs
            .start("b", Class::Move, Box::new(|_| Err("why".into())))
            .unwrap();
        assert_eq!(wait(&jobs, &bad.id).error.as_deref(), Some("why"));
        let broken = jobs
            .start("c", Class::Move, Box::new(|_| panic!("a test's panic")))
            .unwrap();
        assert_eq!(wait(&jobs, &broken.id).state, State::Failed);
        // The worker lives on.
        let next = jobs
            .start("d", Class::Move, Box::new(|_| Ok(3.into())))
            .unwrap();
        assert_eq!(wait(&jobs, &next.id).value, 3);
        assert_eq!(jobs.ask("nothing", 0, LONG).unwrap_err().status, 404);
    }

    #[test]
    fn analyses_leave_a_worker_for_moves_and_end_when_cancelled() {
        let jobs = Jobs::new(2);
        let forever = |sender: mpsc::Sender<()>| -> Work {
            Box::new(move |progress| {
                sender.send(()).unwrap();
                progress.show("so far".into());
                while progress.wanted() {
                    std::thread::sleep(Duration::from_millis(2));
                }
                sender.send(()).unwrap();
                Ok(Value::Null)
            })
        };
        let (sender, receiver) = mpsc::channel();
        let first = jobs.start("1", Class::Analysis, forever(sender)).unwrap();
        receiver.recv().unwrap();
        let (sender, second_receiver) = mpsc::channel();
        let second = jobs.start("2", Class::Analysis, forever(sender)).unwrap();
        let quick = jobs
            .start("3", Class::Move, Box::new(|_| Ok(7.into())))
            .unwrap();
        assert_eq!(wait(&jobs, &quick.id).value, 7);
        assert_eq!(
            jobs.ask(&second.id, 0, Duration::ZERO).unwrap().state,
            State::Waiting
        );
        assert_eq!(jobs.cancel(&first.id).unwrap().state, State::Cancelled);
        receiver.recv().unwrap();
        second_receiver.recv().unwrap();
        assert_eq!(jobs.cancel(&second.id).unwrap().state, State::Cancelled);
    }

    #[test]
    fn the_queue_is_bounded() {
        let jobs = Jobs::new(1);
        let (sender, receiver) = mpsc::channel::<()>();
        let blocked = jobs.start(
            "block",
            Class::Move,
            Box::new(move |_| {
                let _ = receiver.recv();
                Ok(Value::Null)
            }),
        );
        // Until the blocker runs it waits itself, so fill up to the bound either way.
        let statuses: Vec<u16> = (0..MAX_WAITING + 2)
            .map(|i| {
                let started =
                    jobs.start(&i.to_string(), Class::Move, Box::new(|_| Ok(Value::Null)));
                started.map_or_else(|r| r.status, |_| 200)
            })
            .collect();
        assert!(blocked.is_ok());
        assert_eq!(statuses[0], 200);
        assert_eq!(statuses[MAX_WAITING + 1], 429);
        drop(sender);
    }
}
