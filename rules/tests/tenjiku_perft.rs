//! Perft counts of `data/tenjiku-perft.tsv`, which another program computed.
//!
//! A release build runs every row, perft 4 of the initial position included, in a second. In a debug build rows
//! above a node limit are for `TENJIKU_SLOW=1`.

use rules::tenjiku::{RuleSet, Tenjiku};
use rules::{Position, Rules, perft, perft_divide};

/// Rows with more leaves than this are for the slow group.
const NODE_LIMIT: u64 = if cfg!(debug_assertions) {
    5_000
} else {
    u64::MAX
};

struct Row {
    line: usize,
    group: &'static str,
    sfen: &'static str,
    rules: &'static str,
    depth: usize,
    count: u64,
}

fn rows() -> Vec<Row> {
    let mut group = "";
    let mut rows = Vec::new();
    for (line, text) in include_str!("data/tenjiku-perft.tsv").lines().enumerate() {
        if let Some(comment) = text.strip_prefix('#') {
            group = comment.trim();
            continue;
        }
        let fields: Vec<&str> = text.split('\t').collect();
        let [sfen, rules, depth, count] = fields[..] else {
            panic!("line {}: {text}", line + 1)
        };
        let (depth, count) = (depth.parse().unwrap(), count.parse().unwrap());
        rows.push(Row {
            line: line + 1,
            group,
            sfen,
            rules,
            depth,
            count,
        });
    }
    rows
}

fn position(row: &Row) -> Tenjiku {
    Tenjiku::from_sfen(&RuleSet::parse(row.rules).unwrap(), row.sfen).unwrap()
}

#[test]
fn counts_agree() {
    let slow = std::env::var_os("TENJIKU_SLOW").is_some();
    let rows = rows();
    assert!(rows.len() >= 170, "the table has {} rows", rows.len());
    assert!(rows.iter().any(|row| row.count == 40_432_785), "perft 4");
    let mut wrong = Vec::new();
    for row in rows.iter().filter(|row| slow || row.count <= NODE_LIMIT) {
        let found = perft(&position(row), row.depth);
        if found != row.count {
            wrong.push(format!(
                "line {}, {} ({}), depth {}: {found} instead of {}",
                row.line, row.group, row.rules, row.depth, row.count
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn divided_counts_add_up() {
    for row in rows()
        .iter()
        .filter(|row| row.depth == 2 && row.count <= NODE_LIMIT.min(20_000))
    {
        let divided = perft_divide(&position(row), row.depth);
        assert_eq!(
            divided.len() as u64,
            perft(&position(row), 1),
            "line {}",
            row.line
        );
        assert_eq!(
            divided.iter().map(|(_, count)| count).sum::<u64>(),
            row.count,
            "line {}",
            row.line
        );
    }
}
