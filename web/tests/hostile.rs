//! Requests that a stranger's page or program might send, over a real socket.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use web::{ServeOptions, Server};

/// A server with this run; it lives until the test program ends.
fn serve(run: Option<PathBuf>) -> SocketAddr {
    let server = Server::bind(ServeOptions {
        bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
        port: 0,
        run,
        players: Vec::new(),
        hosts: Vec::new(),
        engines: 2,
    })
    .unwrap();
    let address = server.address().unwrap();
    std::thread::spawn(move || server.run());
    address
}

/// Sends raw bytes and reads until the server closes.
fn raw(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    // A server that has refused may close while the rest is being sent.
    let _ = stream.write_all(request);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn status(answer: &str) -> u16 {
    answer
        .split(' ')
        .nth(1)
        .and_then(|s| s.parse().ok())
        .unwrap_or_else(|| panic!("no status in {answer:?}"))
}

fn get(address: SocketAddr, target: &str, headers: &str) -> String {
    let request =
        format!("GET {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n");
    raw(address, request.as_bytes())
}

fn post(address: SocketAddr, target: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    let request = format!(
        "POST {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n{headers}\r\n{body}"
    );
    raw(address, request.as_bytes())
}

/// The JSON behind the head.
fn json(answer: &str) -> serde_json::Value {
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    serde_json::from_str(body).unwrap_or_else(|e| panic!("{e}: {body}"))
}

/// A run directory with a secret beside it.
fn run_with_secret() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret.json"), "{\"secret\": 1}").unwrap();
    let run = folder.path().join("run");
    std::fs::create_dir_all(run.join("matches")).unwrap();
    std::fs::write(
        run.join("run.toml"),
        "game = \"tenjiku\"\nrules = \"historical\"\nseed = 1\ncreated = 1\ncode_version = \"test\"\n",
    )
    .unwrap();
    (folder, run)
}

#[test]
fn the_page_comes_with_headers_that_shut_others_out() {
    let address = serve(None);
    let answer = get(address, "/", "");
    assert_eq!(status(&answer), 200);
    for header in [
        "Content-Security-Policy: default-src 'none'; script-src 'self'",
        "frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff",
        "Cross-Origin-Resource-Policy: same-origin",
    ] {
        assert!(answer.contains(header), "{header}");
    }
    assert!(!answer.to_ascii_lowercase().contains("access-control-allow"));
}

#[test]
fn paths_lead_nowhere() {
    let (_folder, run) = run_with_secret();
    let address = serve(Some(run));
    for target in [
        "/../secret.json",
        "/..%2fsecret.json",
        "/%2e%2e/secret.json",
        "/api/../secret.json",
        "/api/run/../../secret.json",
        "/api/run/game/../../secret.json",
        "//etc/passwd",
        "/etc/passwd",
        "/matches/x.json",
        "/src/main.ts",
        "/api/jobs/../run",
    ] {
        let answer = get(address, target, "");
        assert_eq!(status(&answer), 404, "{target}");
        assert!(!answer.contains("secret\":"), "{target}");
    }
    for id in [
        "../../secret",
        "..%2f..%2fsecret.json",
        "%00",
        "/etc/passwd",
    ] {
        let answer = get(address, &format!("/api/run/game?id={id}"), "");
        assert_eq!(status(&answer), 404, "{id}");
    }
}

#[test]
#[cfg(unix)]
fn links_in_a_run_are_not_followed() {
    let (folder, run) = run_with_secret();
    let secret = folder.path().join("secret.json");
    std::os::unix::fs::symlink(&secret, run.join("matches/a.json")).unwrap();
    std::os::unix::fs::symlink(&secret, run.join("ratings.json")).unwrap();
    std::os::unix::fs::symlink(&secret, run.join("status.json")).unwrap();
    let address = serve(Some(run));
    let answer = get(address, "/api/run", "");
    assert_eq!(status(&answer), 200);
    assert!(!answer.contains("\"secret\""), "{answer}");
}

