//! `tenjiku-engine`: the engine behind USI or CECP, and its bench.

use clap::{Args, Parser, Subcommand, ValueEnum};
use engine::protocol::{HASH_MIB, Settings, THREADS, serve};
use std::path::PathBuf;

/// Plays tenjiku shogi and shogi under USI or CECP (XBoard), whichever the first line is in.
///
/// Example: printf 'usi\nisready\nposition startpos\ngo depth 4\n' | (cat; sleep 5) | tenjiku-engine
#[derive(Parser)]
#[command(name = "tenjiku-engine", version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    options: Options,
}

#[derive(Subcommand)]
enum Command {
    /// Searches fixed positions to a fixed depth and prints the node count, which changes only with the search.
    Bench {
        /// Depth of each search.
        #[arg(long, default_value_t = engine::bench::DEPTH, value_parser = clap::value_parser!(u32).range(1..=60))]
        depth: u32,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Game {
    Tenjiku,
    Shogi,
}

#[derive(Args)]
struct Options {
    /// The game; the protocols can change it.
    #[arg(long, value_enum, default_value = "tenjiku")]
    game: Game,
    /// Rules preset, with changed options: NAME[,option=value]...
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Transposition table in MiB.
    #[arg(long, default_value_t = 64)]
    hash: usize,
    /// Threads of the handcrafted search.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Exported network that plays in place of the handcrafted search.
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Playouts a move of the network.
    #[arg(long, default_value_t = 800, value_parser = clap::value_parser!(u32).range(1..))]
    visits: u32,
}

fn main() {
    let cli = Cli::parse();
    if let Some(Command::Bench { depth }) = cli.command {
        let total = engine::bench::bench(depth, |number, nodes, time| {
            println!(
                "position {number}: {nodes} nodes, {:.3} s",
                time.as_secs_f64()
            );
        });
        let rate = total.nodes as f64 / total.elapsed.as_secs_f64().max(1e-9);
        println!("{} nodes {rate:.0} nps", total.nodes);
        return;
    }
    let game = match cli.options.game {
        Game::Tenjiku => "tenjiku",
        Game::Shogi => "shogi",
    };
    if let Some(rules) = &cli.options.rules
        && let Err(e) = check_rules(game, rules)
    {
        eprintln!("tenjiku-engine: --rules {rules}: {e}");
        std::process::exit(2);
    }
    serve(Settings {
        game: game.to_string(),
        rules: cli.options.rules,
        hash_mib: cli.options.hash.clamp(*HASH_MIB.start(), *HASH_MIB.end()),
        threads: cli.options.threads.clamp(*THREADS.start(), *THREADS.end()),
        lines: 1,
        network: cli.options.network,
        visits: cli.options.visits,
    });
}

fn check_rules(game: &str, text: &str) -> Result<(), rules::RulesError> {
    use rules::Rules;
    match game {
        "shogi" => rules::shogi::RuleSet::parse(text).map(|_| ()),
        _ => rules::tenjiku::RuleSet::parse(text).map(|_| ()),
    }
}
