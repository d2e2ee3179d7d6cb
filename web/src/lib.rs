//! The board in the browser: what `tenjiku serve` and `tenjiku report` show.
//!
//! [`Server`] is a small HTTP/1.1 server for one person's machine: it serves the page, answers questions about the
//! rules, runs engines for it, and shows a run directory. It keeps no games: a page sends the whole game with every
//! question, so that tabs, restarts and broken connections cannot mix games up or lose them. [`report`] writes the same
//! boards and curves into one HTML file that needs no server.
//!
//! ```text
//! ui/src/*.ts --build.sh--> ui/dist/{app,report}.js, *.css --include_bytes!--> assets
//! browser --JSON--> http -> guard -> routes -> view | setup | texts        the rules, at once
//!                                          -> jobs -> play | analyse       engines, queued and bounded
//!                                          -> run                          the run directory, read only
//! ```
//!
//! The page holds no rules: every legal move comes from here, with what it captures, burns and promotes to.

mod analyse;
mod assets;
mod error;
mod games;
mod guard;
mod http;
mod jobs;
mod play;
mod players;
mod report;
mod routes;
mod run;
mod server;
mod setup;
mod texts;
mod view;

pub use report::report;
pub use server::{ServeOptions, Server};