#[test]
fn other_sites_are_refused() {
    let address = serve(None);
    let evil = "Origin: http://evil.example\r\n";
    assert_eq!(status(&get(address, "/api/info", evil)), 403);
    assert_eq!(status(&post(address, "/api/position", evil, "{}")), 403);
    assert_eq!(status(&get(address, "/api/info", "Origin: null\r\n")), 403);
    assert_eq!(
        status(&get(address, "/api/info", "Sec-Fetch-Site: cross-site\r\n")),
        403
    );
    // A foreign name that resolves to this machine.
    let rebound = "GET /api/info HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    assert_eq!(status(&raw(address, rebound.as_bytes())), 403);
    // A WebSocket is not spoken, whoever asks.
    let socket = "Upgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n";
    assert_eq!(
        status(&get(address, "/api/socket", &format!("{evil}{socket}"))),
        403
    );
    assert_eq!(status(&get(address, "/api/socket", socket)), 404);
    // What a foreign form could send.
    let form = format!(
        "POST /api/position HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: text/plain\r\n\
         Content-Length: 2\r\n\r\n{{}}"
    );
    assert_eq!(status(&raw(address, form.as_bytes())), 415);
    let own = format!("Origin: http://{address}\r\nSec-Fetch-Site: same-origin\r\n");
    assert_eq!(status(&get(address, "/api/info", &own)), 200);
}

