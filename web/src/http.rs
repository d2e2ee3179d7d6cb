//! HTTP/1.1 messages: reading a request within bounds, writing a response.
//!
//! Only what a browser on the same machine needs: no chunked request bodies, no pipelining across errors, no TLS.
//! Whatever is odd is refused and the connection closed, so that nothing is ever read in two ways.

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use crate::error::{Refusal, refuse};

/// Longest request head in bytes.
const MAX_HEAD: usize = 16 << 10;
/// Most header lines.
const MAX_HEADERS: usize = 64;
/// Longest request body in bytes: a long game text.
pub(crate) const MAX_BODY: usize = 1 << 20;
/// Time for a head, and for a body, from their first byte to their last.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time that a connection may stay open without a request.
pub(crate) const IDLE: Duration = Duration::from_secs(60);

/// A request as received.
#[derive(Debug, Default)]
pub(crate) struct Request {
    pub method: String,
    /// The part of the target before `?`, as sent: nothing is decoded, so `..` and `%2e` mean nothing.
    pub path: String,
    /// The part behind `?`.
    pub query: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Whether the client wants the connection closed.
    pub close: bool,
}

impl Request {
    /// The value of a header, if it is there once; `Err` if it is there more than once.
    pub fn header(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let mut values = self.headers.iter().filter(|(n, _)| n == name);
        let first = values.next().map(|(_, value)| value.as_str());
        match values.next() {
            None => Ok(first),
            Some(_) => Err(refuse(400, format!("more than one header `{name}`"))),
        }
    }

    /// The decoded value of a query parameter.
    pub fn parameter(&self, name: &str) -> Option<String> {
        self.query.split('&').find_map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (key == name).then(|| decode(value))
        })
    }
}

/// `%xx` and `+` decoded; what is malformed stays as it is.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
        match bytes[i] {
            b'+' => out.push(b' '),
            b'%' => match (
                bytes.get(i + 1).copied().and_then(hex),
                bytes.get(i + 2).copied().and_then(hex),
            ) {
                (Some(high), Some(low)) => {
                    out.push(high << 4 | low);
                    i += 2;
                }
                _ => out.push(b'%'),
            },
            byte => out.push(byte),
        }
        i += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Why no request came.
#[derive(Debug)]
pub(crate) enum NoRequest {
    /// The client closed, or was silent for too long.
    Gone,
    /// What came is refused; the connection cannot be used any more.
    Refused(Refusal),
}

impl From<Refusal> for NoRequest {
    fn from(refusal: Refusal) -> NoRequest {
        NoRequest::Refused(refusal)
    }
}

/// Reads one request. `kept` holds what was read beyond the last one. The stream's read timeout must be short, so that
/// deadlines are kept: a timeout here only means that it is time to look at the clock.
pub(crate) fn read_request(
    stream: &mut (impl Read + Write),
    kept: &mut Vec<u8>,
) -> Result<Request, NoRequest> {
    let idle_since = Instant::now();
    let mut begun = None;
    let end = loop {
        if let Some(end) = kept.windows(4).position(|w| w == b"\r\n\r\n") {
            break end + 4;
        }
        if kept.len() > MAX_HEAD {
            return Err(refuse(431, format!("the head is longer than {MAX_HEAD} bytes")).into());
        }
        let late = match begun {
            None => idle_since.elapsed() > IDLE,
            Some(begun) => Instant::elapsed(&begun) > PATIENCE,
        };
        match (late, begun) {
            (true, None) => return Err(NoRequest::Gone),
            (true, Some(_)) => return Err(refuse(408, "the request came too slowly").into()),
            _ => {}
        }
        fill(stream, kept)?;
        if !kept.is_empty() && begun.is_none() {
            begun = Some(Instant::now());
        }
    };
    if end > MAX_HEAD {
        return Err(refuse(431, format!("the head is longer than {MAX_HEAD} bytes")).into());
    }
    let mut request = parse_head(&kept[..end])?;
    kept.drain(..end);

    let length = body_length(&request)?;
    if length > 0
        && request
            .header("expect")?
            .is_some_and(|e| e.eq_ignore_ascii_case("100-continue"))
        && stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").is_err()
    {
        return Err(NoRequest::Gone);
    }
    let begun = Instant::now();
    while kept.len() < length {
        if begun.elapsed() > PATIENCE {
            return Err(refuse(408, "the body came too slowly").into());
        }
        fill(stream, kept)?;
    }
    request.body = kept.drain(..length).collect();
    Ok(request)
}

/// Reads what is there.
fn fill(stream: &mut impl Read, kept: &mut Vec<u8>) -> Result<(), NoRequest> {
    let mut chunk = [0; 8 << 10];
    match stream.read(&mut chunk) {
        Ok(0) => Err(NoRequest::Gone),
        Ok(n) => {
            kept.extend_from_slice(&chunk[..n]);
            Ok(())
        }
        Err(e) => match e.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted => {
                Ok(())
            }
            _ => Err(NoRequest::Gone),
        },
    }
}

fn parse_head(head: &[u8]) -> Result<Request, Refusal> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    match parsed.parse(head) {
        Ok(httparse::Status::Complete(_)) => {}
        Err(httparse::Error::TooManyHeaders) => {
            return Err(refuse(431, format!("more than {MAX_HEADERS} headers")));
        }
        Ok(_) | Err(_) => return Err(refuse(400, "this is no HTTP request")),
    }
    let target = parsed.path.unwrap_or_default();
    if !target.starts_with('/') {
        return Err(refuse(400, "the target must be a path"));
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut list = Vec::new();
    for header in parsed.headers.iter() {
        let value = std::str::from_utf8(header.value)
            .map_err(|_| refuse(400, format!("header `{}` is no text", header.name)))?;
        list.push((header.name.to_ascii_lowercase(), value.trim().to_string()));
    }
    let mut request = Request {
        method: parsed.method.unwrap_or_default().to_string(),
        path: path.to_string(),
        query: query.to_string(),
        headers: list,
        body: Vec::new(),
        close: parsed.version == Some(0),
    };
    if let Some(connection) = request.header("connection")? {
        request.close |= connection
            .split(',')
            .any(|word| word.trim().eq_ignore_ascii_case("close"));
    }
    Ok(request)
}

