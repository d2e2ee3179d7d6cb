//! Killed writers: nothing half-made is visible, finished games survive, the rest is cleaned.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use records::{
    Cleaned, Dataset, GameRecord, Shape, ShardLimits, ShardWriter, clean_leftovers, leftovers,
};
use samples::{Toy, provenance, random_game, write_games, writer};

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn games(run: &Path) -> Vec<GameRecord> {
    let dataset = Dataset::open(run, &Shape::of::<Toy>()).unwrap();
    assert_eq!(dataset.refused(), []);
    assert_eq!(dataset.orphans(), [] as [std::path::PathBuf; 0]);
    let mut games = Vec::new();
    for shard in dataset.shards() {
        dataset
            .read(shard, |game, rows| {
                assert_eq!(rows.len(), game.plies() as usize);
                games.push(game);
                Ok(())
            })
            .unwrap();
    }
    games
}

const JOURNAL: &str = ".000003-0-000000.journal";

/// The journal of a writer that took three games, and its length after each.
fn journal() -> (Vec<u8>, Vec<u64>, Vec<GameRecord>) {
    let run = tempfile::tempdir().unwrap();
    let mut writer = writer::<Toy>(run.path(), "0");
    let path = run.path().join("games").join(JOURNAL);
    let (mut lengths, mut games) = (Vec::new(), Vec::new());
    for index in 0..3 {
        let (game, rows) = random_game::<Toy>(index, 8, 0.5);
        writer.push(&game, &rows).unwrap();
        lengths.push(fs::metadata(&path).unwrap().len());
        games.push(game);
    }
    (fs::read(&path).unwrap(), lengths, games)
}

#[test]
fn a_journal_cut_anywhere_gives_its_complete_games() {
    let (bytes, lengths, written) = journal();
    let near_ends = lengths
        .iter()
        .flat_map(|&length| length as usize - 1..=(length as usize + 13).min(bytes.len()));
    for cut in (0..=bytes.len()).step_by(97).chain(near_ends) {
        let run = tempfile::tempdir().unwrap();
        fs::create_dir_all(run.path().join("games")).unwrap();
        fs::create_dir_all(run.path().join("positions")).unwrap();
        fs::write(run.path().join("games").join(JOURNAL), &bytes[..cut]).unwrap();
        let cleaned = clean_leftovers(run.path()).unwrap();
        let complete = lengths
            .iter()
            .filter(|&&length| length as usize <= cut)
            .count();
        assert_eq!(
            cleaned.recovered.iter().map(|w| w.games).sum::<usize>(),
            complete,
            "cut at {cut}"
        );
        assert_eq!(games(run.path()), written[..complete]);
        assert!(!run.path().join("games").join(JOURNAL).exists());
        assert!(clean_leftovers(run.path()).unwrap().is_empty());
    }
}

#[test]
fn a_damaged_journal_ends_at_the_damage() {
    let (mut bytes, lengths, written) = journal();
    bytes[lengths[1] as usize + 40] ^= 1;
    let run = tempfile::tempdir().unwrap();
    fs::create_dir_all(run.path().join("games")).unwrap();
    fs::create_dir_all(run.path().join("positions")).unwrap();
    fs::write(run.path().join("games").join(JOURNAL), &bytes).unwrap();
    assert_eq!(clean_leftovers(run.path()).unwrap().cut_games, 1);
    assert_eq!(games(run.path()), written[..2]);
}

