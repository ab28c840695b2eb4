"""SipHash-2-4 (Aumasson and Bernstein 2012): a keyed hash, the same on every machine and engine."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import callee, jit

_C0, _C1 = np.uint64(0x736F6D6570736575), np.uint64(0x646F72616E646F6D)
_C2, _C3 = np.uint64(0x6C7967656E657261), np.uint64(0x7465646279746573)


@callee
def rotate(x, bits):
    """Turn the bits of a word to the left."""
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))


@callee
def sip_round(a, b, c, d):
    """One SipRound over the four words of the state."""
    a += b
    b = rotate(b, 13) ^ a
    a = rotate(a, 32)
    c += d
    d = rotate(d, 16) ^ c
    a += d
    d = rotate(d, 21) ^ a
    c += b
    b = rotate(b, 17) ^ c
    c = rotate(c, 32)
    return a, b, c, d


@callee
def absorb(a, b, c, d, word):
    """Take one word of the message in, with two rounds."""
    d ^= word
    a, b, c, d = sip_round(a, b, c, d)
    a, b, c, d = sip_round(a, b, c, d)
    return a ^ word, b, c, d


@callee
def finish(a, b, c, d):
    """Four closing rounds, and the hash."""
    c ^= np.uint64(0xFF)
    for _ in range(4):
        a, b, c, d = sip_round(a, b, c, d)
    return a ^ b ^ c ^ d


@callee
def sip_bytes(data, start, stop, k0, k1):
    """SipHash-2-4 of data[start:stop] under the key (k0, k1)."""
    a, b, c, d = k0 ^ _C0, k1 ^ _C1, k0 ^ _C2, k1 ^ _C3
    place = start
    while stop - place >= 8:
        word = np.uint64(0)
        for i in range(8):
            word |= np.uint64(data[place + i]) << np.uint64(8 * i)
        a, b, c, d = absorb(a, b, c, d, word)
        place += 8
    word = np.uint64((stop - start) & 0xFF) << np.uint64(56)
    for i in range(stop - place):
        word |= np.uint64(data[place + i]) << np.uint64(8 * i)
    a, b, c, d = absorb(a, b, c, d, word)
    return finish(a, b, c, d)


@jit
def hash_texts(offsets, data, k0, k1, out):
    """Hash text i, the bytes data[offsets[i] : offsets[i+1]]."""
    for i in range(len(out)):
        out[i] = sip_bytes(data, offsets[i], offsets[i + 1], k0, k1)


@jit
def add_hashes(hashes, codes, out):
    """out[i] += hashes[codes[i]]: one more column of a row's sum."""
    for i in range(len(codes)):
        out[i] += hashes[codes[i]]


@jit
def seal_hashes(sums, k0, k1, out):
    """SipHash-2-4 of every 64-bit word, under a key that nobody outside can guess."""
    last = np.uint64(8) << np.uint64(56)
    for i in range(len(sums)):
        a, b, c, d = k0 ^ _C0, k1 ^ _C1, k0 ^ _C2, k1 ^ _C3
        a, b, c, d = absorb(a, b, c, d, sums[i])
        a, b, c, d = absorb(a, b, c, d, last)
        out[i] = finish(a, b, c, d)
