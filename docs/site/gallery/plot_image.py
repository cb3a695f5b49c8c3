"""
Total variation: an image without its noise
===========================================

Pixels are nodes of a grid; the penalty is the total variation of the picture, so that areas become flat and edges
stay sharp. On the command line: ``spdhg denoise photo.png --structure grid --isotropic -o clean.png``. ``TotalVariationDenoiser`` does it to every row of
X, as a step of a pipeline.
"""
import matplotlib.pyplot as plt
import numpy as np

import spdhg

rng = np.random.default_rng(5)
rows, columns = np.mgrid[:64, :64]
clean = 0.2 + 0.6 * ((rows - 28) ** 2 + (columns - 24) ** 2 < 260) + 0.35 * ((columns > 40) & (rows > 30))
noisy = clean + 0.25 * rng.standard_normal(clean.shape)

answer = spdhg.tv_denoise(noisy, 6e-5, isotropic=True)

step = spdhg.TotalVariationDenoiser(structure=clean.shape, alpha=6e-5)  # corners of its own: not isotropic
row = step.fit_transform(noisy.reshape(1, -1))[0].reshape(clean.shape)

figure, place = plt.subplots(1, 4, figsize=(10, 3))
for axes, picture, title in zip(place, (clean, noisy, answer.x, row), ("truth", "data", "total variation", "step of a pipeline")):
    axes.imshow(picture, cmap="gray", vmin=0, vmax=1.2)
    axes.set_title(title)
    axes.axis("off")
plt.tight_layout()