#[test]
fn leftovers_of_every_stage() {
    let run = tempfile::tempdir().unwrap();
    let good = write_games::<Toy>(run.path(), "good", 0..5, 20);
    write_games::<Toy>(run.path(), "half", 5..10, 20);
    let [games_folder, positions_folder] = ["games", "positions"].map(|f| run.path().join(f));
    // positions visible, games not
    fs::remove_file(games_folder.join("000003-half-000000.parquet")).unwrap();
    // unfinished files
    let unfinished = [
        games_folder.join(".000003-x-000004.parquet.tmp"),
        positions_folder.join(".000003-x-000004.parquet.tmp"),
    ];
    unfinished
        .iter()
        .for_each(|path| fs::write(path, "PAR1...").unwrap());
    // a pair that is complete but whose journal was not removed
    let done = games_folder.join(".000003-good-000000.journal");
    fs::write(&done, "whatever").unwrap();
    // files of others
    fs::write(games_folder.join("notes.txt"), "mine").unwrap();
    // a journal of a later program version
    let strange = games_folder.join(".000003-y-000000.journal");
    let (bytes, ..) = journal();
    fs::write(&strange, rewrite_header(&bytes)).unwrap();

    let cleaned = clean_leftovers(run.path()).unwrap();
    assert_eq!(cleaned.unfinished, unfinished);
    assert_eq!(
        cleaned.orphans,
        [positions_folder.join("000003-half-000000.parquet")]
    );
    assert_eq!(cleaned.refused.len(), 1);
    assert!(
        cleaned.refused[0].reason.contains("journal version 9"),
        "{:?}",
        cleaned.refused
    );
    assert_eq!(
        (cleaned.recovered.len(), cleaned.cut_games, cleaned.live),
        (0, 0, 0)
    );
    assert!(!done.exists() && strange.exists() && games_folder.join("notes.txt").exists());
    assert_eq!(
        games(run.path()),
        good.into_iter().map(|(game, _)| game).collect::<Vec<_>>()
    );
    assert_eq!(
        clean_leftovers(run.path()).unwrap(),
        Cleaned {
            refused: cleaned.refused,
            ..Cleaned::default()
        }
    );
}

/// The journal with version 9 in its header.
fn rewrite_header(journal: &[u8]) -> Vec<u8> {
    use sha2::{Digest, Sha256};
    let length = u32::from_le_bytes(journal[..4].try_into().unwrap()) as usize;
    let header = String::from_utf8(journal[12..12 + length].to_vec()).unwrap();
    let header = header.replace("\"version\":1", "\"version\":9");
    let mut bytes = (header.len() as u32).to_le_bytes().to_vec();
    bytes.extend_from_slice(&Sha256::digest(header.as_bytes())[..8]);
    bytes.extend_from_slice(header.as_bytes());
    bytes
}

#[test]
fn a_writer_at_work_is_left_alone() {
    let run = tempfile::tempdir().unwrap();
    let mut writer = writer::<Toy>(run.path(), "0");
    let (game, rows) = random_game::<Toy>(1, 20, 0.5);
    writer.push(&game, &rows).unwrap();
    // as if it were in the middle of publishing
    let unfinished = run.path().join("positions/.000003-0-000000.parquet.tmp");
    let positions = run.path().join("positions/000003-0-000000.parquet");
    fs::write(&unfinished, "PAR1").unwrap();
    fs::write(&positions, "PAR1").unwrap();
    assert_eq!(
        clean_leftovers(run.path()).unwrap(),
        Cleaned {
            live: 1,
            ..Cleaned::default()
        }
    );
    assert!(unfinished.exists() && positions.exists());
    let dataset = Dataset::open(run.path(), &Shape::of::<Toy>()).unwrap();
    assert_eq!(dataset.orphans(), [] as [std::path::PathBuf; 0]);
    // a second writer of the same name takes another number
    let mut second = samples::writer::<Toy>(run.path(), "0");
    let (other, rows) = random_game::<Toy>(2, 20, 0.5);
    second.push(&other, &rows).unwrap();
    assert_eq!(second.finish().unwrap().unwrap().stem, "000003-0-000001");
    writer.finish().unwrap();
    assert_eq!(games(run.path()), [game, other]);
    assert_eq!(
        names(&run.path().join("games")),
        ["000003-0-000000.parquet", "000003-0-000001.parquet"]
    );
}

