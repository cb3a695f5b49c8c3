"""Problems for bench/path: families of data that lasso paths meet, each a function of its shape and a seed. Constants are chosen on TUNE; TABLE has other
shapes and seeds and is for published numbers only."""
import numpy as np
import scipy.sparse as sparse


def labels(rng, z, sharpness=3.0):
    z = sharpness * (z - z.mean()) / z.std()
    return np.where(rng.random(len(z)) < 1 / (1 + np.exp(-z)), 1.0, -1.0)


def signal(rng, A, nonzeros):
    x = np.zeros(A.shape[1])
    x[rng.choice(A.shape[1], min(nonzeros, A.shape[1]), replace=False)] = rng.standard_normal(min(nonzeros, A.shape[1]))
    return np.asarray(A @ x).ravel()


def blocks(rng, n, p, share=0.5, count=50):
    """Dense columns in correlated blocks, as genes are."""
    factor = rng.standard_normal((n, count))[:, rng.integers(0, count, p)]
    A = np.sqrt(share) * factor + np.sqrt(1 - share) * rng.standard_normal((n, p))
    return (A - A.mean(0)) / A.std(0)


def independent(rng, n, p):
    return rng.standard_normal((n, p))


def heavy(rng, n, p):
    """Dense columns with heavy tails and very different scales."""
    return rng.standard_t(3, (n, p)) * np.exp(rng.normal(0, 0.7, p))


def words(rng, n, p, length=80, unit=True):
    """Documents: counts of words by Zipf's law; unit: 1 + log, rows of length 1."""
    chance = np.arange(1, p + 1) ** -0.9
    chance = np.cumsum(chance / chance.sum())
    rows, columns, values = [], [], []
    for i in range(n):
        drawn = np.minimum(np.searchsorted(chance, rng.random(max(5, int(rng.lognormal(np.log(length), 0.5))))), p - 1)
        word, count = np.unique(drawn, return_counts=True)
        value = 1 + np.log(count) if unit else count.astype(float)
        rows.append(np.full(len(word), i))
        columns.append(word)
        values.append(value / np.linalg.norm(value) if unit else value)
    return sparse.csr_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(n, p))


def counts(rng, n, p, length=80):
    return words(rng, n, p, length, unit=False)


def one_hot(rng, n, p, codes=14):
    """Codes, one 1 for each in every row."""
    sizes = rng.multinomial(p - 2 * codes, rng.dirichlet(np.ones(codes))) + 2
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    columns = np.stack([start + np.minimum(rng.geometric(min(0.9, 3 / size), n) - 1, size - 1) for start, size in zip(starts, sizes)], 1)
    return sparse.csr_matrix((np.ones(n * codes), columns.ravel(), np.arange(0, n * codes + 1, codes)), shape=(n, p))


# name, loss, family, rows, features, seed, further arguments, smallest over largest lambda
TUNE = [
    ("genes", "logistic", blocks, 38, 7129, 1, {}, 0.01),
    ("genes", "logistic", blocks, 102, 5966, 2, {}, 0.01),
    ("genes", "logistic", blocks, 62, 2000, 3, {}, 0.01),
    ("documents", "logistic", words, 690, 8261, 4, {"length": 80}, 0.01),
    ("documents", "logistic", words, 1943, 3289, 5, {"length": 60}, 0.01),
    ("documents", "logistic", words, 7770, 8315, 6, {"length": 60}, 0.01),
    ("documents", "logistic", words, 1000, 47117, 7, {"length": 400}, 0.01),
    ("tall", "logistic", blocks, 2600, 500, 8, {}, 0.01),
    ("genes", "squared", blocks, 500, 1000, 9, {}, 0.01),
    ("one-hot", "logistic", one_hot, 3000, 800, 10, {"codes": 10}, 0.01),
    ("one-hot", "logistic", one_hot, 1500, 1500, 11, {"codes": 25}, 0.01),
    ("counts", "logistic", counts, 1000, 5000, 12, {"length": 70}, 0.01),
    ("tall", "squared", independent, 3500, 300, 13, {}, 0.01),
    ("tall", "squared", blocks, 2000, 500, 14, {}, 0.01),
    ("documents", "squared", words, 2000, 5000, 15, {"length": 80}, 0.01),
    ("one-hot", "squared", one_hot, 3000, 900, 16, {"codes": 18}, 0.01),
    ("heavy tails", "squared", heavy, 250, 2000, 17, {}, 0.01),
    ("square", "logistic", independent, 700, 900, 18, {}, 0.01),
]
TABLE = [
    ("genes", "logistic", blocks, 72, 3571, 101, {"share": 0.4}, 0.01),
    ("genes", "logistic", blocks, 49, 9000, 102, {"share": 0.6, "count": 100}, 0.01),
    ("genes, low", "logistic", blocks, 180, 4000, 103, {"share": 0.3}, 0.05),
    ("independent", "logistic", independent, 150, 3000, 104, {}, 0.01),
    ("heavy tails", "logistic", heavy, 300, 1500, 105, {}, 0.01),
    ("tall", "logistic", blocks, 3000, 300, 106, {"share": 0.2}, 0.01),
    ("square", "logistic", independent, 800, 800, 107, {}, 0.01),
    ("documents", "logistic", words, 900, 6000, 108, {"length": 100}, 0.01),
    ("documents", "logistic", words, 3000, 12000, 109, {"length": 50}, 0.01),
    ("documents", "logistic", words, 500, 30000, 110, {"length": 300}, 0.01),
    ("counts", "logistic", counts, 1200, 4000, 111, {"length": 60}, 0.01),
    ("one-hot", "logistic", one_hot, 4000, 600, 112, {}, 0.01),
    ("one-hot", "logistic", one_hot, 1000, 2500, 113, {"codes": 20}, 0.01),
    ("genes", "squared", blocks, 90, 5000, 114, {"share": 0.5}, 0.01),
    ("square", "squared", blocks, 600, 900, 115, {"share": 0.3}, 0.01),
    ("tall", "squared", independent, 2500, 400, 116, {}, 0.01),
    ("heavy tails", "squared", heavy, 200, 2500, 117, {}, 0.01),
    ("documents", "squared", words, 1500, 7000, 118, {"length": 70}, 0.01),
    ("counts", "squared", counts, 800, 9000, 119, {"length": 90}, 0.01),
    ("one-hot", "squared", one_hot, 2500, 1200, 120, {}, 0.01),
]


def make(entry):
    """A and b of an entry of a list above."""
    _, loss, family, n, p, seed, more, _ = entry
    rng = np.random.default_rng(seed)
    A = family(rng, n, p, **more)
    z = signal(rng, A, 20 if not sparse.issparse(A) else p // 10)
    z = z / z.std()
    return A, labels(rng, z) if loss == "logistic" else z + 0.5 * rng.standard_normal(n)
