# test_bound.py - the theorems in numbers: every formula of docs/theory.md and every constant computed a second time.
# And what a bound is for: over 200 seeds no run is above it; where it does not hold the command says why.
import itertools
import json
import math
import subprocess

from reference_run import COMMAND, Checks, Fitted, write_svm, write_table

import numpy as np
import reference
import smoothness

RULES = {"gc": "spdhg", "sc1": "spdhg-sc1", "sc2": "spdhg-sc2", "sc1h": "spdhg-sc1h", "sc2h": "spdhg-sc2h"}
KINDS = ("printed", "printed_mean", "corrected", "corrected_mean")


def run(*words, status=0):
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == status, f"status {done.returncode}, not {status}, of {words}\n{done.stderr}"
    return done.stdout if status == 0 else done.stderr


def bound(*words):
    return json.loads(run("bound", *words, "--json"))


def options(c):  # as words
    return [w for name, value in c.items() for w in ("--" + name, repr(float(value)))]


def by_rule(answer):
    return {r["rule"]: r for r in answer["rules"]}


# ---- the formulas, term by term as in docs/theory.md


def weights_spread(rule, T):
    """sqrt(sum w_k^2)/sum w_k of the averages, written out but for very long runs."""
    if rule in ("gc", "sc1"):
        return T**-0.5
    k = np.arange(1.0, min(T, 10**6) + 1)
    return np.sqrt((k**2).sum()) / k.sum() * (len(k) / T) ** 0.5


def noise_sums(c, T):
    """Upper bounds of sum 1/(mu k + theta) and of (1/T) sum mu k/(mu k + theta), k = 1..T, as integrals; theta = L_sc - L."""
    theta = max(c["lsc"] - c["L"], 0)
    return (lambda mu: 1 / (mu + theta) + math.log((mu * T + theta) / (mu + theta)) / mu,
            lambda mu: 1 - theta / (mu * T) * math.log((mu * (T + 1) + theta) / (mu + theta)))


def check_noise_sums(checks):
    for T, mu, L_sc in itertools.product((1, 2, 30, 1000), (0.01, 0.7), (1, 1.5, 40)):
        first, kept = noise_sums({"lsc": L_sc, "L": 1}, T)
        k, theta = np.arange(1, T + 1), L_sc - 1
        exact = (1 / (mu * k + theta)).sum(), (mu * k / (mu * k + theta)).mean()
        checks.check(exact[0] <= first(mu) * (1 + 1e-12) <= 2.3 * exact[0], f"sum of 1/(mu k + theta), {T} {mu} {L_sc}: {exact[0]} {first(mu)}")
        checks.check(exact[1] <= kept(mu) + 1e-12, f"weighted share, {T} {mu} {L_sc}: {exact[1]} {kept(mu)}")


def expected(rule, kind, c, t, Om):
    """The bound after iterations 0..t. Letters: paper; q = lambda_max(F'F) D_y^2 of the printed ones."""
    L = c["L"] if rule == "gc" else c["lsc"]
    T, mu, s, Dx, Rx, Dy, Ry, M, sg = t + 1, c["mu"], c["s"], c["dx"], c["rx"], c["dy"], c["ry"], c["mf"], c["sigma"]
    q = c["norm-f"] ** 2 * Dy**2
    if kind == "printed":
        return {"gc": lambda: Dy**2 / (2 * s * T) + L * Dx**2 / (2 * T) + (Dx**2 + 2 * q) / T**0.5 + 2 * Om**0.5 * Dx * sg / T**0.5
                + (1 + Om) * sg**2 / T**0.5,
                "sc1": lambda: Dy**2 / (2 * s * T) + L * Dx**2 / (2 * T) + q * math.log(T) / (mu * T) + 2 * Om**0.5 * Dx * sg / T**0.5
                + (1 + Om) * sg**2 * math.log(T) / (2 * mu * T),
                "sc2": lambda: Dy**2 / (s * (t + 2)) + L * Dx**2 / (t + 2) + 4 * q / (mu * (t + 2)) + 2 * (2 * Om)**0.5 * Dx * sg / (t + 2)**0.5
                + 4 * (1 + Om) * sg**2 / (mu * (t + 2))}.get(rule, lambda: None)()
    if kind == "printed_mean":
        return {"gc": lambda: Dy**2 / (2 * s * T) + L * Dx**2 / (2 * T) + (Dx**2 + 2 * q + 2 * sg**2) / T**0.5,
                "sc1": lambda: Dy**2 / (2 * s * T) + L * Dx**2 / (2 * T) + (q + sg**2) * math.log(T) / (mu * T),
                "sc2": lambda: Dy**2 / (s * (t + 2)) + L * Dx**2 / (t + 2) + (4 * q + 4 * sg**2) / (mu * (t + 2))}.get(rule, lambda: None)()
    Om = 0 if kind == "corrected_mean" else Om
    spread = weights_spread(rule, T)
    start = Ry**2 / (2 * s * T) + L * Rx**2 / (2 * T)
    weighted = Dy**2 / (s * (t + 2)) + L * Dx**2 / (t + 2)
    noise = M**2 + (1 + Om) * sg**2
    tail = (3 * Om)**0.5 * Dx * sg * spread
    first, kept = noise_sums(c, T)
    return {"gc": start + Dx**2 / (2 * T**0.5) + 2 * noise / T**0.5 + tail,
            "sc1": start + noise * first(mu) / T + tail,
            "sc2": weighted + 4 * noise * kept(mu / 2) / (mu * (t + 2)) + tail,
            "sc1h": start + noise * first(mu / 2) / T + 3 * Om * sg**2 / (mu * T),
            "sc2h": weighted + 8 * noise * kept(mu / 4) / (mu * (t + 2)) + 6 * Om * sg**2 / (mu * (t + 2))}[rule]


