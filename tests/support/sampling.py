"""The rows an iteration sees, computed a second time: Philox4x32-10 (Salmon et al. 2011) and uniform draws with replacement.

rows(seed, k, batch, n) gives the rows of iteration k as src/problem/sample.c documents them for equal weights:
draw number k*batch + j is the counter, stream 1, and the row is the high half of bits * n.
"""
M0, M1, W0, W1, MASK = 0xD2511F53, 0xCD9E8D57, 0x9E3779B9, 0xBB67AE85, 0xFFFFFFFF
STREAM_SAMPLE = 1


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        p0, p1 = M0 * c[0], M1 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & MASK, (p0 >> 32) ^ c[3] ^ k[1], p0 & MASK]
        k = [(k[0] + W0) & MASK, (k[1] + W1) & MASK]
    return c


def bits(seed, stream, counter):
    """Two 64-bit numbers, a pure function of the three arguments."""
    r = philox([counter & MASK, counter >> 32, stream & MASK, stream >> 32], [seed & MASK, seed >> 32])
    return r[1] << 32 | r[0], r[3] << 32 | r[2]


def rows(seed, k, batch, n):
    return [(bits(seed, STREAM_SAMPLE, k * batch + j)[0] * n) >> 64 for j in range(batch)]


assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]  # the published known answer
