//! Prints how fast one thread decodes rows of a run into batches, without a network:
//! `cargo run --release --workspace --example decode_speed -- RUN [GAME] [SECONDS]`.

use std::path::Path;

use encoding::Encoded;
use rules::{shogi::Shogi, tenjiku::Tenjiku};
use trainer::{TrainError, TrainParams, bench};

fn rate<P: Encoded>(run: &Path, seconds: f64) -> Result<(), TrainError> {
    for batch_size in [32, 256] {
        let params = TrainParams {
            batch_size,
            ..TrainParams::default()
        };
        let rate = bench::decode_rate::<P>(run, &params, seconds)?;
        println!("{}, batch {batch_size}: {rate:.0} positions/s", P::GAME);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let run = args
        .next()
        .ok_or("usage: decode_speed RUN [GAME] [SECONDS]")?;
    let game = args.next().unwrap_or("tenjiku".into());
    let seconds = args.next().map_or(Ok(5.0), |text| text.parse())?;
    match game.as_str() {
        "tenjiku" => rate::<Tenjiku>(run.as_ref(), seconds)?,
        "shogi" => rate::<Shogi>(run.as_ref(), seconds)?,
        other => return Err(format!("no game `{other}`").into()),
    }
    Ok(())
}