NAMES = ("L", "mu", "s", "dx", "rx", "dy", "ry", "norm-f", "mf", "sigma", "lsc")


def check_formulas(checks):
    rng = np.random.default_rng(1)
    for t, Om in itertools.product((0, 1, 2, 17, 1000), (0.1, 0.7, 3.0)):
        c = dict(zip(NAMES, np.exp(rng.normal(size=len(NAMES)))))
        answer = bound(*options(c), "--t", t, "--omega", Om)
        checks.near(answer["probability"], max(0, 1 - 2 * math.exp(-Om)), 1e-14, "probability")
        for rule, kind in itertools.product(RULES, KINDS):
            got, want = by_rule(answer)[rule][kind], expected(rule, kind, c, t, Om)
            checks.check(got == want if want is None else abs(got / want - 1) < 1e-13, f"{rule} {kind} t {t}: {got}, expected {want}")
    c = {"L": 2, "dx": 3, "dy": 0.4, "norm-f": 1.5, "sigma": 0.8}  # what follows when only these are given
    full = {**c, "mu": 0, "rx": 3, "ry": 0.2, "mf": 0.6, "s": 0.2 / 1.5, "lsc": 2}
    few, all_of_them = bound(*options(c), "--t", 9), bound(*options(full), "--t", 9)
    checks.near([v["value"] for v in few["constants"].values()], [v["value"] for v in all_of_them["constants"].values()], 1e-15,
                "constants that were not given")
    checks.check(by_rule(few)["sc1"]["corrected"] is None and by_rule(few)["sc2h"]["corrected_mean"] is None, "mu = 0: no such bound")
    checks.near(by_rule(few)["gc"]["corrected"], expected("gc", "corrected", {**full, "mu": 1}, 9, math.log(20)), 1e-13, "probability 0.9 by default")
    # nothing is known of the gradient at a minimiser on the border of X: L D_x^2/2 is no bound of f(x) - f*, a linear loss has L = 0
    checks.check(few["trivial"] is None and few["vacuous_from"] is None, "constants alone say nothing of points that are merely near")
    for f0, vacuous in ((1e-3, True), (1e3, False), (None, None)):
        far = 10**12 if vacuous is False else 0
        answer = bound(*options(c), "--t", far, *(["--f0", f0] if f0 else []))
        checks.check(by_rule(answer)["gc"]["vacuous"] == vacuous, f"vacuous with f0 {f0} after {far}")


def check_monotone_and_needed(checks):
    rng = np.random.default_rng(2)
    for _ in range(3):
        c = dict(zip(NAMES, np.exp(rng.normal(size=len(NAMES)))))
        over_t = [by_rule(bound(*options(c), "--t", t, "--probability", 0.95)) for t in (2, 5, 30, 1000, 10**6)]
        over_p = [by_rule(bound(*options(c), "--t", 50, "--probability", p)) for p in (0, 0.5, 0.9, 0.999)]
        for rule, kind in itertools.product(RULES, KINDS):
            down, up = ([r[rule][kind] for r in row] for row in (over_t, over_p))
            if down[0] is not None:
                checks.check(all(a > b for a, b in zip(down, down[1:])), f"{rule} {kind} falls with t: {down}")
                checks.check(all(a < b or "mean" in kind and a == b for a, b in zip(up, up[1:])), f"{rule} {kind} rises with the probability: {up}")
        for epsilon in (0.05, 3.0):
            answer = by_rule(bound(*options(c), "--epsilon", epsilon, "--omega", 2))
            for rule, kind in itertools.product(RULES, KINDS):
                T = answer[rule]["iterations_" + kind]
                if T is None:
                    checks.check(expected(rule, kind, c, 2, 2) is None, f"{rule} {kind}: iterations needed")
                    continue
                first = expected(rule, kind, c, T - 1, 2) <= epsilon and (T <= 3 or expected(rule, kind, c, T - 2, 2) > epsilon)
                checks.check(first, f"{rule} {kind}: {T} iterations are the first that suffice for {epsilon}")