#[test]
fn a_folder_that_cannot_be_written() {
    let run = tempfile::tempdir().unwrap();
    let mut writer = writer::<Toy>(run.path(), "0");
    let (game, rows) = random_game::<Toy>(1, 20, 0.5);
    writer.push(&game, &rows).unwrap();
    // No place for the positions file (works for root too, whom permissions do not stop).
    fs::remove_dir(run.path().join("positions")).unwrap();
    fs::write(run.path().join("positions"), "in the way").unwrap();
    let error = writer.flush().unwrap_err().to_string();
    assert!(error.contains("positions"), "{error}");
    assert_eq!(writer.pending_games(), 1);
    assert_eq!(names(&run.path().join("games")), [JOURNAL]);
    // Once the way is free it goes on.
    fs::remove_file(run.path().join("positions")).unwrap();
    fs::create_dir(run.path().join("positions")).unwrap();
    let (second, rows) = random_game::<Toy>(2, 20, 0.5);
    writer.push(&second, &rows).unwrap();
    writer.finish().unwrap();
    assert_eq!(games(run.path()), [game, second]);
}

const CHILD: &str = "RECORDS_TEST_WRITE_INTO";

/// Not a test by itself: the process that [`kill_at_random_moments`] kills.
#[test]
fn child_that_writes() {
    let Ok(run) = std::env::var(CHILD) else {
        return;
    };
    let run = Path::new(&run);
    clean_leftovers(run).unwrap();
    let first = Dataset::open(run, &Shape::of::<Toy>())
        .unwrap()
        .game_indices(3)
        .last()
        .map_or(0, |last| last + 1);
    let limits = ShardLimits {
        max_positions: 300,
        max_games: 1_000,
    };
    let mut writer = ShardWriter::<Toy>::new(run, "0", provenance::<Toy>(3), limits).unwrap();
    for index in first.. {
        let (game, rows) = random_game::<Toy>(index, 40, 0.5);
        writer.push(&game, &rows).unwrap();
        fs::write(run.join("pushed"), index.to_string()).unwrap();
    }
}

