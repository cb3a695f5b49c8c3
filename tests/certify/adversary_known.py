# adversary_known.py - problems that were once "proven" falsely, each kind of mistake with one, and what was said of them then.
import random

from adversary_families import trend
from adversary_problem import Problem

CHAIN = "chain"


def time_stamp():
    """Nanoseconds since 1970 beside one feature: x_1 and the intercept together explain what x_2 cannot."""
    draw = random.Random(7)
    stamp = [1.7e18 + float(draw.randrange(10 ** 6)) for _ in range(12)]
    middle = sorted(stamp)[6]
    return Problem("known", "squared", [[t, draw.gauss(0, 1)] for t in stamp], [1.0 if t > middle else -1.0 for t in stamp],
                   structure=CHAIN, F=trend(2, 0), lam=1e-9)


def zero_sums():
    """Six features that sum to 5e-13 or -5e-13, mostly with the sign of the label: a chain does not charge a constant x of 1e13."""
    draw = random.Random(8)
    A, b = [], []
    for _ in range(14):
        row = [draw.gauss(0, 1) for _ in range(5)]
        b.append(draw.choice([-1.0, 1.0]))
        A.append(row + [-sum(row) + 5e-13 * draw.choice([b[-1], b[-1], b[-1], -b[-1]])])
    return Problem("known", "logistic", A, b, structure=CHAIN, F=trend(6, 0), lam=0.1, intercept=False)


def cancelling():
    """Scores are differences of numbers 1e8 times as large: the objective as computed is off by 4e-8 of it."""
    draw = random.Random(55)
    n, d = draw.choice([(4, 2), (6, 3), (8, 3)])
    size = 10.0 ** draw.uniform(5, 8)
    A = [[size + draw.gauss(0, 1) for _ in range(d)] for _ in range(n)]
    x = [draw.choice([1, 10, 100]) * v for v in [1.0, -1.0] + [0.0] * (d - 2)]
    b = [sum(v * t for v, t in zip(row, x)) + draw.choice([1e-5, 1e-3]) * draw.gauss(0, 1) for row in A]
    return Problem("known", "squared", A, b, F=[{j: 1.0} for j in range(d)], gamma=draw.choice([0.0, 1e-12, 1e-10]), intercept=False)


def slope_of_zero():
    """A count of 1 + 1e-9 that outweighs the others by 1e268, fitted to the last digit: exp(z) - b is computed as 0, and f is 5e-33."""
    return Problem("known", "poisson", [[-1.5654768246950342e17], [2.639861910916272e18], [-3.5716253652215045e18]], [1.000000001, 93.0, 0.0],
                   weights=[4.419696595312503e268, 3.0, 1.0], F=[{0: 1.0}], lam=0.01, also=2.0, gamma=1.734062134596664e-08)


def all_outliers():
    """One entry in each row and every alpha at an end of its domain: no row can take what is left of v, but all were taken to."""
    b = [-2.1, 1.2, -1.3, -1.4, 1.5, -2.6, -3.7, -2.8]
    return Problem("known", "huber:0.001", [[float(i == j) for j in range(8)] for i in range(8)], b, structure="trend:1", F=trend(8, 1), lam=1e-3,
                   intercept=False, solver=("--solver", "ipm", "--epochs", "10"))


KNOWN = {
    "alphas without room": all_outliers(),
    "two columns that differ by 1e-13": Problem("known", "squared", [[1.0, 1.0000000000001], [2.0, 1.9999999999998], [3.0, 3.0000000000001]],
                                                [1.0, -2.0, 1.0], F=[{0: 1.0}, {1: 1.0}], intercept=False),
    "a time stamp": time_stamp(),
    "rows that sum to 5e-13": zero_sums(),
    "scores that cancel": cancelling(),
    "a slope that rounds to 0": slope_of_zero(),
}

# Said then: objective, gap, x, c. The referee has to refute each, or its own word is worth nothing.
SAID = {
    "alphas without room": (0.0020768136556428333, 2.3136556441463563e-06,
                            [-0.6456675004846205, -0.5309504019123156, -0.41632024828379155, -0.2964562901850809, -0.16794639412239085, -0.02813762278758613,
                             0.12022180725860421, 0.273788047904135], 0.0),
    "two columns that differ by 1e-13": (0.9999999999999999, 5.286775363364114e-18, [-1.4290156356007378e-14, 2.8580312714872786e-14], 0.0),
    "a time stamp": (0.48611111111111116, 0.0017984675111431976, [1.7653282546234398e-31] * 2, -0.16666666666696675),
    "rows that sum to 5e-13": (0.6922244474689992, 4.598121883248041e-11, [0.021886684737952192] * 5 + [-0.01525208389774835], 0.0),
    "a slope that rounds to 0": (4.821650629379098e-33, 4.821650629380219e-33, [0.0], 1.0000001804406828e-09),
    "scores that cancel": (151.57258452344897, 151.57258452344897, [108.99998437451858, -18.999984376873925], 0.0),
}