def check_counter_example(checks):
    """A gradient that always misses by sigma: C_t = (1/T) sum sigma^2/kappa_k is no random number. D_x = D_y = 0 leaves its claim alone."""
    only_noise = {"L": 1, "dx": 0, "dy": 0, "norm-f": 0, "sigma": 1.3, "mu": 0.7}
    for T in (100, 10000):
        C = {"gc": sum(1.3**2 / math.sqrt(k) for k in range(1, T + 1)) / T, "sc1": sum(1.3**2 / (0.7 * k) for k in range(1, T + 1)) / T}
        answer = by_rule(bound(*options(only_noise), "--t", T - 1, "--omega", 0.5))
        for rule, value in C.items():
            checks.check(answer[rule]["printed"] < value, f"{rule}: the printed claim {answer[rule]['printed']} is below C_t = {value} for sure")
            checks.check(answer[rule]["corrected_mean"] >= value, f"{rule}: the corrected one is not")
    checks.check(abs(C["gc"] * 100 / 1.3**2 - 1.985) < 1e-3, "C_t sqrt(T)/sigma^2 after 10^4 iterations")


# ---- constants of a problem


def noise_of(r, w):
    """Smallest sigma with E exp(r^2/sigma^2) <= e."""
    low, high = w @ r**2, (r[w > 0] ** 2).max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if w @ np.exp(r**2 / middle - 1) <= 1 else (middle, high)
    return math.sqrt(high)