#[test]
fn kill_at_random_moments() {
    let run = tempfile::tempdir().unwrap();
    for round in 0..8u64 {
        let before = fs::read_to_string(run.path().join("pushed")).unwrap_or_default();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child_that_writes"])
            .env(CHILD, run.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // Let it get somewhere, then some more.
        while fs::read_to_string(run.path().join("pushed")).unwrap_or_default() == before {
            assert!(child.try_wait().unwrap().is_none(), "the child ended");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        std::thread::sleep(std::time::Duration::from_millis(round * 13 % 40));
        child.kill().unwrap();
        child.wait().unwrap();
        let pushed: u32 = fs::read_to_string(run.path().join("pushed"))
            .unwrap()
            .parse()
            .unwrap_or(0);
        clean_leftovers(run.path()).unwrap();
        let indices: Vec<u32> = games(run.path()).iter().map(|g| g.index).collect();
        assert!(
            indices.len() as u32 > pushed,
            "{} games, {pushed} pushed",
            indices.len()
        );
        assert!(
            indices
                .iter()
                .enumerate()
                .all(|(i, &index)| i as u32 == index),
            "none lost, none twice"
        );
        assert!(
            names(&run.path().join("games"))
                .iter()
                .all(|name| name.ends_with(".parquet"))
        );
    }
}

const FULL: &str = "RECORDS_TEST_FILL";

/// Not a test by itself: the process that [`a_full_disk_loses_nothing`] limits.
#[test]
fn child_that_fills_the_disk() {
    let Ok(run) = std::env::var(FULL) else { return };
    let run = Path::new(&run);
    let mut writer = writer::<Toy>(run, "0");
    let mut index = 0;
    let error = loop {
        let (game, rows) = random_game::<Toy>(index, 40, 0.5);
        match writer.push(&game, &rows) {
            Ok(_) => index += 1,
            Err(error) => break error.to_string(),
        }
    };
    assert_eq!(writer.pending_games(), index as usize);
    let again = writer.finish().unwrap_err().to_string();
    fs::write(run.join("told"), format!("{index}\n{error}\n{again}")).unwrap();
}

/// A limit of the file size stands for a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing() {
    let run = tempfile::tempdir().unwrap();
    let status = Command::new("sh")
        .arg("-c")
        .arg("trap '' XFSZ; ulimit -f 20; exec \"$0\" --exact child_that_fills_the_disk")
        .arg(std::env::current_exe().unwrap())
        .env(FULL, run.path())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    let told = fs::read_to_string(run.path().join("told")).unwrap();
    let [taken, error, again] = told.lines().collect::<Vec<_>>()[..] else {
        panic!("{told}")
    };
    let taken: usize = taken.parse().unwrap();
    assert!(taken > 0);
    assert!(
        error.contains(JOURNAL) && error.contains("File too large"),
        "{error}"
    );
    assert!(again.contains("File too large"), "{again}");
    // Nothing half-made is visible, and with room every game is there.
    assert_eq!(names(&run.path().join("games")), [JOURNAL]);
    assert_eq!(names(&run.path().join("positions")), [] as [&str; 0]);
    assert_eq!(
        clean_leftovers(run.path()).unwrap().recovered[0].games,
        taken
    );
    assert_eq!(games(run.path()).len(), taken);
}

#[test]
fn games_in_flight_of_a_killed_process_are_counted() {
    let run = tempfile::tempdir().unwrap();
    write_games::<Toy>(run.path(), "0", 0..3, 20);
    let list = |name: &str| run.path().join("games").join(name);
    // Four games had begun, two of them are there; and the kill cut a line.
    fs::write(list(".0.4294967295.playing"), "3 1\n3 2\n3 5\n3 9\n3 1").unwrap();
    // The games of another generation, all of them lost.
    fs::write(list(".1.4294967295.playing"), "4 0\n4 1\n4 2\n").unwrap();
    let cleaned = clean_leftovers(run.path()).unwrap();
    assert_eq!(cleaned.lost_games, 2 + 3);
    assert_eq!(
        cleaned.lines(),
        ["an earlier process ended early: 5 games in flight were lost"]
    );
    assert_eq!(
        names(&run.path().join("games")),
        ["000003-0-000000.parquet"]
    );
    assert!(clean_leftovers(run.path()).unwrap().is_empty());

    // A process at work has its list locked, and removes it at the end.
    let mut writer = writer::<Toy>(run.path(), "0");
    writer.begin_game(7).unwrap();
    assert!(clean_leftovers(run.path()).unwrap().is_empty());
    assert_eq!(leftovers(run.path()).unwrap().len(), 1);
    writer.finish().unwrap();
    assert_eq!(
        leftovers(run.path()).unwrap(),
        [] as [std::path::PathBuf; 0]
    );
}

#[test]
fn temporary_names_of_processes_that_are_gone() {
    let run = tempfile::tempdir().unwrap();
    let path = |name: &str| run.path().join(name);
    for folder in ["config", "networks/.000001.4294967295.tmp", "export"] {
        fs::create_dir_all(path(folder)).unwrap();
    }
    let gone = [
        "config/.loop-ab.toml.4294967295.tmp",
        "export/000001.onnx.4294967295.part",
        "networks/.000001.4294967295.tmp",
    ];
    let own = format!("config/.loop-cd.toml.{}.tmp", std::process::id());
    let young = "config/.loop-ef.toml.4294967295.tmp";
    let others = ["config/mine.tmp", "config/.hidden", "export/notes.part"];
    for name in gone[..2]
        .iter()
        .chain(&others)
        .chain([&young, &own.as_str()])
    {
        fs::write(path(name), "x").unwrap();
    }
    let hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    for name in gone.iter().chain(&others).chain([&own.as_str()]) {
        let file = fs::File::open(path(name)).unwrap();
        file.set_modified(hour_ago).unwrap();
    }
    assert_eq!(leftovers(run.path()).unwrap().len(), 5);
    let cleaned = clean_leftovers(run.path()).unwrap();
    let mut expected: Vec<_> = gone.iter().map(|name| path(name)).collect();
    expected.sort();
    assert_eq!(cleaned.unfinished, expected);
    assert_eq!(cleaned.lines(), ["unfinished files removed: 3"]);
    assert!(
        others
            .iter()
            .chain([&young, &own.as_str()])
            .all(|name| path(name).exists())
    );
}
