//! Prints how fast training is here: bare steps, decoding, and a real run on made-up games of 4x32 networks.
//!
//! `cargo run --release -p trainer --example speed [-- RUN]`; without a run folder only bare steps are measured.

use inference::{Architecture, Trunk};
use rules::tenjiku::Tenjiku;
use trainer::{TrainParams, bench};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let params = TrainParams::default();
    let rules = <Tenjiku as rules::Position>::Rules::default();
    for (channels, blocks, trunk) in [
        (32, 4, Trunk::Gpool),
        (32, 4, Trunk::Se),
        (64, 6, Trunk::Gpool),
    ] {
        let arch = Architecture {
            channels,
            blocks,
            trunk,
            ..Default::default()
        };
        println!("{}", network::Cost::of(&encoding::spec::<Tenjiku>(), &arch));
        for batch_size in [32, 256] {
            let params = TrainParams {
                batch_size,
                ..params.clone()
            };
            let rate = bench::step_rate::<Tenjiku>(&rules, &arch, &params, 5.0)?;
            println!("{blocks}x{channels} {trunk:?}, batch {batch_size}: {rate:.0} positions/s");
        }
    }
    if let Some(run) = std::env::args().nth(1) {
        let rate = bench::decode_rate::<Tenjiku>(run.as_ref(), &params, 5.0)?;
        println!("decoding, one thread: {rate:.0} positions/s");
    }
    Ok(())
}
