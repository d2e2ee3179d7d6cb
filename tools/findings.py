#!/usr/bin/env python3
"""What a run of tenjiku shows beside its strength: games, calibration, resignation, first move, piece use, piece values.

    notebooks/run.sh                       # once, for the Python environment
    notebooks/.venv/bin/python tools/findings.py runs/mine --out docs/experiments/mine

reads games/, positions/ and, if it is there, ratings.json of the run, and writes OUT.json (all numbers) and OUT-*.svg (plots of them).
"""

import argparse
import json
import sys
from math import sqrt
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "notebooks"))
from pieces import CLASSIC, STATES, TENJIKU, counts  # noqa: E402

# Fixed ids and no date: the same data give the same files.
plt.rcParams["svg.hashsalt"] = "tenjiku"
UNIT = 65535


def wilson(score, n, z=1.96):
    """95 % interval of a mean score of n games (Wilson 1927)."""
    middle = (score + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(score * (1 - score) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return [middle - half, middle + half]


def share(part, n):
    return round(part / n, 4) if n else None


def read(run, kind, columns):
    files = sorted((run / kind).glob("*.parquet"))
    if not files:
        sys.exit(f"findings.py: error: {run / kind} has no Parquet files; name the folder of a run")
    return pl.concat([pl.read_parquet(f, columns=columns) for f in files])


def black_score(games):
    """Black's score in these games, and its 95 % interval."""
    n = len(games)
    score = ((games["winner"] == "b").sum() + 0.5 * (games["winner"] == "draw").sum()) / n
    return round(score, 4), [round(v, 4) for v in wilson(score, n)]


def generations(games):
    rows = []
    for (generation,), part in games.sort("generation").group_by("generation", maintain_order=True):
        n = len(part)
        black, interval = black_score(part)
        rows.append(
            {
                "generation": generation,
                "games": n,
                "positions": int(part["plies"].sum()),
                "plies": {q: int(part["plies"].quantile(q / 100)) for q in (10, 50, 90)},
                "capped": share((part["reason"] == "ply_cap").sum(), n),
                "repeated": share(part["reason"].is_in(["repetition", "perpetual_check"]).sum(), n),
                "black": black,
                "black_95": interval,
            }
        )
    return rows


def first_move(games):
    """Black's score over the last half of the generations."""
    late = games.filter(pl.col("generation") > games["generation"].max() // 2)
    score, interval = black_score(late)
    return {"games": len(late), "score": score, "95": interval}


def calibration(late):
    """Mean squared error of the expected score by ply, beside that of always saying 1/2, and the table of ten bins."""
    digits = pl.col(pl.Float64).round(6)  # the last ones depend on the order in which threads add up
    by_ply = (
        late.with_columns(phase=pl.col("ply") // 20 * 20)
        .group_by("phase")
        .agg(
            n=pl.len(),
            net=((pl.col("net") - pl.col("result")) ** 2).mean(),
            root=((pl.col("root") - pl.col("result")) ** 2).mean(),
            half=((pl.lit(0.5) - pl.col("result")) ** 2).mean(),
        )
        .filter(pl.col("n") >= 200)
        .sort("phase")
    )
    bins = {}
    for column in ("net", "root"):
        table = (
            late.with_columns(bin=(pl.col(column) * 10).floor().clip(0, 9).cast(pl.Int32))
            .group_by("bin")
            .agg(n=pl.len(), expected=pl.col(column).mean(), reached=pl.col("result").mean())
            .sort("bin")
        )
        bins[column] = table.with_columns(digits).to_dicts()
    return {"by_ply": by_ply.with_columns(digits).to_dicts(), "bins": bins}


def resignation(late, games, searches=3, min_plies=40):
    """What resigning below a threshold would have done to these games, all of which were played to their end."""
    plies = dict(zip(games["id"], games["plies"]))
    result = []
    sides = late.filter(pl.col("ply") >= min_plies).sort("game_id", "ply").group_by("game_id", "turn", maintain_order=True).agg("ply", "root", "result")
    for threshold in (0.02, 0.05, 0.1, 0.15):
        first = {}
        for game, ply, root, outcome in zip(sides["game_id"], sides["ply"], sides["root"], sides["result"]):
            run_length = 0
            for p, r, o in zip(ply, root, outcome):
                run_length = run_length + 1 if r < threshold else 0
                if run_length >= searches:
                    if game not in first or p < first[game][0]:
                        first[game] = (p, o)
                    break
        wrong = sum(1 for _, outcome in first.values() if outcome > 0)
        n = len(first)
        saved = sum(plies[g] - p for g, (p, _) in first.items()) / sum(plies[g] for g in late["game_id"].unique())
        result.append(
            {
                "threshold": threshold,
                "games_that_would_resign": n,
                "wrong": wrong,
                "false_positives": share(wrong, n),
                "false_positives_95": [round(v, 4) for v in wilson(wrong / n, n)] if n else None,
                "plies_saved": round(saved, 4),
            }
        )
    return result


def piece_use(late):
    """Moves of a piece in 100 plies for which it stands on the mover's board."""
    boards = np.frombuffer(b"".join(late["board"]), np.uint8).reshape(-1, 256)
    moved = np.zeros(STATES, int)
    standing = np.zeros(STATES, int)
    played = late["played"].to_numpy()
    black = (late["turn"] == "b").to_numpy()
    code = boards[np.arange(len(boards)), played & 255].astype(int)
    np.add.at(moved, np.where(black, code - 1, code - 1 - STATES), 1)
    for side, offset in ((True, 0), (False, STATES)):
        found = np.bincount(boards[black == side].ravel(), minlength=1 + 2 * STATES)
        standing += found[1 + offset : 1 + offset + STATES]
    return sorted(
        (
            {"piece": TENJIKU[i], "moves": int(moved[i]), "per_100": round(100 * moved[i] / standing[i], 3)}
            for i in range(STATES)
            if standing[i] > 0.005 * len(late)
        ),
        key=lambda row: -row["per_100"],
    )


def fit(x, y, ridge=30.0, steps=25):
    """Logistic regression without a constant, by Newton's method, with a ridge penalty."""
    w = np.zeros(x.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        hessian = (x * (p * (1 - p))[:, None]).T @ x + ridge * np.eye(x.shape[1])
        w -= np.linalg.solve(hessian, x.T @ (p - y) + ridge * w)
    return w


def piece_values(late, rng, draws=40):
    """Values by regression of the result on the difference in pieces; the factor makes their sum that of the classic table.
    The intervals come from drawing whole games again, because positions of one game are not independent."""
    part = late.filter(pl.col("ply") >= 20, pl.col("result") != 0.5)
    part = part.sample(min(len(part), 60000), seed=1)
    x = np.array([counts(board, turn) for board, turn in zip(part["board"], part["turn"])], float)
    y = (part["result"] == 1).to_numpy().astype(float)
    ids = part["game_id"].to_numpy()
    shown = [i for i in range(len(TENJIKU)) if CLASSIC.get(TENJIKU[i]) and (x[:, i] != 0).mean() >= 0.05]
    x = x[:, shown]
    classic = np.array([CLASSIC[TENJIKU[i]] for i in shown], float)
    w = fit(x, y)
    factor = classic.sum() / w.sum()
    order = np.argsort(ids, kind="stable")
    _, starts = np.unique(ids[order], return_index=True)
    groups = np.split(order, starts[1:])
    samples = []
    for _ in range(draws):
        take = np.concatenate([groups[i] for i in rng.integers(len(groups), size=len(groups))])
        samples.append(fit(x[take], y[take]) * factor)
    low, high = np.percentile(samples, [2.5, 97.5], axis=0)
    return [
        {"piece": TENJIKU[i], "classic": c, "value": round(v * factor, 2), "95": [round(a, 2), round(b, 2)]}
        for i, c, v, a, b in zip(shown, classic, w, low, high)
    ]


def plots(found, out):
    def save(fig, name):
        fig.savefig(f"{out}-{name}.svg", metadata={"Date": None})
        plt.close(fig)

    rows = found["generations"]
    g = [row["generation"] for row in rows]
    fig, axes = plt.subplots(1, 3, figsize=(12, 3.4), layout="constrained")
    for q in (10, 50, 90):
        axes[0].plot(g, [row["plies"][q] for row in rows], label=f"{q} % of the games are shorter")
    axes[0].set(xlabel="generation", ylabel="plies", title="Length of the games", ylim=0)
    axes[0].legend(fontsize=8)
    axes[1].plot(g, [100 * row["capped"] for row in rows], label="cut at the ply limit")
    axes[1].plot(g, [100 * row["repeated"] for row in rows], label="repetition")
    axes[1].set(xlabel="generation", ylabel="% of the games", title="Games without a winner", ylim=0)
    axes[1].legend(fontsize=8)
    axes[2].axhline(50, color="0.7")
    axes[2].fill_between(g, [100 * row["black_95"][0] for row in rows], [100 * row["black_95"][1] for row in rows], alpha=0.3)
    axes[2].plot(g, [100 * row["black"] for row in rows])
    axes[2].set(xlabel="generation", ylabel="Black's score, %", title="First move, 95 % intervals", ylim=(0, 100))
    save(fig, "games")

    fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    table = found["calibration"]["by_ply"]
    for column, label in (("half", "always ½"), ("net", "network alone"), ("root", "after the search")):
        axes[0].plot([row["phase"] for row in table], [row[column] for row in table], label=label)
    axes[0].set(xlabel="ply", ylabel="mean squared error of the score", title="Error by ply", ylim=0)
    axes[0].legend(fontsize=8)
    axes[1].plot([0, 1], [0, 1], color="0.7")
    for column, label in (("net", "network alone"), ("root", "after the search")):
        bins = found["calibration"]["bins"][column]
        axes[1].plot([b["expected"] for b in bins], [b["reached"] for b in bins], "o-", label=label)
    axes[1].set(xlabel="expected score", ylabel="score reached", title="Calibration")
    axes[1].legend(fontsize=8)
    save(fig, "calibration")

    fig, axes = plt.subplots(1, 2, figsize=(10, 7), layout="constrained")
    values = sorted(found["piece_values"], key=lambda row: row["classic"])
    y = np.arange(len(values))
    axes[0].hlines(y, [row["95"][0] for row in values], [row["95"][1] for row in values], alpha=0.5)
    axes[0].plot([row["value"] for row in values], y, "o", label="by the results of these games")
    axes[0].plot([row["classic"] for row in values], y, "k|", markersize=10, label="classic table")
    axes[0].set_yticks(y, [row["piece"] for row in values])
    axes[0].axvline(0, color="0.8")
    axes[0].set(xlabel="value", title="Piece values, 95 % intervals")
    axes[0].legend(fontsize=8)
    use = [row for row in found["piece_use"] if not row["piece"].startswith("+")][::-1]
    axes[1].barh([row["piece"] for row in use], [row["per_100"] for row in use])
    axes[1].set(xlabel="moves in 100 plies on the board", title="How much a piece moves")
    save(fig, "pieces")

    if "ratings" in found:
        fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
        known = [p for p in found["ratings"] if p["elo"] is not None]
        line = [p for p in known if p["role"] == "generation"]
        for p in line:
            low = p["elo"] - p["low"] if p["low"] is not None else 0
            high = p["high"] - p["elo"] if p["high"] is not None else 0
            ax.errorbar(p["generation"], p["elo"], yerr=[[low], [high]], fmt="o", color="tab:blue", capsize=3)
        ax.plot([p["generation"] for p in line], [p["elo"] for p in line], color="tab:blue")
        for p in known:
            if p["role"] != "generation":
                ax.axhline(p["elo"], color="0.6", linestyle=":")
                ax.annotate(p["name"], (0, p["elo"]), color="0.3", va="bottom", fontsize=8)
        ax.set(xlabel="generation", ylabel="Elo (random = 0)", title="Strength, 95 % intervals")
        save(fig, "ratings")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="folder of a run")
    parser.add_argument("--out", required=True, help="beginning of the names of the files to write")
    parser.add_argument("--last", type=int, default=5, help="generations that calibration, resignation and pieces are about: the last so many")
    arguments = parser.parse_args()
    run = arguments.run
    games = read(run, "games", ["id", "generation", "winner", "reason", "plies"])
    first = games["generation"].max() - arguments.last + 1
    score = {"win": 1.0, "draw": 0.5, "loss": 0.0}
    columns = ["game_id", "ply", "board", "turn", "played", "result_stm", "root_win_stm", "root_draw_stm", "net_win_stm", "net_draw_stm", "reason"]
    files = [f for f in sorted((run / "positions").glob("*.parquet")) if int(f.name.split("-")[0]) >= first]
    late = (
        pl.concat([pl.read_parquet(f, columns=columns) for f in files])
        .filter(pl.col("net_win_stm").is_not_null(), pl.col("root_win_stm").is_not_null(), pl.col("reason") != "ply_cap")
        .with_columns(
            result=pl.col("result_stm").replace_strict(score, return_dtype=pl.Float64),
            net=(pl.col("net_win_stm") + 0.5 * pl.col("net_draw_stm")) / UNIT,
            root=(pl.col("root_win_stm") + 0.5 * pl.col("root_draw_stm")) / UNIT,
        )
    )
    found = {
        "generations": generations(games),
        "first_move": first_move(games),
        "last_generations": arguments.last,
        "calibration": calibration(late),
        "resignation": resignation(late, games),
        "piece_use": piece_use(late),
        "piece_values": piece_values(late, np.random.default_rng(1)),
    }
    ratings = run / "ratings.json"
    if ratings.exists():
        keep = ("name", "role", "generation", "elo", "low", "high", "games", "score")
        found["ratings"] = [{k: p[k] for k in keep} for p in json.loads(ratings.read_text())["players"]]
    Path(arguments.out).parent.mkdir(parents=True, exist_ok=True)
    Path(f"{arguments.out}.json").write_text(json.dumps(found, indent=1) + "\n")
    plots(found, arguments.out)
    print(f"{arguments.out}.json and its plots: {len(games)} games, {len(late)} positions of the last {arguments.last} generations")


if __name__ == "__main__":
    main()
