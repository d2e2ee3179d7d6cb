//! `tenjiku serve`: the board in the browser.

use crate::failure::usage;
use crate::progress::stop_on_signal;
use anyhow::Result;
use engine::PlayerSpec;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;
use web::{ServeOptions, Server};

/// Serves a page to play, analyse, replay and watch a run, for this machine only unless told otherwise.
///
/// Example: tenjiku serve --run runs/quickstart
#[derive(clap::Args)]
pub struct ServeArgs {
    /// Run directory to show; its exported networks can be played against.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// A network or outside engine that the page may use; can be given several times.
    #[arg(long = "player", visible_alias = "network", value_name = "SPEC")]
    players: Vec<String>,
    /// Port; 0 takes a free one.
    #[arg(long, default_value_t = 8480)]
    port: u16,
    /// Address to listen on; anything but a loopback address lets others on the network in.
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    bind: IpAddr,
    /// A further host name under which the page is opened; can be given several times.
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Engines that think at a time; 0 means one a core.
    #[arg(long, default_value_t = 0)]
    engines: usize,
}

/// Runs the command.
pub fn run(args: ServeArgs) -> Result<()> {
    let players = args
        .players
        .iter()
        .map(|text| text.parse::<PlayerSpec>().map_err(|e| usage(e.to_string())))
        .collect::<Result<Vec<_>>>()?;
    let engines = match args.engines {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    };
    let server = Server::bind(ServeOptions {
        bind: args.bind,
        port: args.port,
        run: args.run,
        players,
        hosts: args.hosts,
        engines,
    })?;
    let address = server.address()?;
    println!("http://{address}/");
    if !address.ip().is_loopback() {
        eprintln!("anyone who reaches {address} can use this page and its engines");
    }
    let stop = stop_on_signal();
    std::thread::spawn(move || server.run());
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}
