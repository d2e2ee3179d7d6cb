//! Damaged files, a full disk and a folder that cannot be written, from outside.

mod run;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use run::{command, games, hidden, said, succeed};

fn inspect(path: &Path) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tenjiku"))
        .arg("inspect")
        .arg(path)
        .arg("--json")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), text, said(&output))
}

fn edit(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

fn find(bytes: &[u8], what: &[u8]) -> usize {
    let mut windows = bytes.windows(what.len());
    windows.position(|w| w == what).expect("is in the file")
}

/// Damages five of the files of worker 0; each with the reason that must be given.
fn damage(run: &Path) -> Vec<(PathBuf, &'static str)> {
    let path = |folder: &str, n: u32| run.join(folder).join(format!("000000-0-{n:06}.parquet"));
    let bad = vec![
        (path("games", 0), "is empty"),
        (path("positions", 1), "truncated"),
        (
            path("games", 2),
            "schema version 9, this program reads version 1",
        ),
        (path("positions", 3), "does not match its checksum"),
        (path("games", 4), "a foreign Parquet file"),
    ];
    edit(&bad[0].0, Vec::clear);
    edit(&bad[1].0, |bytes| bytes.truncate(bytes.len() / 2));
    edit(&bad[2].0, |bytes| {
        let key = b"tenjiku.schema_version";
        let value = find(bytes, key) + key.len() + 2; // field header and length, then the value
        bytes[value] = b'9';
    });
    edit(&bad[3].0, |bytes| bytes[1_000] ^= 4);
    edit(&bad[4].0, |bytes| {
        while let Some(at) = bytes.windows(8).position(|w| w == b"tenjiku.") {
            bytes[at..at + 8].copy_from_slice(b"foreign.");
        }
    });
    bad
}

#[test]
fn bad_files_are_named_counted_and_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    // Six pairs of files from each of the two workers, two games in each.
    for round in 1..=6 {
        succeed(&mut command("selfplay", &run, 4 * round));
    }
    assert_eq!(games(&run).len(), 24);
    let bad = damage(&run);

    // Fourteen games are left; inspect reads all the rows.
    let (code, text, warnings) = inspect(&run);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(code, Some(0), "{warnings}");
    assert_eq!(
        (report["games"].as_u64(), report["files"].as_u64()),
        (Some(14), Some(7))
    );
    assert_eq!(report["refused"].as_array().unwrap().len(), 5, "{report}");
    assert!(warnings.contains("5 files are not read"), "{warnings}");
    for (file, reason) in &bad {
        let file = file.display().to_string();
        let listed = report["refused"].as_array().unwrap().iter().any(|refused| {
            refused["file"] == file.as_str() && refused["reason"].as_str().unwrap().contains(reason)
        });
        assert!(listed, "{file}: {reason}: {report}");
        let (code, _, error) = inspect(Path::new(&file));
        assert_eq!(code, Some(1), "{file}");
        assert!(error.contains(&file) && error.contains(reason), "{error}");
    }

    // Self-play plays the ten games again. Afterwards there is nothing to do, and the files are named once more.
    for first in [true, false] {
        let said = succeed(&mut command("selfplay", &run, 24));
        for (file, reason) in &bad {
            let named = format!("{} is not read: ", file.display());
            let line = said.lines().find(|line| line.contains(&named));
            assert!(line.is_some_and(|line| line.contains(reason)), "{said}");
        }
        assert!(said.contains("5 files of the run were skipped"), "{said}");
        assert_eq!(said.contains("10 games,"), first, "{said}");
    }

    // Training leaves them out too.
    let said = succeed(command("train", &run, 24).args(["--steps", "2"]));
    for (file, reason) in &bad {
        let named = format!("not read: {}: ", file.display());
        let line = said.lines().find(|line| line.contains(&named));
        assert!(line.is_some_and(|line| line.contains(reason)), "{said}");
    }
    assert!(said.contains("5 files of the run were skipped"), "{said}");
    let (_, text, _) = inspect(&run);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (
            report["games"].as_u64(),
            report["refused"].as_array().unwrap().len()
        ),
        (Some(24), 5)
    );
}

