# image_grid.py - coefficients that are an image, learned from labelled noise; the picture is written to the file named on the
# command line. The structure says only which pixels are neighbours.
import sys

import numpy as np

import spdhg

SIDE = 20


def truth():
    row, column = np.mgrid[:SIDE, :SIDE]
    image = np.zeros((SIDE, SIDE))
    image[(row - 6) ** 2 + (column - 6) ** 2 < 16] = 1
    image[11:17, 10:18] = -1
    return image


def main(picture=None):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, SIDE * SIDE))
    y = X @ truth().ravel() + 2 * rng.normal(size=len(X)) > 0
    plain = spdhg.StructuredClassifier(alpha=0.02).fit(X, y)
    model = spdhg.StructuredClassifier(structure=(SIDE, SIDE), alpha=0.01, also_sparse=0.5).fit(X, y)

    def like(estimator):
        return np.corrcoef(estimator.coef_[0], truth().ravel())[0, 1]

    print(f"correlation with the truth: {like(plain):.2f} without, {like(model):.2f} with the grid; {len(np.unique(model.coef_.round(6)))} levels")
    assert like(model) > 0.9 > like(plain)
    if picture:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(1, 4, figsize=(15, 3.2))
        axes[0].imshow(truth(), cmap="RdBu_r")
        axes[0].set_title("truth")
        axes[1].imshow(plain.coef_.reshape(SIDE, SIDE), cmap="RdBu_r")
        axes[1].set_title("lasso")
        model.plot(ax=axes[2]).set_title("grid")
        model.plot("history", ax=axes[3]).set_title("convergence")
        figure.tight_layout()
        figure.savefig(picture, dpi=60)
    return model


if __name__ == "__main__":
    main(*sys.argv[1:2])
