# denoise_graph.py - denoise: values at the nodes of a graph, here districts of a town, alike where districts touch; a value is missing.
import numpy as np

import spdhg


def main():
    rng = np.random.default_rng(6)
    where = rng.random((200, 2))
    distance = np.linalg.norm(where[:, None] - where, axis=2)
    touches = [(i, j) for i in range(200) for j in range(i) if distance[i, j] < 0.12]
    true = np.where(where[:, 0] + where[:, 1] > 1, 2.0, 0.5)  # two parts of the town
    rent = true + 0.4 * rng.normal(size=200)
    rent[17] = np.nan

    answer = spdhg.denoise(rent, structure=touches)  # alpha by cross-validation
    before, after = np.nanmean(np.abs(rent - true)), np.abs(answer.x - true).mean()
    print(f"error {before:.2f} before, {after:.2f} after; district 17: {answer.x[17]:.2f} (true: {true[17]}); "
          f"proven within {answer.signals[0].gap_relative:.0e}")
    assert after < 0.5 * before and abs(answer.x[17] - true[17]) < 0.5
    return answer


if __name__ == "__main__":
    main()
