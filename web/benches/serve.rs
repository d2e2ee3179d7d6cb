//! How fast `tenjiku serve` answers: games against the engine at a fixed time a move, one and twenty at once.
//!
//! Each game asks what the page asks: its own move's position, the engine's move, that move's position. What is
//! reported is the time from sending the own move until the position after the engine's is there, less the engine's time
//! a move and less the time the question waited because all engines were busy; the waiting is a line of its own. A prober
//! asks for the start position every 20 ms meanwhile: that is how a page that is just being opened feels.
//!
//! Server and games share a process and the machine, as they do when a person plays.
//!
//! ```text
//! cargo bench -p web --bench serve -- [MOVES of one game, default 100] [MOVETIME in ms, default 100]
//! ```

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};
use web::{ServeOptions, Server};

/// A connection that stays open, as a browser's.
struct Client {
    address: SocketAddr,
    stream: BufReader<TcpStream>,
}

impl Client {
    fn new(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("a socket option");
        let stream = BufReader::new(stream);
        Client { address, stream }
    }

    fn ask(&mut self, method: &str, target: &str, body: &str) -> Value {
        let request = format!(
            "{method} {target} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        let stream = self.stream.get_mut();
        stream.write_all(request.as_bytes()).expect("sent");
        let mut length = 0;
        for i in 0.. {
            let mut line = String::new();
            self.stream.read_line(&mut line).expect("a head");
            let line = line.trim_end();
            assert!(i > 0 || line.contains(" 200 "), "{target}: {line}");
            if let Some(text) = line.strip_prefix("Content-Length: ") {
                length = text.parse().expect("a length");
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).expect("a body");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn position(&mut self, moves: &[String]) -> Value {
        let body =
            json!({ "game": "tenjiku", "moves": moves, "known": moves.len().saturating_sub(1) });
        self.ask("POST", "/api/position", &body.to_string())
    }
}

/// Times in milliseconds.
#[derive(Default)]
struct Times {
    answer: Vec<f64>,
    waiting: Vec<f64>,
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Plays random moves against the engine, starting again where a game ends.
fn play(address: SocketAddr, name: &str, seed: u64, count: usize, movetime: u64) -> Times {
    let mut client = Client::new(address);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut times = Times::default();
    let mut moves: Vec<String> = Vec::new();
    let mut view = client.position(&moves);
    for question in 0..count {
        if !view["over"].is_null() {
            moves.clear();
            view = client.position(&moves);
        }
        let legal = view["moves"].as_array().expect("a list");
        let own = &legal[rng.random_range(0..legal.len())]["m"];
        moves.push(own.as_str().expect("a move").to_string());

        let sent = Instant::now();
        view = client.position(&moves);
        if !view["over"].is_null() {
            continue;
        }
        let asked = Instant::now();
        let body = json!({
            "game": { "game": "tenjiku", "moves": moves }, "player": format!("engine:movetime={movetime}"),
            "session": name, "key": format!("{name}-{question}"),
        });
        let mut job = client.ask("POST", "/api/think", &body.to_string());
        let mut waited = None;
        while job["state"] != "done" {
            assert!(job["error"].is_null(), "{job}");
            if job["state"] != "waiting" {
                waited.get_or_insert(asked.elapsed());
            }
            let id = job["id"].as_str().expect("a number");
            let target = format!("/api/jobs/{id}?since={}&wait=15000", job["version"]);
            job = client.ask("GET", &target, "");
        }
        moves.push(job["value"]["move"].as_str().expect("a move").to_string());
        view = client.position(&moves);
        // Where the answer came before the running was seen, nothing was waited for.
        let waited = waited.unwrap_or_default();
        times.waiting.push(ms(waited));
        times
            .answer
            .push(ms(sent.elapsed() - waited) - movetime as f64);
    }
    times
}

/// Asks for the start position until told to stop.
fn probe(address: SocketAddr, stop: &AtomicBool) -> Vec<f64> {
    let mut client = Client::new(address);
    let mut times = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let sent = Instant::now();
        client.position(&[]);
        times.push(ms(sent.elapsed()));
        std::thread::sleep(Duration::from_millis(20));
    }
    times
}

fn tell(what: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
    println!(
        "  {what:<44} median {:7.1}  99 % {:7.1}  most {:7.1} ms  ({} times)",
        at(0.5),
        at(0.99),
        at(1.0),
        times.len()
    );
}

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|a| a.parse().ok());
    let count: usize = numbers.next().unwrap_or(100) as usize;
    let movetime: u64 = numbers.next().unwrap_or(100);
    let engines = std::thread::available_parallelism().map_or(1, |n| n.get());
    let server = Server::bind(ServeOptions {
        bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
        port: 0,
        run: None,
        players: Vec::new(),
        hosts: Vec::new(),
        engines,
    })
    .expect("a free port");
    let address = server.address().expect("an address");
    std::thread::spawn(move || server.run());

    for (games, each) in [(1, count), (20, count.div_ceil(5))] {
        println!(
            "{games} games at once, {each} moves each, engine:movetime={movetime}, {engines} engines at a time"
        );
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let prober = scope.spawn(|| probe(address, &stop));
            let players: Vec<_> = (0..games)
                .map(|game| {
                    let name = format!("bench-{games}-{game}");
                    scope.spawn(move || play(address, &name, game, each, movetime))
                })
                .collect();
            let mut all = Times::default();
            for player in players {
                let times = player.join().expect("a game");
                all.answer.extend(times.answer);
                all.waiting.extend(times.waiting);
            }
            stop.store(true, Ordering::Relaxed);
            tell("answer, less movetime and waiting", all.answer);
            tell("waiting for a free engine", all.waiting);
            tell("a position asked meanwhile", prober.join().expect("probes"));
        });
    }
}
