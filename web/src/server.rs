//! The server: a socket on this machine, and one thread a connection.
//!
//! Threads suffice: there is one person, a few tabs, and the work is done by engines. What a stranger on the same
//! machine could do is bounded: connections, heads, bodies, waiting times (see `http`), jobs (see `jobs`).

use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use engine::PlayerSpec;

use crate::error::refuse;
use crate::guard::Guard;
use crate::http::{NoRequest, Response, read_request};
use crate::jobs::Jobs;
use crate::players::Allowed;
use crate::routes::Site;
use crate::run::Run;

/// Most open connections.
const MAX_CONNECTIONS: usize = 128;
/// How often a silent connection looks at the clock.
const TICK: Duration = Duration::from_millis(500);
/// How long a client may take to read an answer.
const WRITE_PATIENCE: Duration = Duration::from_secs(20);

/// How to serve.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Address to listen on. Anything but a loopback address lets others on the network in.
    pub bind: IpAddr,
    /// Port; 0 takes a free one.
    pub port: u16,
    /// Run directory to show.
    pub run: Option<PathBuf>,
    /// Players that the page may use besides random, greedy and the engine.
    pub players: Vec<PlayerSpec>,
    /// Further names under which the page is opened.
    pub hosts: Vec<String>,
    /// Engines that think at a time, at least 1.
    pub engines: usize,
}

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    site: Arc<Site>,
    open: Arc<AtomicUsize>,
}

impl Server {
    /// Listens; [`run`](Self::run) serves.
    ///
    /// # Errors
    /// If the port is taken or the run cannot be opened.
    pub fn bind(options: ServeOptions) -> Result<Server> {
        let run = options.run.as_deref().map(Run::open).transpose()?;
        let address = SocketAddr::new(options.bind, options.port);
        let listener = TcpListener::bind(address)
            .with_context(|| format!("cannot listen on {address}; choose another --port"))?;
        let address = listener.local_addr().context("local address")?;
        let site = Site {
            guard: Guard::new(address, &options.hosts),
            allowed: Allowed::new(options.players),
            run,
            jobs: Jobs::new(options.engines),
            pool: Arc::default(),
        };
        Ok(Server {
            listener,
            site: Arc::new(site),
            open: Arc::default(),
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// If the system does not say.
    pub fn address(&self) -> Result<SocketAddr> {
        self.listener.local_addr().context("local address")
    }

    /// Serves until the process ends.
    pub fn run(&self) {
        for stream in self.listener.incoming() {
            let Ok(stream) = stream else {
                // No more files, say: better late than never.
                std::thread::sleep(Duration::from_millis(50));
                continue;
            };
            let open = Arc::clone(&self.open);
            if open.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
                open.fetch_sub(1, Ordering::Relaxed);
                turn_away(stream);
                continue;
            }
            let site = Arc::clone(&self.site);
            std::thread::spawn(move || {
                let _open = Open(open);
                serve(&site, stream);
            });
        }
    }
}

/// Counts a connection until it is dropped, panics included.
struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn turn_away(mut stream: TcpStream) {
    let short = Some(Duration::from_millis(100));
    let _ = stream.set_write_timeout(short);
    let _ = stream.set_read_timeout(short);
    let full = refuse(503, "too many connections; close some tabs");
    let _ = Response::from(full).write(&mut stream, true, false);
    // What was sent must be read, or closing takes the answer away from the client.
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let _ = std::io::Read::read(&mut stream, &mut [0; 4096]);
}

fn serve(site: &Site, mut stream: TcpStream) {
    let _ = stream.set_nodelay(true);
    let timeouts = stream
        .set_read_timeout(Some(TICK))
        .and_then(|()| stream.set_write_timeout(Some(WRITE_PATIENCE)));
    if timeouts.is_err() {
        return;
    }
    let mut kept = Vec::new();
    loop {
        let (response, close, head_only) = match read_request(&mut stream, &mut kept) {
            Ok(request) => {
                let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    site.answer(&request)
                }));
                let response = answer.unwrap_or_else(|_| {
                    refuse(500, "this is a bug; see the server's messages").into()
                });
                (response, request.close, request.method == "HEAD")
            }
            Err(NoRequest::Gone) => return,
            Err(NoRequest::Refused(refusal)) => (refusal.into(), true, false),
        };
        if response.write(&mut stream, close, head_only).is_err() || close {
            // Let the client read the answer before the rest of what it sent resets the connection.
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let mut rest = [0; 4096];
            for _ in 0..64 {
                match std::io::Read::read(&mut stream, &mut rest) {
                    Ok(n) if n > 0 => {}
                    _ => break,
                }
            }
            return;
        }
    }
}
