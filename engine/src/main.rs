//! `tenjiku-engine`: the engine behind USI or CECP, and its bench.

use clap::{Args, Parser, Subcommand, ValueEnum};
use encoding::{GameName, with_game};
use engine::protocol::{HASH_MIB, LINES, Settings, THREADS, VISITS, serve};
use engine::{SearchKind, game_parser, whole_number};
use inference::OnnxFile;
use rules::{Position, Rules};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Plays tenjiku shogi and shogi under USI or CECP (XBoard), whichever the first line is in.
///
/// Example: printf 'usi\nisready\nposition startpos\ngo depth 4\n' | (cat; sleep 5) | tenjiku-engine
#[derive(Parser)]
#[command(
    name = "tenjiku-engine",
    version,
    args_conflicts_with_subcommands = true
)]
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
enum TreeKind {
    Gumbel,
    Puct,
}

#[derive(Args)]
struct Options {
    /// The game; the protocols can change it. That of the network if absent, else tenjiku.
    #[arg(long, value_parser = game_parser())]
    game: Option<GameName>,
    /// Rules preset, with changed options: NAME[,option=value]...
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Transposition table in MiB, 1 to 65536.
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = within(HASH_MIB))]
    hash: usize,
    /// Exported network that plays in place of the handcrafted search.
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Playouts a move of the network, up to 1000000. 0 or absent: as many as time allows, and 800 where no time is given.
    #[arg(long, value_name = "N", value_parser = within(0..=*VISITS.end()))]
    visits: Option<u32>,
    /// Tree search of the network at a fixed number of playouts; by the clock it is PUCT.
    /// Gumbel if absent.
    #[arg(long, value_enum)]
    search: Option<TreeKind>,
    /// Best lines that an analysis shows, 1 to 500.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within(LINES))]
    multipv: usize,
    /// Threads of the handcrafted search, or of one network call, 1 to 256.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within(THREADS))]
    threads: usize,
}

/// Reads a whole number in `range`.
fn within<T>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display + Clone + Send + Sync + 'static,
{
    move |text| whole_number(text, range.clone())
}

fn main() {
    let cli = Cli::parse();
    if let Some(Command::Bench { depth }) = cli.command {
        let total = engine::bench::bench(depth, |number, nodes, time| {
            let seconds = time.as_secs_f64();
            print(&format!("position {number}: {nodes} nodes, {seconds:.3} s"));
        });
        let rate = total.nodes as f64 / total.elapsed.as_secs_f64().max(1e-9);
        print(&format!("{} nodes {rate:.0} nps", total.nodes));
        return;
    }
    let game = match game(&cli.options) {
        Ok(game) => game,
        Err(e) => {
            eprintln!("error: {e}");
            std::process::exit(1);
        }
    };
    if let Some(rules) = &cli.options.rules
        && let Err(e) = check_rules(game, rules)
    {
        eprintln!("tenjiku-engine: --rules {rules}: {e}");
        std::process::exit(2);
    }
    let idle = cli.options.visits.is_some() || cli.options.search.is_some();
    if idle && cli.options.network.is_none() {
        eprintln!("tenjiku-engine: --visits and --search do nothing until there is a network");
    }
    serve(Settings {
        game,
        rules: cli.options.rules,
        hash_mib: cli.options.hash,
        network: cli.options.network,
        visits: cli.options.visits.filter(|&visits| visits > 0),
        search: match cli.options.search {
            Some(TreeKind::Puct) => SearchKind::Puct,
            Some(TreeKind::Gumbel) | None => SearchKind::default(),
        },
        lines: cli.options.multipv,
        threads: cli.options.threads,
    });
}

/// Prints a line. Where nobody reads on (`| head -1`) the program ends.
fn print(line: &str) {
    use std::io::{ErrorKind, Write};
    match writeln!(std::io::stdout(), "{line}") {
        Ok(()) => {}
        Err(e) if e.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(e) => {
            eprintln!("error: cannot write to standard output: {e}");
            std::process::exit(1);
        }
    }
}

/// The game that is asked for, or that the network plays. A network that cannot be used is told here, before a program
/// on the other side waits for answers; what only running it shows is told in its protocol.
fn game(options: &Options) -> Result<GameName, String> {
    let Some(path) = &options.network else {
        return Ok(options.game.unwrap_or_default());
    };
    let file = OnnxFile::open(path).map_err(|e| e.to_string())?;
    let named = || file.metadata().input.game.parse::<GameName>();
    let game = match options.game {
        Some(game) => game,
        None => named().map_err(|e| format!("{}: {e}", path.display()))?,
    };
    with_game!(game, P => file.check_game::<P>()).map_err(|e| e.to_string())?;
    Ok(game)
}

fn check_rules(game: GameName, text: &str) -> Result<(), rules::RulesError> {
    with_game!(game, P => <<P as Position>::Rules as Rules>::parse(text).map(|_| ()))
}
