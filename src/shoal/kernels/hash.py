"""SipHash-2-4 (Aumasson and Bernstein 2012): a keyed hash, the same on every machine and engine."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import inline, jit


@inline
def sip_begin(k0, k1):
    """The four words of the state under a key, before any message."""
    # The constants of the definition, in ASCII: "somepseudorandomlygeneratedbytes".
    return (
        k0 ^ np.uint64(0x736F6D6570736575),
        k1 ^ np.uint64(0x646F72616E646F6D),
        k0 ^ np.uint64(0x6C7967656E657261),
        k1 ^ np.uint64(0x7465646279746573),
    )


@inline
def sip_round(a, b, c, d):
    """One round over the four words of the state."""
    a += b
    b = ((b << np.uint64(13)) | (b >> np.uint64(51))) ^ a
    a = (a << np.uint64(32)) | (a >> np.uint64(32))
    c += d
    d = ((d << np.uint64(16)) | (d >> np.uint64(48))) ^ c
    a += d
    d = ((d << np.uint64(21)) | (d >> np.uint64(43))) ^ a
    c += b
    b = ((b << np.uint64(17)) | (b >> np.uint64(47))) ^ c
    c = (c << np.uint64(32)) | (c >> np.uint64(32))
    return a, b, c, d


@jit
def hash_texts(offsets, data, k0, k1, out):
    """Hash text i, the bytes data[offsets[i] : offsets[i+1]], under the key (k0, k1).

    The state is four words; every word of the message passes two rounds, the end four.
    """
    for i in range(len(out)):
        start, size = offsets[i], offsets[i + 1] - offsets[i]
        a, b, c, d = sip_begin(k0, k1)
        # The last word has the remaining bytes and, as its highest, the length modulo 256; the turn
        # after it is the end (0xFF, four rounds).
        n_words = size // 8 + 1
        for w in range(n_words + 1):
            word = np.uint64(0)
            if w < n_words:
                for byte in range(8 * w, min(8 * w + 8, size)):
                    word |= np.uint64(data[start + byte]) << np.uint64(8 * (byte & 7))
                if w == n_words - 1:
                    word |= np.uint64(size & 0xFF) << np.uint64(56)
                d ^= word
            else:
                c ^= np.uint64(0xFF)
            for _ in range(2 if w < n_words else 4):
                a, b, c, d = sip_round(a, b, c, d)
            a ^= word
        out[i] = a ^ b ^ c ^ d


@jit
def hash_words(words, k0, k1, out):
    """Hash every word as the text of its eight bytes, from the lowest on, under the key (k0, k1).

    The same as `hash_texts`, but without a branch that depends on the text: several words are
    hashed at once where the processor can.
    """
    for i in range(len(out)):
        a, b, c, d = sip_begin(k0, k1)
        for turn in range(8):
            # Two rounds of the word, two of the length that ends the text, four of the end.
            if turn == 0:
                d ^= words[i]
            elif turn == 2:
                a ^= words[i]
                d ^= np.uint64(8 << 56)
            elif turn == 4:
                a ^= np.uint64(8 << 56)
                c ^= np.uint64(0xFF)
            a, b, c, d = sip_round(a, b, c, d)
        out[i] = a ^ b ^ c ^ d
