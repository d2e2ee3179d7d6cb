//! Ratings by hand, by an independent computation, and at the edges.

use super::*;

fn encounter(first: usize, second: usize, pairs: Pentanomial) -> Encounter {
    Encounter {
        first,
        second,
        pairs,
    }
}

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() < tolerance, "{a} is not {b}");
}

#[test]
fn two_players_get_the_elo_of_their_score() {
    // 100 pairs with score 0.64: Elo 99.951. Pair scores are 0, ½, 1 as two independent coins fall: dispersion near 1.
    let pairs = [13, 0, 46, 0, 41];
    let ratings = fit(2, &[encounter(0, 1, pairs)], Anchor::Player(1, 1000.0));
    let elo = ratings.players[0].elo.unwrap();
    close(elo.value.unwrap(), 1000.0 + 99.951, 0.01);
    // By hand: variance 0.13·0.4096 + 0.46·0.0196 + 0.41·0.1296 = 0.1154; of two coins 0.64·0.36/2 = 0.1152; dispersion
    // 1.001736 · 100/99 = 1.011855. Information K²·200·0.2304; se = sqrt(1.011855/46.08)/K = 25.742.
    close(ratings.dispersion, 1.011_855, 1e-5);
    close(elo.high.unwrap() - elo.value.unwrap(), Z95 * 25.742, 0.01);
    assert_eq!(
        ratings.players[1].elo.unwrap().low,
        Some(1000.0),
        "an anchor is exact"
    );
    let turned = fit(2, &[encounter(0, 1, pairs)], Anchor::Mean(0.0));
    close(turned.players[0].elo.unwrap().value.unwrap(), 49.975, 0.01);
    close(turned.players[1].elo.unwrap().value.unwrap(), -49.975, 0.01);
    close(
        ratings.superiority(0, 1).unwrap(),
        normal_cdf(99.951 / 25.742),
        1e-6,
    );
    close(
        turned.superiority(1, 0).unwrap(),
        1.0 - ratings.superiority(0, 1).unwrap(),
        1e-12,
    );
}

#[test]
fn agrees_with_scipy() {
    // tools/rating_reference.py wrote these from its own likelihood, with scipy's optimiser and a numerical Hessian.
    let text = include_str!("../../../tests/data/ratings_reference.json");
    let cases: serde_json::Value = serde_json::from_str(text).unwrap();
    let mut checked = 0;
    for case in cases.as_array().unwrap() {
        let number = |v: &serde_json::Value| v.as_u64().unwrap() as usize;
        let encounters: Vec<Encounter> = case["encounters"]
            .as_array()
            .unwrap()
            .iter()
            .map(|e| {
                let pairs = std::array::from_fn(|k| e[2][k].as_u64().unwrap());
                encounter(number(&e[0]), number(&e[1]), pairs)
            })
            .collect();
        let anchor = match case["anchor"].as_u64() {
            Some(i) => Anchor::Player(i as usize, case["at"].as_f64().unwrap()),
            None => Anchor::Mean(case["at"].as_f64().unwrap()),
        };
        let ratings = fit(number(&case["players"]), &encounters, anchor);
        close(
            ratings.dispersion,
            case["dispersion"].as_f64().unwrap(),
            1e-4,
        );
        for (rating, want) in ratings.players.iter().zip(case["elo"].as_array().unwrap()) {
            let elo = rating.elo.unwrap();
            for (found, want) in [elo.value, elo.low, elo.high]
                .iter()
                .zip(want.as_array().unwrap())
            {
                close(found.unwrap(), want.as_f64().unwrap(), 0.1);
                checked += 1;
            }
        }
    }
    assert!(checked >= 40, "{checked} numbers");
}

#[test]
fn nothing_and_almost_nothing() {
    assert!(fit(0, &[], Anchor::Mean(0.0)).players.is_empty());
    let none = fit(2, &[encounter(0, 1, [0; 5])], Anchor::Mean(0.0));
    assert!(
        none.players
            .iter()
            .all(|p| p.elo.is_none() && p.score.is_none())
    );
    let one = fit(
        2,
        &[encounter(0, 1, [0, 0, 0, 1, 0])],
        Anchor::Player(1, 0.0),
    );
    let elo = one.players[0].elo.unwrap();
    close(elo.value.unwrap(), 190.85, 0.01); // 1½ of 2
    assert!(elo.low.unwrap().is_finite() && elo.high.unwrap().is_finite());
    assert_eq!(one.dispersion, 1.0);
    let drawn = fit(
        2,
        &[encounter(0, 1, [0, 0, 50, 0, 0])],
        Anchor::Player(1, 0.0),
    );
    let elo = drawn.players[0].elo.unwrap();
    close(elo.value.unwrap(), 0.0, 1e-9);
    assert!(elo.high.unwrap() > 10.0, "draws alone do not make certain");
    assert_eq!(drawn.superiority(0, 1), Some(0.5));
}

#[test]
fn clean_sweeps_are_bounded_on_one_side() {
    // 10:0 and 0:10, and a player nobody has met.
    let ratings = fit(
        4,
        &[
            encounter(0, 1, [0, 0, 0, 0, 5]),
            encounter(1, 2, [0, 0, 0, 0, 5]),
        ],
        Anchor::Player(1, 0.0),
    );
    let [best, anchor, worst, absent] = &ratings.players[..] else {
        panic!("four players")
    };
    let elo = best.elo.unwrap();
    assert!(best.one_sided && elo.high.is_none() && elo.low.unwrap() > 0.0);
    // One virtual draw: 10½ of 11, Elo 400 log10(21) = 528.9.
    close(elo.value.unwrap(), 528.888, 0.01);
    let low = worst.elo.unwrap();
    assert!(worst.one_sided && low.low.is_none());
    close(low.high.unwrap(), -elo.low.unwrap(), 1e-6);
    assert!(!anchor.one_sided && anchor.elo.unwrap().value == Some(0.0));
    assert!(absent.elo.is_none() && absent.games == 0);
    // Against the mean neither the best nor the worst is bounded on its side, and who is between them on none.
    let ratings = fit(
        3,
        &[
            encounter(0, 1, [0, 0, 0, 0, 5]),
            encounter(1, 2, [0, 0, 0, 0, 5]),
        ],
        Anchor::Mean(0.0),
    );
    let open = |i: usize| {
        let elo = ratings.players[i].elo.unwrap();
        (elo.low.is_none(), elo.high.is_none())
    };
    assert_eq!(
        [open(0), open(1), open(2)],
        [(false, true), (true, true), (true, false)]
    );
}

#[test]
fn a_circle_of_sweeps_is_finite() {
    // Each sweeps the next: the maximum exists, all equal.
    let sweep = [0, 0, 0, 0, 3];
    let circle = [
        encounter(0, 1, sweep),
        encounter(1, 2, sweep),
        encounter(2, 0, sweep),
    ];
    let ratings = fit(3, &circle, Anchor::Mean(500.0));
    for player in &ratings.players {
        assert!(!player.one_sided);
        close(player.elo.unwrap().value.unwrap(), 500.0, 1e-6);
    }
}
