# tv_image.py - tv_denoise: an image with its noise removed, pixels missing; TotalVariationDenoiser: the same as a step of a pipeline.
import numpy as np
from sklearn.pipeline import make_pipeline

import spdhg


def main():
    rng = np.random.default_rng(5)
    clean = np.zeros((32, 32))
    clean[6:20, 8:24], clean[22:28, 4:12] = 1.0, -0.5
    noisy = clean + 0.3 * rng.normal(size=clean.shape)
    noisy[rng.random(clean.shape) < 0.05] = np.nan
    answer = spdhg.tv_denoise(noisy, 2e-4, isotropic=True)
    before, after = np.nanmean(np.abs(noisy - clean)), np.abs(answer.x - clean).mean()
    print(f"error {before:.3f} before, {after:.3f} after; proven within {answer.signals[0].gap_relative:.0e}")
    assert after < 0.5 * before

    patterns = rng.normal(size=(2, 8, 8)).repeat(2, axis=1).repeat(2, axis=2)[:, :16, :16]
    which = rng.integers(2, size=60)
    X = (np.sign(patterns)[which] + 1.5 * rng.normal(size=(60, 16, 16))).reshape(60, -1)
    pipe = make_pipeline(spdhg.TotalVariationDenoiser(structure=(16, 16), alpha=1e-3), spdhg.StructuredClassifier(alpha=0.01)).fit(X[:30], which[:30])
    print(f"a classifier behind it: {pipe.score(X[30:], which[30:]):.2f}")
    assert pipe.score(X[30:], which[30:]) > 0.8
    return answer


if __name__ == "__main__":
    main()
