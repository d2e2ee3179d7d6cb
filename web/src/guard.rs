//! Who may ask: only pages that this server served, and programs on this machine that say so.
//!
//! A browser sends other sites' requests to us too. The `Host` header tells a page that reached us under a false name
//! (DNS rebinding), `Origin` and `Sec-Fetch-Site` tell a page of another site; and since every POST must declare
//! JSON, a foreign form cannot post at all.

use std::net::SocketAddr;

use crate::error::{Refusal, refuse};
use crate::http::Request;

/// The names under which the server may be reached.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    hosts: Vec<String>,
}

impl Guard {
    /// For a server at `address`: that address, `localhost` and the loopback addresses, and `more` host names.
    pub fn new(address: SocketAddr, more: &[String]) -> Guard {
        let port = address.port();
        let names = ["localhost", "127.0.0.1", "[::1]"].map(String::from);
        let own = match address {
            SocketAddr::V4(v4) => v4.ip().to_string(),
            SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
        };
        let all = names.into_iter().chain([own]).chain(more.iter().cloned());
        Guard {
            hosts: all
                .map(|name| format!("{}:{port}", name.to_ascii_lowercase()))
                .collect(),
        }
    }

    /// Lets a request pass or refuses it.
    pub fn check(&self, request: &Request) -> Result<(), Refusal> {
        let known = |host: &str| self.hosts.iter().any(|h| h.eq_ignore_ascii_case(host));
        let host = request
            .header("host")?
            .ok_or_else(|| refuse(400, "no Host header"))?;
        if !known(host) {
            return Err(refuse(
                403,
                format!(
                    "this server is not `{}`; open http://{}/",
                    clip(host),
                    self.hosts[1]
                ),
            ));
        }
        if let Some(origin) = request.header("origin")?
            && !origin.strip_prefix("http://").is_some_and(known)
        {
            return Err(refuse(
                403,
                format!("pages of `{}` may not ask this server", clip(origin)),
            ));
        }
        let api = request.path.starts_with("/api/");
        if api
            && let Some(site) = request.header("sec-fetch-site")?
            && !matches!(site, "same-origin" | "none")
        {
            return Err(refuse(403, "another site's page may not ask this server"));
        }
        match request.method.as_str() {
            "GET" | "HEAD" => Ok(()),
            "POST" if api => {
                let kind = request.header("content-type")?.unwrap_or_default();
                let essence = kind.split(';').next().unwrap_or_default().trim();
                match essence.eq_ignore_ascii_case("application/json") {
                    true => Ok(()),
                    false => Err(refuse(415, "send Content-Type: application/json")),
                }
            }
            _ => Err(refuse(405, "only GET, and POST below /api/")),
        }
    }
}

/// At most 60 characters of what a stranger sent.
fn clip(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(method: &str, path: &str, headers: &[(&str, &str)]) -> u16 {
        let guard = Guard::new("127.0.0.1:8080".parse().unwrap(), &["board.local".into()]);
        let request = Request {
            method: method.into(),
            path: path.into(),
            headers: headers
                .iter()
                .map(|(n, v)| (n.to_string(), v.to_string()))
                .collect(),
            ..Request::default()
        };
        guard.check(&request).map_or_else(|r| r.status, |()| 200)
    }

    #[test]
    fn only_our_own_names_and_pages_pass() {
        let own = ("host", "127.0.0.1:8080");
        assert_eq!(status("GET", "/", &[own]), 200);
        assert_eq!(status("GET", "/", &[("host", "LOCALHOST:8080")]), 200);
        assert_eq!(status("GET", "/", &[("host", "board.local:8080")]), 200);
        assert_eq!(status("GET", "/", &[]), 400);
        assert_eq!(status("GET", "/", &[own, own]), 400);
        assert_eq!(status("GET", "/", &[("host", "evil.example:8080")]), 403);
        assert_eq!(status("GET", "/", &[("host", "127.0.0.1:8081")]), 403);
        assert_eq!(status("GET", "/", &[("host", "127.0.0.1")]), 403);
        let origin = |o| status("GET", "/api/run", &[own, ("origin", o)]);
        assert_eq!(origin("http://127.0.0.1:8080"), 200);
        assert_eq!(origin("http://evil.example"), 403);
        assert_eq!(origin("https://127.0.0.1:8080"), 403);
        assert_eq!(origin("null"), 403);
        let site = |path, s| status("GET", path, &[own, ("sec-fetch-site", s)]);
        assert_eq!(site("/api/run", "same-origin"), 200);
        assert_eq!(site("/api/run", "cross-site"), 403);
        assert_eq!(site("/api/run", "same-site"), 403);
        // A link from elsewhere may open the page itself.
        assert_eq!(site("/", "cross-site"), 200);
    }

    #[test]
    fn posts_are_json_and_below_api() {
        let own = ("host", "127.0.0.1:8080");
        let json = ("content-type", "application/json; charset=utf-8");
        assert_eq!(status("POST", "/api/position", &[own, json]), 200);
        assert_eq!(status("POST", "/api/position", &[own]), 415);
        let form = ("content-type", "text/plain");
        assert_eq!(status("POST", "/api/position", &[own, form]), 415);
        assert_eq!(status("POST", "/", &[own, json]), 405);
        for method in ["PUT", "DELETE", "OPTIONS", "CONNECT"] {
            assert_eq!(
                status(method, "/api/position", &[own, json]),
                405,
                "{method}"
            );
        }
    }
}
