//! See [`checks::game_text`].

#![no_main]

#[path = "../checks.rs"]
#[allow(dead_code, reason = "one function of it a target")]
mod checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::game_text(data));
