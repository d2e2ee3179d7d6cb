"""Writes the numbers that the evaluator's statistics are tested against, by an independent computation.

Needs numpy and scipy (tried with scipy 1.16). Run from the repository root:

    python3 tools/rating_reference.py

- evaluator/tests/data/ratings_reference.json: Bradley-Terry ratings. The likelihood is written down as it stands in
  docs/evaluation.md and maximised by scipy's BFGS; the Hessian is taken by finite differences; intervals follow from it.
- evaluator/tests/data/sprt_reference.tsv: log-likelihood ratios of the SPRT, maximised numerically: with normal pair
  scores (what the program computes in closed form) and with the exact multinomial likelihood (what it approximates).
"""

import json
import math

import numpy as np
from scipy.optimize import minimize
from scipy.stats import norm

K = math.log(10) / 400
SCORES = np.arange(5) / 4


def expected(difference):
    return 1 / (1 + 10 ** (-difference / 400))


def rate(case):
    """Elo with 95 % intervals, and the dispersion."""
    n, anchor, at = case["players"], case["anchor"], case["at"]
    games = [(a, b, np.array(p, float)) for a, b, p in case["encounters"]]

    def full(x):
        return np.concatenate([[0.0], x])

    def loss(x):
        r, total = full(x), 0.0
        for a, b, p in games:
            m, points = 2 * p.sum(), 2 * (p * SCORES).sum()
            # log s and log (1 - s), without cancellation
            d = K * (r[a] - r[b])
            total += points * np.logaddexp(0, -d) + (m - points) * np.logaddexp(0, d)
        return total

    best = minimize(loss, np.zeros(n - 1), method="BFGS", options={"gtol": 1e-9, "maxiter": 10000}).x
    best = minimize(loss, best, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13, "maxiter": 200000, "maxfev": 200000}).x
    h, k = 0.5, n - 1
    hessian = np.zeros((k, k))
    for i in range(k):
        for j in range(k):
            def at_step(si, sj):
                y = best.copy()
                y[i] += si * h
                y[j] += sj * h
                return loss(y)
            hessian[i, j] = (at_step(1, 1) - at_step(1, -1) - at_step(-1, 1) + at_step(-1, -1)) / (4 * h * h)
    r = full(best)
    seen = variance = pairs = 0.0
    for a, b, p in games:
        e = expected(r[a] - r[b])
        seen += (p * (2 * SCORES - 2 * e) ** 2).sum()
        variance += p.sum() * 2 * e * (1 - e)
        pairs += p.sum()
    freedom = pairs - (n - 1)
    dispersion = seen / variance * pairs / freedom if freedom >= 10 and seen > 0 else 1.0
    covariance = np.zeros((n, n))
    covariance[1:, 1:] = dispersion * np.linalg.inv(hessian)
    # The anchored ratings are a linear map of these.
    shift = np.eye(n)
    if anchor is None:
        shift -= np.full((n, n), 1 / n)
        level = at
    else:
        shift[:, anchor] -= 1
        level = at
    elo = shift @ r + level
    error = np.sqrt(np.maximum(np.diag(shift @ covariance @ shift.T), 0))
    z = norm.ppf(0.975)
    return dispersion, [[e, e - z * s, e + z * s] for e, s in zip(elo, error)]


def llr_normal(pairs, elo0, elo1):
    p = np.array(pairs, float)

    def best(elo):
        s = elo / (800 / math.log(10)) * math.sqrt(2)

        def loss(log_sigma):
            sigma = math.exp(log_sigma[0])
            return -(p * norm.logpdf(SCORES, 0.5 + s * sigma, sigma)).sum()

        return -min((minimize(loss, [x], method="Nelder-Mead", options={"xatol": 1e-12, "fatol": 1e-12}) for x in (-2.0, -1.0)),
                    key=lambda m: m.fun).fun

    return best(elo1) - best(elo0)


def llr_multinomial(pairs, elo0, elo1):
    p = np.array(pairs, float)

    def best(elo):
        t = elo / (800 / math.log(10))

        def mean_and_sigma(q):
            mean = (q * SCORES).sum()
            return mean, math.sqrt(max((q * (SCORES - mean) ** 2).sum(), 1e-15))

        def constraint(q):
            mean, sigma = mean_and_sigma(q)
            return mean - 0.5 - t * math.sqrt(2) * sigma

        result = minimize(lambda q: -(p * np.log(q)).sum() / p.sum(), p / p.sum(), method="SLSQP", bounds=[(1e-9, 1)] * 5,
                          constraints=[{"type": "eq", "fun": lambda q: q.sum() - 1}, {"type": "eq", "fun": constraint}],
                          options={"ftol": 1e-15, "maxiter": 5000})
        return -result.fun * p.sum()

    return best(elo1) - best(elo0)


RATING_CASES = [
    {"players": 2, "anchor": 1, "at": 0.0, "encounters": [[0, 1, [3, 9, 40, 21, 7]]]},
    {"players": 3, "anchor": 0, "at": 1500.0,
     "encounters": [[0, 1, [2, 5, 20, 9, 4]], [0, 2, [0, 2, 9, 14, 15]], [1, 2, [1, 4, 15, 12, 8]]]},
    {"players": 5, "anchor": None, "at": 0.0,
     "encounters": [[0, 1, [10, 6, 3, 1, 0]], [1, 2, [7, 5, 4, 3, 1]], [2, 3, [5, 5, 5, 3, 2]], [3, 4, [4, 2, 8, 3, 3]],
                    [0, 4, [14, 3, 2, 1, 0]]]},
    {"players": 4, "anchor": 2, "at": -250.0,
     "encounters": [[0, 1, [0, 0, 1, 2, 17]], [1, 2, [0, 1, 1, 3, 15]], [2, 3, [6, 0, 8, 0, 6]], [0, 3, [0, 0, 0, 1, 9]]]},
    {"players": 3, "anchor": None, "at": 100.0,
     "encounters": [[0, 1, [0, 0, 1, 1, 1]], [1, 2, [1, 0, 1, 0, 1]]]},
    {"players": 6, "anchor": 5, "at": 0.0,
     "encounters": [[a, b, [1 + (a * 3 + b) % 4, (a + 2 * b) % 5, 6 + (a * b) % 3, (2 * a + b) % 6, 1 + (b - a)]]
                    for a in range(6) for b in range(a + 1, 6)]},
]

SPRT_CASES = [
    ([3, 9, 40, 21, 7], 0, 20),
    ([30, 90, 400, 110, 35], 0, 20),
    ([100, 300, 1200, 330, 110], 0, 10),
    ([20, 0, 60, 0, 25], -10, 10),
    ([5, 40, 300, 60, 9], 0, 30),
    ([12, 30, 55, 33, 20], -20, 0),
    ([2, 5, 20, 9, 4], 5, 25),
]

if __name__ == "__main__":
    for case in RATING_CASES:
        case["dispersion"], case["elo"] = rate(case)
    with open("evaluator/tests/data/ratings_reference.json", "w") as out:
        out.write("[\n" + ",\n".join(json.dumps(case) for case in RATING_CASES) + "\n]\n")
    with open("evaluator/tests/data/sprt_reference.tsv", "w") as out:
        out.write("# pairs by points 0, 1/2, 1, 3/2, 2; elo0; elo1; LLR of normal pair scores; LLR of the multinomial\n")
        for pairs, elo0, elo1 in SPRT_CASES:
            row = [*pairs, elo0, elo1, f"{llr_normal(pairs, elo0, elo1):.8f}", f"{llr_multinomial(pairs, elo0, elo1):.8f}"]
            out.write("\t".join(map(str, row)) + "\n")
