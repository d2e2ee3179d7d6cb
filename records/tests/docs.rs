//! `docs/records.md` describes the columns as the code does.

use records::{GAMES, POSITIONS, markdown};

#[test]
fn every_column_is_documented() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/records.md");
    let text = std::fs::read_to_string(path).unwrap();
    for (name, columns) in [("GAMES", &GAMES[..]), ("POSITIONS", &POSITIONS[..])] {
        let table = markdown(columns);
        assert!(
            text.contains(&table),
            "docs/records.md: the table of records::{name} should read\n{table}"
        );
    }
}
