# learned_words.py - few labelled texts, many unlabelled ones: which words go together is learned from all, the classifier from few.
# Synthetic reviews: every opinion has several words for it, of which a text uses some.
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

import spdhg

GOOD = ["fine great lovely superb splendid", "tasty delicious yummy fresh crisp", "kind friendly helpful warm polite"]
BAD = ["awful bad terrible poor dreadful", "stale bland soggy cold burnt", "rude slow grumpy unfriendly careless"]
FILLER = [f"word{i}" for i in range(60)]


def texts(count, rng):
    labels, lines = rng.integers(2, size=count), []
    for label in labels:
        words = list(rng.choice(FILLER, size=8))
        for _ in range(rng.integers(1, 3)):  # one or two opinions, two words for each
            opinions = (GOOD if label else BAD) if rng.uniform() < 0.85 else (BAD if label else GOOD)
            words += list(rng.choice(opinions[rng.integers(3)].split(), size=2, replace=False))
        lines.append(" ".join(words))
    return lines, np.where(labels, "good", "bad")


def main():
    rng = np.random.default_rng(0)
    vectorizer = CountVectorizer(binary=True, dtype=np.float64)
    unlabelled = vectorizer.fit_transform(texts(3000, rng)[0])
    lines, y = texts(120, rng)
    lines_test, y_test = texts(2000, rng)
    X, X_test = vectorizer.transform(lines), vectorizer.transform(lines_test)
    graph = spdhg.learn_graph(unlabelled)
    words = vectorizer.get_feature_names_out()
    print(graph, "such as", ", ".join(f"{words[i]}{'-' if w > 0 else ' against '}{words[j]}" for (i, j), w in zip(graph.edges[:4], graph.weights)))
    common = dict(n_alphas=15, alpha_ratio=0.05, rule="min")
    plain = spdhg.StructuredClassifierCV(**common).fit(X, y)
    guided = spdhg.StructuredClassifierCV(structure=graph, sparsities=[0.2, 1], **common).fit(X, y)
    alone = spdhg.StructuredClassifierCV(structure="learned", **common).fit(X, y)  # the graph from the labelled texts alone
    print(f"accuracy {plain.score(X_test, y_test):.3f} by lasso, {guided.score(X_test, y_test):.3f} with the graph of words, "
          f"{alone.score(X_test, y_test):.3f} with a graph of {alone.structure_.shape[0]} edges from the labelled texts alone")
    same = [word in " ".join(GOOD + BAD) for edge in graph.edges for word in words[edge]]
    assert np.mean(same) > 0.9
    assert guided.score(X_test, y_test) > plain.score(X_test, y_test)
    return graph, guided


if __name__ == "__main__":
    main()