fn body_length(request: &Request) -> Result<usize, Refusal> {
    if request.header("transfer-encoding")?.is_some() {
        return Err(refuse(411, "send the body with Content-Length"));
    }
    let Some(text) = request.header("content-length")? else {
        return match request.method.as_str() {
            "POST" => Err(refuse(411, "send the body with Content-Length")),
            _ => Ok(0),
        };
    };
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match text.parse::<usize>() {
        Ok(n) if digits && n <= MAX_BODY => Ok(n),
        _ if digits => Err(refuse(
            413,
            format!("the body is longer than {MAX_BODY} bytes"),
        )),
        _ => Err(refuse(400, "Content-Length is no number")),
    }
}

/// What is sent back.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub status: u16,
    pub kind: &'static str,
    pub body: Cow<'static, [u8]>,
    /// Further header lines, each ended by CR LF.
    pub extra: &'static str,
}

/// Whatever is sent: no other site may frame or script the page, and nothing is guessed or kept.
const SAFE_HEADERS: &str = "\
Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
X-Content-Type-Options: nosniff\r\n\
X-Frame-Options: DENY\r\n\
Cross-Origin-Resource-Policy: same-origin\r\n\
Cross-Origin-Opener-Policy: same-origin\r\n\
Referrer-Policy: no-referrer\r\n\
Cache-Control: no-store\r\n";

impl Response {
    /// A value as JSON.
    pub fn json_value(status: u16, value: &impl serde::Serialize) -> Response {
        match serde_json::to_vec(value) {
            Ok(body) => Response {
                status,
                kind: "application/json",
                body: body.into(),
                extra: "",
            },
            Err(e) => Response {
                status: 500,
                kind: "text/plain; charset=utf-8",
                body: e.to_string().into_bytes().into(),
                extra: "",
            },
        }
    }

    /// Writes the response; `close` tells the client that the connection ends.
    pub fn write(&self, stream: &mut impl Write, close: bool, head_only: bool) -> io::Result<()> {
        let connection = if close { "close" } else { "keep-alive" };
        let mut out = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: {connection}\r\n{SAFE_HEADERS}{}\r\n",
            self.status,
            phrase(self.status),
            self.kind,
            self.body.len(),
            self.extra,
        )
        .into_bytes();
        if !head_only {
            out.extend_from_slice(&self.body);
        }
        stream.write_all(&out)?;
        stream.flush()
    }
}

fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client that has sent `input` and closed.
    struct Wire(io::Cursor<Vec<u8>>, Vec<u8>);

    impl Read for Wire {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(buffer)
        }
    }

    impl Write for Wire {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1.write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn read(input: &str) -> Result<Request, NoRequest> {
        let mut wire = Wire(io::Cursor::new(input.as_bytes().to_vec()), Vec::new());
        read_request(&mut wire, &mut Vec::new())
    }

    fn refused(input: &str) -> u16 {
        match read(input) {
            Err(NoRequest::Refused(refusal)) => refusal.status,
            other => panic!("{input:?}: {other:?}"),
        }
    }

    #[test]
    fn a_request_is_read_with_its_body_and_parameters() {
        let request = read(
            "POST /api/x?a=1&name=b%20c+d&bad=%zz HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcNEXT",
        )
        .unwrap();
        assert_eq!(
            (request.method.as_str(), request.path.as_str()),
            ("POST", "/api/x")
        );
        assert_eq!(request.body, b"abc");
        assert_eq!(request.parameter("name").as_deref(), Some("b c d"));
        assert_eq!(request.parameter("bad").as_deref(), Some("%zz"));
        assert_eq!(request.parameter("none"), None);
        assert!(!request.close);
    }

    #[test]
    fn what_is_odd_is_refused() {
        let long = "x".repeat(MAX_HEAD);
        assert_eq!(refused(&format!("GET /{long} HTTP/1.1\r\n\r\n")), 431);
        let many = "a: b\r\n".repeat(MAX_HEADERS + 1);
        assert_eq!(refused(&format!("GET / HTTP/1.1\r\n{many}\r\n")), 431);
        assert_eq!(refused("POST / HTTP/1.1\r\n\r\n"), 411);
        assert_eq!(
            refused("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            411
        );
        assert_eq!(
            refused("POST / HTTP/1.1\r\nContent-Length: 9999999999\r\n\r\n"),
            413
        );
        let beyond_usize = "9".repeat(40);
        assert_eq!(
            refused(&format!(
                "POST / HTTP/1.1\r\nContent-Length: {beyond_usize}\r\n\r\n"
            )),
            413
        );
        assert_eq!(
            refused("POST / HTTP/1.1\r\nContent-Length: +3\r\n\r\nabc"),
            400
        );
        assert_eq!(
            refused("POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
            400
        );
        assert_eq!(refused("GET http://evil/ HTTP/1.1\r\n\r\n"), 400);
        assert_eq!(refused("nonsense\r\n\r\n"), 400);
    }

    #[test]
    fn a_client_that_leaves_is_gone() {
        for input in [
            "",
            "GET / HT",
            "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab",
        ] {
            assert!(matches!(read(input), Err(NoRequest::Gone)), "{input}");
        }
    }
}