def check_constants(checks):
    rng = np.random.default_rng(3)
    N, d, lam, gamma = 40, 5, 0.02, 0.3
    A, w = rng.normal(size=(N, d)), rng.random(N)
    w[3], A[3] = 0, 5 * A[3]  # the longest row is never drawn
    b, F, norms = np.where(A[:, 0] > 0, 1, -1), reference.differences(d), np.linalg.norm(A, axis=1)
    data, weights = write_svm("d.svm", A, b), write_table("w.txt", w)
    share = w / w.sum()
    words = [data, "--weights", weights, "--structure", "chain", "--lambda", lam, "--no-intercept"]

    def compare(name, answer, **wanted):
        for symbol, value in wanted.items():
            checks.near(answer["constants"][symbol]["value"], value, 1e-9, f"{name}: {symbol}")

    corners = max(np.linalg.norm(F.T @ np.array(y)) for y in itertools.product((-lam, lam), repeat=d - 1))
    push = lam * np.linalg.norm(np.abs(F).sum(0))
    L_max = (norms[w > 0] ** 2).max() / 4
    answer = bound(*words, "--gamma", gamma)
    R, invariant = math.sqrt(math.log(2) / gamma), (norms[w > 0].max() + push) / gamma
    G = norms / (1 + np.exp(-norms * invariant))  # |phi'| where ||x|| is at most that
    model = reference.Problem(A, b, "logistic", [], gamma=gamma, weights=w)
    eigen = np.linalg.eigvalsh((A.T * share) @ A / 4)[-1] + gamma
    expected_L, mean_L = smoothness.constant(model, "expected"), smoothness.constant(model, "mean")
    checks.check(eigen <= expected_L <= mean_L <= L_max + gamma, f"L: {eigen} <= {expected_L} <= {mean_L} <= {L_max + gamma}")
    for word, value in (("max", L_max + gamma), ("mean", mean_L), ("expected", expected_L)):
        fit = json.loads(run("fit", *words, "--gamma", gamma, "--solver", "spdhg-sc2", "--param", "L=" + word, "--bound", "--json", "-q"))
        checks.near(fit["bound"]["constants"]["L_sc"]["value"], value, 1e-9, f"fit --bound --param L={word}")
    compare("logistic, gamma", answer, L=expected_L, L_sc=mean_L, mu=gamma, R_y=lam * 2, D_y=lam * 4, M_F=2 * push, norm_F=2, s=lam, R_x=R, D_x=R + invariant,
            sigma=noise_of(G + share @ G, share))
    checks.check(answer["rigorous"] and 2 * corners <= 2 * push * (1 + 1e-12), "M_F is an upper bound over the corners of the dual ball")
    checks.check(answer["start_value"] == answer["vacuous_from"] and abs(answer["start_value"] - math.log(2)) < 1e-12, "f(0)")
    checks.check(answer["iterations"] == 10 * N and abs(answer["epsilon"] - math.log(2) / 100) < 1e-12, "10 epochs, a hundredth of f(0)")

    half = bound(*words, "--gamma", gamma, "--radius", 1.5, "--batch", 30, "--estimate")
    slope = -b / 2
    mean = (share * slope) @ A
    r = np.linalg.norm(slope[:, None] * A - mean, axis=1)
    compare("radius, batch, estimate", half, D_x=3, R_x=1.5, sigma=min(noise_of(r, share), math.sqrt(2 * (math.e + 1) / (math.e - 1) / 30) * r[w > 0].max()))
    how = {name: c["how"] for name, c in half["constants"].items()}
    checks.check(not half["rigorous"] and how["sigma"] == "estimated" and how["D_x"] == how["R_x"] == "given" and how["L"] == "rigorous", f"marks {how}")

    target, offset = rng.normal(size=N), rng.normal(size=N)
    words = [write_svm("t.svm", A, target), "--loss", "squared", "--lambda", lam, "--no-intercept", "--offset", write_table("o.txt", offset)]
    G = norms * (np.abs(offset - target) + norms * 2)  # |a'x + o - b| with ||x|| <= 2
    compare("squared, ball", bound(*words, "--set", "ball:2"), L=(norms**2).max(), D_x=4, R_x=2, R_y=lam * math.sqrt(d), M_F=2 * lam * math.sqrt(d),
            sigma=noise_of(G + G.mean(), np.full(N, 1 / N)))
    compare("squared, box", bound(*words, "--set", "box:-1,0.5"), D_x=1.5 * math.sqrt(d), R_x=math.sqrt(d))
    # --dx promises distances from x*, not that x* is near 0: ||x*|| <= D, ||x^k|| <= 2 D
    promised = bound(*words, "--dx", 0.75)
    G = norms * (np.abs(offset - target) + norms * 1.5)
    compare("squared, distance", promised, D_x=0.75, R_x=0.75, sigma=noise_of(G + G.mean(), np.full(N, 1 / N)))
    checks.check(promised["constants"]["R_x"]["how"] == "given", "R_x follows from what is given")

    classes = write_svm("k.svm", A, rng.integers(0, 3, N))
    three = bound(classes, "--loss", "softmax", "--penalty", "group", "--lambda", lam, "--no-intercept", "--set", "ball:50")
    compare("softmax, group", three, L=smoothness.constant(reference.Problem(A, np.arange(N) % 3, "softmax", [], K=3), "expected"), R_y=lam * math.sqrt(d), M_F=2 * lam * math.sqrt(d),
            sigma=noise_of(math.sqrt(2) * (norms + norms.mean()), np.full(N, 1 / N)))
    words = [data, "--loss", "huber:0.5", "--lambda", lam, "--no-intercept", "--gamma", gamma]
    compare("huber", bound(*words), sigma=noise_of(0.5 * (norms + norms.mean()), np.full(N, 1 / N)))  # far out every slope is 0.5

    # rows drawn by norm: probability share (1 + norm/m)/2, factor 2m/(m + norm)
    words = [data, "--weights", weights, "--structure", "chain", "--lambda", lam, "--no-intercept", "--gamma", gamma]
    m = share @ norms
    factor = 2 * m / (m + norms)
    invariant = ((factor * norms)[w > 0].max() + push) / gamma
    G = norms / (1 + np.exp(-norms * invariant))
    by_norm = bound(*words, "--sampling", "norm")
    compare("norm sampling", by_norm, L=expected_L, D_x=R + invariant, sigma=noise_of(factor * G + share @ G, share / factor))
    checks.check(by_norm["constants"]["sigma"]["value"] < answer["constants"]["sigma"]["value"], "less noise by norm")

    given = bound(data, "--no-intercept", "--set", "ball:1", *options({"sigma": 0.25, "L": 77, "s": 3, "dx": 0.5}))
    compare("given", given, sigma=0.25, L=77, s=3, D_x=0.5)