# (family, seed, now and then the loss) of problems that have to be certified to 1e-6, and what it takes.
PROVABLE = [
    ("one-hot", 500071), ("sparse", 500019), ("wide", 500020), ("zero columns", 500085),      # optimum 0: F x with twice the digits
    ("cancelling", 500020), ("cancelling", 500051), ("offsets", 500042),                      # scores with twice the digits
    ("duplicates", 500044), ("offsets", 500055), ("zero columns", 500045),                    # another alpha than phi'(z)
    ("time stamps", 500015), ("time stamps", 500023), ("time stamps", 500038),                # alpha with twice the digits, sets that couple x
    ("offsets", 500011), ("duplicates", 600074),                                              # A p without the offset
    ("width 0", 500081), ("wide", 500070), ("scales 1e300", 500012), ("ordinary", 500010),    # intercept, inactive sides, half-lines, softmax
    ("ordinary", 500024), ("scales 1e300", 600009),                                           # nuclear norm of one row, or without lambda
    ("scales 1e300", 700005), ("time stamps", 700000),                                        # a stage that diverged; huber of a small width
    ("signal", 1300056), ("width 0", 1300089), ("one-hot", 7000174), ("sparse", 7000179),     # sides of X: forces of l1 rows, rows that go to 0
    ("counts collinear", 1300010), ("signal of any size", 1300073),                             # another method where the first has stalled
    ("counts", 1300077), ("duplicates", 1300039),                                             # a lambda too small to absorb the rounding of v
    ("cancelling", 9100059), ("counts 1e3", 9100024),                                         # 0 is not in X, and f(0) far below
    ("counts one-hot", 7000064), ("counts", 7000153),                                         # optimum 0 at a constant that is no double
    ("zero columns", 71010008), ("tiny ridge", 71005005), ("one-hot", 71007008), ("scales 1e3", 53000001), # penalties far above the losses, on a set
    ("corners collinear", 71001002), ("corners offsets", 71000001), ("corners offsets", 71007002), ("corners offsets", 71010000), # alpha at corners
    ("corners offsets", 71005002),                                                            # no row is at its corner, but some nearly
    ("sparse", 7000235), ("separable", 7000335), ("interpolation", 7000305),                  # softmax: one class separable from the others
    ("collinear", 81000101), ("separable", 81001285),                                         # softmax: null directions that are no whole numbers
    ("sparse", 81001272),                                                                     # a box without sides is R^d
    ("counts", 81001241), ("counts", 81001334), ("counts collinear", 81001093),               # a ball whose side is not seen from its centre
    ("counts collinear", 81000098),                                                           # an l1ball that holds only one of two coefficients
    ("corners collinear", 81001642),                                                          # the start is optimal
    ("corners 1e3", 81001547), ("corners one-hot", 81001121), ("corners signal", 81001102),   # corners on a set, with twice the digits
    ("tiny ridge", 91000221),                                                                 # begins at a side of X
    ("corners collinear", 91000104), ("corners collinear", 91000119), ("corners collinear", 91000164), ("corners collinear", 91000052), # sides read at corners
    ("offsets", 96000048), ("offsets", 96000158),                                             # y beside columns of 1e12; softmax, what all classes share
    ("corners one-hot", 96000042), ("corners offsets", 96000013), ("corners offsets", 97100244), # where a set is entered at a corner
    ("counts one-hot", 96000101),                                                             # a simplex on which f falls from 1e26
    ("corners collinear", 96000197), ("corners collinear", 96000099), ("corners one-hot", 97100499), # rounding at a corner; mu that rounding raised
    ("separable", 96000169),                                                                  # a y that need not be as large as the solver's
    ("scales 1e300", 95000002), ("scales 1e300", 96000063),                                   # columns of 1e140 on a bounded X
    ("time stamps", 97000001, "softmax"), ("time stamps", 97000004, "softmax"),               # what all classes share
]
# (family, seed) of what was once said falsely: rounding of a bracket that comes out as 0; the weight of rows without an entry; a deviation that is no double;
# the logarithm that a score is compared with, where the score itself has twice the digits (twice).
# A column whose only rows have no room from the first point on. Coefficients of 1e13 that are divided by their scale and rounded: another f.
# exp(-5e8) taken for 1e-304.
ONCE_FALSE = [("F 1e100", 9900014), ("offsets", 700061), ("weights", 700072), ("underflow", 600075), ("counts weights", 920000), ("counts one-hot", 920010),
              ("counts collinear", 70011), ("time stamps", 9100100)]