#[test]
fn sizes_are_bounded() {
    let address = serve(None);
    let huge = format!(
        "POST /api/position HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Content-Length: 2000000000\r\n\r\n"
    );
    assert_eq!(status(&raw(address, huge.as_bytes())), 413);
    let head = format!(
        "GET /{} HTTP/1.1\r\nHost: {address}\r\n\r\n",
        "a".repeat(40_000)
    );
    assert_eq!(status(&raw(address, head.as_bytes())), 431);
    let chunked = format!(
        "POST /api/position HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    );
    assert_eq!(status(&raw(address, chunked.as_bytes())), 411);
    let deep = "[".repeat(100_000);
    assert_eq!(status(&post(address, "/api/position", "", &deep)), 400);
    let moves = vec!["\"9l9k\""; 6000].join(",");
    let long = format!("{{\"game\":\"tenjiku\",\"moves\":[{moves}]}}");
    assert_eq!(status(&post(address, "/api/position", "", &long)), 400);
}

#[test]
fn wrong_questions_are_told_why() {
    let address = serve(None);
    for (target, body, part) in [
        ("/api/position", "", "not what is expected"),
        ("/api/position", "{\"game\":1}", "expected a string"),
        (
            "/api/position",
            "{\"game\":\"tenjiku\",\"x\":1}",
            "unknown field",
        ),
        ("/api/position", "{\"game\":\"go\"}", "unknown game"),
        (
            "/api/position",
            "{\"game\":\"tenjiku\",\"sfen\":\"9/9\"}",
            "bad SFEN",
        ),
        (
            "/api/position",
            "{\"game\":\"tenjiku\",\"moves\":[\"1a1a\"]}",
            "move 1",
        ),
        (
            "/api/position",
            "{\"game\":\"tenjiku\",\"moves\":[\"<script>\"]}",
            "move 1",
        ),
        (
            "/api/setup",
            "{\"game\":\"tenjiku\",\"board\":[999],\"turn\":\"black\"}",
            "expected u8",
        ),
        (
            "/api/setup",
            "{\"game\":\"tenjiku\",\"board\":[],\"turn\":\"red\"}",
            "red",
        ),
        (
            "/api/import",
            "{\"game\":\"tenjiku\",\"text\":\"\"}",
            "no move",
        ),
        (
            "/api/think",
            "{\"game\":{\"game\":\"tenjiku\"},\"player\":\"usi:\\\"sh -c id\\\"\",\"session\":\"s\",\"key\":\"k\"}",
            "was not listed",
        ),
        (
            "/api/think",
            "{\"game\":{\"game\":\"tenjiku\"},\"player\":\"onnx:/etc/passwd\",\"session\":\"s\",\"key\":\"k\"}",
            "was not listed",
        ),
        (
            "/api/think",
            "{\"game\":{\"game\":\"tenjiku\"},\"player\":\"engine:depth=40\",\"session\":\"s\",\"key\":\"k\"}",
            "at most",
        ),
        (
            "/api/think",
            "{\"game\":{\"game\":\"tenjiku\"},\"player\":\"random\",\"session\":\"../s\",\"key\":\"k\"}",
            "session must be",
        ),
    ] {
        let answer = post(address, target, "", body);
        let code = status(&answer);
        assert!((400..500).contains(&code), "{body}: {code}");
        let reason = json(&answer)["error"].as_str().unwrap().to_string();
        assert!(reason.contains(part), "{body}: {reason}");
    }
    assert_eq!(status(&get(address, "/api/position", "")), 404);
    assert_eq!(status(&get(address, "/api/run", "")), 404);
    assert_eq!(status(&get(address, "/api/jobs/none?since=x", "")), 400);
    assert_eq!(status(&get(address, "/api/jobs/none", "")), 404);
    let delete =
        format!("DELETE /api/info HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    assert_eq!(status(&raw(address, delete.as_bytes())), 405);
}

#[test]
fn noise_and_silence_do_no_harm() {
    let address = serve(None);
    let mut state = 12345u32;
    let mut noise = || {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        (state >> 24) as u8
    };
    for length in [1, 10, 100, 5000] {
        let mut bytes: Vec<u8> = (0..length).map(|_| noise()).collect();
        bytes.extend(b"\r\n\r\n");
        let answer = raw(address, &bytes);
        assert!(answer.is_empty() || status(&answer) >= 400);
    }
    // Connections that say nothing are held, up to a bound; one more is turned away, and room comes back.
    let mut silent: Vec<TcpStream> = (0..128)
        .map(|_| TcpStream::connect(address).unwrap())
        .collect();
    assert_eq!(status(&get(address, "/api/info", "")), 503);
    silent.clear();
    let until = std::time::Instant::now() + Duration::from_secs(60);
    while status(&get(address, "/api/info", "")) != 200 {
        assert!(std::time::Instant::now() < until, "no room came back");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_question_sent_twice_is_one_job_and_its_answer_waits() {
    let address = serve(None);
    let body = "{\"game\":{\"game\":\"tenjiku\",\"moves\":[\"9l9k\"]},\"player\":\"random\",\"session\":\"s\",\"key\":\"k1\"}";
    // The first asker goes away without reading the answer.
    let request = format!(
        "POST /api/think HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    TcpStream::connect(address)
        .unwrap()
        .write_all(request.as_bytes())
        .unwrap();
    let first = json(&post(address, "/api/think", "", body));
    let second = json(&post(address, "/api/think", "", body));
    assert_eq!(first["id"], second["id"]);
    let id = first["id"].as_str().unwrap();
    let mut version = 0;
    let done = loop {
        let job = json(&get(
            address,
            &format!("/api/jobs/{id}?since={version}&wait=5000"),
            "",
        ));
        if job["state"] == "done" {
            break job;
        }
        version = job["version"].as_u64().unwrap();
    };
    // White's random answer is one of its legal moves.
    let mv = done["value"]["move"].as_str().unwrap();
    let game = format!("{{\"game\":\"tenjiku\",\"moves\":[\"9l9k\",\"{mv}\"]}}");
    assert_eq!(status(&post(address, "/api/position", "", &game)), 200);
}

#[test]
fn twenty_games_at_once_are_all_answered() {
    let address = serve(None);
    let games: Vec<_> = (0..20)
        .map(|game| {
            std::thread::spawn(move || {
                let mut moves: Vec<String> = Vec::new();
                for ply in 0..4 {
                    let played = moves
                        .iter()
                        .map(|m| format!("\"{m}\""))
                        .collect::<Vec<_>>()
                        .join(",");
                    let body = format!(
                        "{{\"game\":{{\"game\":\"tenjiku\",\"moves\":[{played}]}},\"player\":\"greedy\",\
                         \"session\":\"g{game}\",\"key\":\"g{game}-{ply}\"}}"
                    );
                    let job = json(&post(address, "/api/think", "", &body));
                    let id = job["id"].as_str().unwrap().to_string();
                    let mut version = 0;
                    loop {
                        let job = json(&get(address, &format!("/api/jobs/{id}?since={version}&wait=5000"), ""));
                        version = job["version"].as_u64().unwrap();
                        assert_ne!(job["state"], "failed", "{job}");
                        if job["state"] == "done" {
                            moves.push(job["value"]["move"].as_str().unwrap().to_string());
                            break;
                        }
                    }
                }
                moves.len()
            })
        })
        .collect();
    for game in games {
        assert_eq!(game.join().unwrap(), 4);
    }
}
