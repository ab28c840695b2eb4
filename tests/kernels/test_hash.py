"""SipHash-2-4 against the authors' vectors and a naive twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.hash import hash_texts, hash_words
from tests.papers.naive import siphash

KEY = int.from_bytes(bytes(range(8)), "little"), int.from_bytes(bytes(range(8, 16)), "little")
VECTORS = [
    0x726FDB47DD0E0E31, 0x74F839C593DC67FD, 0x0D6C8009D9A94F5A, 0x85676696D7FB7E2D,
    0xCF2794E0277187B7, 0x18765564CD99A68D, 0xCBC9466E58FEE3CE, 0xAB0200F58B01D137,
    0x93F5F5799A932462, 0x9E0082DF0BA9E4B0, 0x7A5DBBC594DDB9F3, 0xF4B32F46226BADA7,
    0x751E8FBC860EE5FB, 0x14EA5627C0843D90, 0xF723CA908E7AF2EE, 0xA129CA6149BE45E5,
]  # fmt: skip


def _hash(messages: list[bytes], key: tuple[int, int]) -> list[int]:
    ends = np.cumsum([0, *map(len, messages)]).astype(np.int64)
    data = np.frombuffer(b"".join(messages) or b"\0", dtype=np.uint8)
    out = np.zeros(len(messages), dtype=np.uint64)
    with np.errstate(over="ignore"):
        hash_texts(ends, data, np.uint64(key[0]), np.uint64(key[1]), out)
    return out.tolist()


def test_the_vectors_of_the_paper() -> None:
    messages = [bytes(range(n)) for n in range(len(VECTORS))]
    assert [siphash(message, *KEY) for message in messages] == VECTORS
    assert _hash(messages, KEY) == VECTORS


@given(
    st.lists(st.binary(max_size=40), min_size=1, max_size=5),
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**64 - 1),
)
def test_texts_are_hashed_like_the_twin(messages: list[bytes], k0: int, k1: int) -> None:
    assert _hash(messages, (k0, k1)) == [siphash(message, k0, k1) for message in messages]


@given(
    st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20),
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**64 - 1),
)
def test_words_are_hashed_like_their_bytes(words: list[int], k0: int, k1: int) -> None:
    out = np.zeros(len(words), dtype=np.uint64)
    with np.errstate(over="ignore"):
        hash_words(np.array(words, dtype=np.uint64), np.uint64(k0), np.uint64(k1), out)
    assert out.tolist() == [siphash(word.to_bytes(8, "little"), k0, k1) for word in words]