def check_refusals(checks):
    rng = np.random.default_rng(4)
    A = rng.normal(size=(30, 3))
    data = write_svm("r.svm", A, np.where(A[:, 0] > 0, 1, -1))
    fit = ["fit", data, "--bound"]
    constants = options({"L": 1, "dx": 1, "dy": 1, "norm-f": 1, "sigma": 1})
    for words, says in (
            ([*fit, "--solver", "spdhg-sc1", "--gamma", 1], "intercept"), ([*fit, "--solver", "spdhg", "--set", "ball:1"], "intercept"),
            ([*fit, "--solver", "spdhg", "--no-intercept"], "D_x is infinite"), ([*fit, "--solver", "spdhg", "--no-intercept", "--set", "nonneg"], "--radius"),
            ([*fit, "--solver", "spdhg", "--no-intercept", "--set", "box:-inf,1"], "D_x is infinite"),
            ([*fit, "--solver", "spdhg-sc2", "--no-intercept", "--gamma", 1, "--loss", "squared"], "slopes of the squared loss"),
            ([*fit, "--no-intercept"], "auto"), ([*fit, "--solver", "lpdhg", "--no-intercept"], "spdhg-sc2h"),
            ([*fit, "--solver", "spdhg", "--no-intercept", "--set", "ball:1", "--sampling", "shuffle"], "iid"),
            ([*fit[:2], "--bound=1"], "--bound"),
            ([*fit, "--solver", "spdhg", "--no-intercept", "--set", "ball:1", "--tol", 0.1], "--epochs"),
            ([*fit, "--solver", "spdhg", "--no-intercept", "--gamma", 2, "--param", "L=1"], "below gamma"),
            ([*fit, "--solver", "spdhg", "--no-intercept", "--set", "ball:1", "--param", "scale=2"], "omit --param scale"),
            (["bound", data, "--no-intercept", "--gamma", 2, "--L", 1.5], "below gamma"),
            (["bound", data], "intercept"), (["bound", data, "--no-intercept"], "D_x is infinite"), (["bound"], "--L is missing"),
            (["bound", *constants], "--t or --epsilon"), (["bound", *constants, "--t", -1], "--t"), (["bound", *constants, "--t", 1, "--probability", 1], "below 1"),
            (["bound", *constants[2:], "--t", 1], "--L"), (["bound", *constants, "--L", 0, "--t", 1], "--L"), (["bound", *constants, "--t", 5, "--radius", 1], "DATA"),
            (["bound", *constants, "--sigma", "inf", "--t", 1], "--sigma"), (["bound", data, "more"], "more")):
        message = run(*words, status=2)
        checks.check(says in message and message.count("\n") == 1, f"{words[0]} {words[2:]}: '{message}' should say {says}")


def check_runs(checks, seeds=200):
    """No run is above the bound printed with it. The bounds here say something: they are below f at the start."""
    rng = np.random.default_rng(5)
    N, d, lam, gamma = 20, 3, 0.02, 2.0
    A = rng.normal(size=(N, d)) * 0.4
    b = np.where(A[:, 0] - A[:, 1] + 0.2 * rng.normal(size=N) > 0, 1, -1)
    p = reference.Problem(A, b, "logistic", [("l1", reference.differences(d), lam)], None, gamma, ("ball", 1.0))
    optimum, error = p.solve()[3:5]
    words = [write_svm("s.svm", A, b), "--structure", "chain", "--lambda", lam, "--gamma", gamma, "--set", "ball:1", "--no-intercept", "--epochs", 100]
    telling, closest = set(), 0
    for seed in range(seeds):
        solver = list(RULES.values())[seed % 5]
        report = Fitted(*words, "--solver", solver, "--seed", seed, "--bound=0.9", "--every", 100).report
        (rule,) = report["bound"]["rules"]
        off = report["objective"] - optimum
        checks.check(-error - 1e-12 <= off <= rule["corrected"], f"{solver} seed {seed}: f - f* = {off}, bound {rule['corrected']}")
        checks.check(rule["solver"] == solver and report["bound"]["iterations"] == report["iterations"] == 2000, f"{solver}: {rule}")
        closest = max(closest, off / rule["corrected"])
        if not rule["vacuous"]:
            telling.add(solver)
    checks.check(telling == set(RULES.values()), f"bounds that are not vacuous: {telling}")
    told = bound(*words[:-2], "--t", 1999)
    checks.near(by_rule(told)["sc2h"]["corrected"], rule["corrected"] if solver == "spdhg-sc2h" else np.nan, 1e-14, "the verb says what fit says")
    print(f"{seeds} seeds: f - f* at most {closest:.2g} of the bound, no bound vacuous")


if __name__ == "__main__":
    tally = Checks()
    for part in (check_noise_sums, check_formulas, check_monotone_and_needed, check_counter_example, check_constants, check_refusals, check_runs):
        part(tally)
    tally.end()