/// A limit of the size of files stands for a full disk: writing fails in the middle.
#[cfg(unix)]
#[test]
fn a_full_disk_is_said_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    succeed(&mut command("selfplay", &run, 4));
    // 128 blocks: 64 or 128 KiB, less than a thousand rows take in a journal.
    let full = "trap '' XFSZ; ulimit -f 128";
    let output = run::limited(full, "selfplay", &run, 1_000_000)
        .output()
        .unwrap();
    let said_1 = said(&output);
    assert_eq!(output.status.code(), Some(1), "{said_1}");
    let errors: Vec<_> = said_1
        .lines()
        .filter(|l| l.starts_with("error: "))
        .collect();
    assert!(
        errors.len() == 1
            && errors[0].contains("File too large")
            && errors[0].contains("make room")
            && errors[0].contains(&run.display().to_string()),
        "{said_1}"
    );
    assert_eq!(games(&run).len(), 4, "{said_1}");
    // With room again, the games that were finished come out of the journals.
    let said_2 = succeed(&mut command("selfplay", &run, 12));
    assert!(said_2.contains("that it had finished are kept"), "{said_2}");
    assert!(said_2.contains("in flight were lost"), "{said_2}");
    let mut played = games(&run);
    played.sort_unstable();
    let count = played.len();
    played.dedup();
    assert_eq!(played.len(), count, "a game counts twice");
    assert!(
        count > 12,
        "{count} games, more than the second call asked for"
    );
    assert_eq!(hidden(&run), [] as [PathBuf; 0]);

    // A new run: not even the network can be written whole.
    let fresh = folder.path().join("fresh");
    let output = run::limited("trap '' XFSZ; ulimit -f 4", "selfplay", &fresh, 4)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(
        said(&output).contains("File too large"),
        "{}",
        said(&output)
    );
    assert!(!fresh.join("networks/000000").exists());
    assert_eq!(hidden(&fresh), [] as [PathBuf; 0]);
}

/// As a user who may not write there: permissions do not stop the administrator.
#[cfg(unix)]
#[test]
fn a_read_only_folder_is_named() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    succeed(&mut command("selfplay", &run, 4));
    let all_may_read = |path: &Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    all_may_read(folder.path(), 0o755);
    let mut folders = vec![run.clone()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path());
        let (inner, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
        files.iter().for_each(|file| all_may_read(file, 0o444));
        folders.extend(inner);
        all_may_read(&folder, 0o555);
    }
    let administrator = fs::File::create(run.join("probe")).is_ok();
    let demote = |command: &mut Command| {
        if administrator {
            command.uid(65534).gid(65534);
        }
    };
    let mut probe = Command::new(env!("CARGO_BIN_EXE_tenjiku"));
    demote(&mut probe);
    let reachable = probe
        .arg("--version")
        .output()
        .is_ok_and(|o| o.status.success());
    if reachable {
        for (stage, place) in [
            ("selfplay", &run),
            ("train", &run),
            ("selfplay", &run.join("new")),
        ] {
            let mut command = command(stage, place, 8);
            demote(&mut command);
            let output = command.output().unwrap();
            let said = said(&output);
            assert_eq!(output.status.code(), Some(1), "{said}");
            let errors: Vec<_> = said.lines().filter(|l| l.starts_with("error: ")).collect();
            assert!(
                errors.len() == 1
                    && errors[0].contains(&place.display().to_string())
                    && errors[0].contains("Permission denied")
                    && errors[0].contains("make the folder writable"),
                "{said}"
            );
        }
        // Reading is all that inspect needs.
        let mut inspect = Command::new(env!("CARGO_BIN_EXE_tenjiku"));
        demote(inspect.arg("inspect").arg(&run));
        succeed(&mut inspect);
    } else {
        eprintln!(
            "not tried: another user cannot run {}",
            env!("CARGO_BIN_EXE_tenjiku")
        );
    }
    // Give the folders back to whoever removes them.
    let mut folders = vec![run.clone()];
    while let Some(folder) = folders.pop() {
        all_may_read(&folder, 0o755);
        let entries = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path());
        folders.extend(entries.filter(|path| path.is_dir()));
    }
    let _ = fs::remove_file(run.join("probe"));
    assert_eq!(games(&run).len(), 4);
    assert_eq!(hidden(&run), [] as [PathBuf; 0]);
}
