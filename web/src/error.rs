//! What the server says when it refuses.

use crate::http::Response;

/// A refusal: an HTTP status and the reason, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Refusal {
    pub status: u16,
    pub reason: String,
}

/// A refusal with this status.
pub(crate) fn refuse(status: u16, reason: impl Into<String>) -> Refusal {
    Refusal {
        status,
        reason: reason.into(),
    }
}

/// The request is understood and wrong: 400.
pub(crate) fn bad(reason: impl Into<String>) -> Refusal {
    refuse(400, reason)
}

impl From<Refusal> for Response {
    fn from(refusal: Refusal) -> Response {
        let body = serde_json::json!({ "error": refusal.reason });
        Response::json_value(refusal.status, &body)
    }
}
