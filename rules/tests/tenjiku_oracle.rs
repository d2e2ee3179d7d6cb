//! The slow reference by itself, against counts known from elsewhere (rules document, section 17).

mod oracle;

use oracle::Game;

const START: &str = "ln[fl]icsg[de]kgsci[fl]nl/[rc]1[cs][cs]1[bt][ph]q[ln][kr][bt]1[cs][cs]1[rc]/\
    [ss][vs]b[dh][dk][wb][fd][fe][lh][fd][wb][dk][dh]b[vs][ss]/[sm][vm]r[hf][se][bg][rg][vg][gg][rg][bg][se][hf]r[vm][sm]/\
    pppppppppppppppp/4d6d4/16/16/16/16/4D6D4/PPPPPPPPPPPPPPPP/\
    [SM][VM]R[HF][SE][BG][RG][GG][VG][RG][BG][SE][HF]R[VM][SM]/[SS][VS]B[DH][DK][WB][FD][LH][FE][FD][WB][DK][DH]B[VS][SS]/\
    [RC]1[CS][CS]1[BT][KR][LN]Q[PH][BT]1[CS][CS]1[RC]/LN[FL]ICSGK[DE]GSCI[FL]NL b - 1";

#[test]
fn initial_position() {
    for (rules, counts) in [
        ("historical", [74, 5550]),
        ("western", [74, 5546]),
        ("tsa", [70, 4955]),
    ] {
        let game = Game::new(rules, START).unwrap();
        assert_eq!(game.sfen(), START);
        for (depth, count) in (1..).zip(counts) {
            assert_eq!(game.perft(depth), count, "{rules} {depth}");
        }
    }
}

/// A table `sfen TAB rules TAB depth TAB nodes` named by the environment variable `TENJIKU_PERFT_FILE`, its
/// rows of up to `TENJIKU_PERFT_LIMIT` nodes (default 1,000,000). Passes without doing anything if unset.
#[test]
fn perft_file() {
    let Ok(path) = std::env::var("TENJIKU_PERFT_FILE") else {
        return;
    };
    let limit: u64 =
        std::env::var("TENJIKU_PERFT_LIMIT").map_or(1_000_000, |s| s.parse().expect("a number"));
    let (mut rows, mut wrong) = (0, Vec::new());
    for line in std::fs::read_to_string(path)
        .expect("readable")
        .lines()
        .filter(|l| !l.starts_with('#'))
    {
        let [sfen, rules, depth, nodes] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("bad row {line}")
        };
        let nodes: u64 = nodes.parse().expect("a count");
        if nodes <= limit {
            rows += 1;
            let got = Game::new(rules, sfen)
                .expect("a position")
                .perft(depth.parse().expect("a depth"));
            if got != nodes {
                wrong.push(format!("{got} not {nodes}: {rules} {depth} {sfen}"));
            }
        }
    }
    assert!(
        rows > 0 && wrong.is_empty(),
        "{} of {rows} rows wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    println!("{rows} rows agree");
}
