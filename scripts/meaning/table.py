"""Makes the table of token vectors: one vector per token, so that the sum over a text's tokens points where MiniLM's vector does.

The tokens' vectors are the solution of a ridge regression onto the first principal components of MiniLM's vectors. A token that
the texts hardly have is drawn towards its own vector: MiniLM's of the token alone.

    python table.py texts.jsonl vectors.f16 table.bin
"""

import argparse
import json
import re
import struct
import sys
import unicodedata
from pathlib import Path

import brotli
import numpy
import xxhash
from scipy import sparse

sys.path.insert(0, str(Path(__file__).parents[2] / "benches" / "recall"))
from vectors import Encoder, package  # noqa: E402

HELD_OUT = 4_000
STEPS = 40
LONGEST_WORD = 64
# The steps of the most frequent tokens are so many times halved.
FINEST = 6


def read(texts_path, vectors_path):
    with open(texts_path, encoding="utf-8") as lines:
        texts = [json.loads(line) for line in lines]
    vectors = numpy.fromfile(vectors_path, "<f2").reshape(-1, 384)
    count = min(len(texts), len(vectors))  # encoding may not be finished
    return texts[:count], vectors[:count].astype(numpy.float32)


class Words:
    """Cuts texts into tokens as `crates/meaning` does: words of ASCII letters and digits, by the longest tokens from the start on."""

    def __init__(self, tokenizer):
        vocabulary = tokenizer.get_vocab()
        # Only what English words consist of: MiniLM hardly knows other scripts, and punctuation says little.
        known = {token for token in vocabulary if re.fullmatch(r"(##)?[a-z0-9]+", token)}
        self.tokens = sorted(known)
        self.ids = numpy.array([vocabulary[token] for token in self.tokens])
        self.places = {token: place for place, token in enumerate(self.tokens)}
        self.known = {}

    def cut(self, word):
        if word not in self.known:
            self.known[word] = self.pieces_of(word) if len(word) <= LONGEST_WORD else []
        return self.known[word]

    def pieces_of(self, word):
        pieces, start = [], 0
        while start < len(word):
            prefix = "##" if start else ""
            ends = (end for end in range(len(word), start, -1) if prefix + word[start:end] in self.places)
            end = next(ends, None)
            if end is None:
                return []
            pieces.append(self.places[prefix + word[start:end]])
            start = end
        return pieces

    def places_in(self, text):
        plain = "".join(it for it in unicodedata.normalize("NFD", text) if not unicodedata.combining(it)).lower()
        return [place for word in re.findall(r"[a-z0-9]+", plain) for place in self.cut(word)]


def counted(words, texts):
    """How often each text has each token: a sparse matrix, (texts, tokens)."""
    places = [words.places_in(text) for text in texts]
    rows = numpy.repeat(numpy.arange(len(texts)), [len(it) for it in places])
    columns = numpy.array([place for it in places for place in it], int)
    ones = numpy.ones(len(rows), numpy.float32)
    return sparse.csr_matrix((ones, (rows, columns)), (len(texts), len(words.tokens)))


def own_vectors(encoder, tokens):
    """MiniLM's vector of each token alone."""
    ids = [[101, token, 102] for token in tokens]
    return numpy.concatenate([encoder.encode(ids[at : at + 256]) for at in range(0, len(ids), 256)])


def unit(rows):
    return rows / numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def solve(matrix, targets, prior, pull, start):
    """The tokens' vectors V with the least |matrix V - targets|² + pull |V - prior|², by conjugate gradients."""
    transposed = matrix.T.tocsr()
    found = start.copy()
    pull = pull[:, None]

    def left(values):
        return transposed @ (matrix @ values) + pull * values

    # Scaled by the diagonal: frequent tokens would take far more steps.
    scale = 1 / (numpy.asarray(matrix.multiply(matrix).sum(axis=0)).ravel()[:, None] + pull)
    rest = transposed @ targets + pull * prior - left(found)
    scaled = scale * rest
    direction = scaled.copy()
    product = (rest * scaled).sum(axis=0)
    for _ in range(STEPS):
        moved = left(direction)
        step = product / numpy.maximum((direction * moved).sum(axis=0), 1e-20)
        found += step * direction
        rest -= step * moved
        scaled = scale * rest
        following = (rest * scaled).sum(axis=0)
        direction = scaled + following / numpy.maximum(product, 1e-20) * direction
        product = following
    return found


def cosines(table, matrix, targets):
    return (unit(matrix @ table) * unit(targets)).sum(axis=1)


def agreement(table, matrix, targets, seed):
    """How well likenesses of pairs of held-out texts agree with MiniLM's: their correlation."""
    order = numpy.random.default_rng(seed).permutation(matrix.shape[0])
    found, wanted = unit(matrix @ table), unit(targets)
    one, other = (found * found[order]).sum(1), (wanted * wanted[order]).sum(1)
    return numpy.corrcoef(one, other)[0, 1]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("texts")
    options.add_argument("vectors")
    options.add_argument("output")
    options.add_argument("--dimensions", type=int, default=128)
    options.add_argument("--step", type=float, default=1.4, help="what a rare token's component is rounded to, of the components' deviation")
    options.add_argument("--pull", type=float, default=3.0)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--exact", help="a file for the vectors before they are rounded")
    asked = options.parse_args()

    encoder = Encoder(package.get_model_path())
    words = Words(encoder.tokenizer)
    texts, vectors = read(asked.texts, asked.vectors)
    counts = counted(words, texts)
    print(f"{len(texts)} texts, {len(words.tokens)} tokens, {counts.nnz} uses", file=sys.stderr)

    mean = vectors.mean(axis=0)
    centred = vectors - mean
    spread, axes = numpy.linalg.eigh(centred.T @ centred / len(centred))
    axes = axes[:, ::-1][:, : asked.dimensions]
    print(f"{spread[::-1][: asked.dimensions].sum() / spread.sum():.3f} of the variance is kept", file=sys.stderr)
    targets = centred @ axes

    own_path = Path(f"{asked.vectors}.own.npy")
    if not own_path.exists():
        numpy.save(own_path, own_vectors(encoder, words.ids))
    prior = (numpy.load(own_path) - mean) @ axes
    # A frequent token says little: its own vector counts by the logarithm of its rank.
    frequency = numpy.asarray(counts.sum(axis=0)).ravel()
    rank = numpy.empty(len(frequency))
    rank[numpy.argsort(-frequency, kind="stable")] = numpy.arange(len(frequency))
    prior *= (numpy.log(2 + rank) / numpy.log(2 + len(rank)))[:, None]
    prior = prior.astype(numpy.float32)

    train, held = counts[HELD_OUT:], counts[:HELD_OUT]
    wanted, held_wanted = unit(targets[HELD_OUT:]).astype(numpy.float32), targets[:HELD_OUT]
    full = centred[:HELD_OUT]
    table = prior
    report("own vectors", table, held, held_wanted, full)
    for round in range(asked.rounds):
        # The length that the tokens give a text now, so that only its direction is fitted.
        lengths = numpy.linalg.norm(train @ table, axis=1)
        lengths = numpy.maximum(lengths, numpy.quantile(lengths, 0.02))
        scaled = (sparse.diags((1 / lengths).astype(numpy.float32)) @ train).tocsr()
        pull = numpy.full(len(prior), asked.pull / numpy.median(lengths) ** 2, numpy.float32)
        table = solve(scaled, wanted, prior, pull, table)
        report(f"round {round + 1}", table, held, held_wanted, full)

    if asked.exact:
        numpy.save(asked.exact, table)
    components, shifts = rounded(table, frequency, asked.step)
    report("rounded", components.astype(numpy.float32) * 2.0 ** shifts[:, None], held, held_wanted, full)
    data = bytes_of(words.tokens, components, shifts)
    Path(asked.output).write_bytes(data)
    print(f"{len(data)} bytes, {len(brotli.compress(data))} in brotli", file=sys.stderr)


def rounded(table, frequency, step):
    """The vectors in whole steps, and by token, the power of 2 that is its step. A frequent token has small ones.

    All dimensions of a token have the same step: the later ones are smaller, and take fewer bits. What the texts never or once
    had says nothing: the token stays, so that its word isn't cut into others, and its vector is 0.
    """
    step = step * table.std() / 2**FINEST
    exponents = numpy.log2(10 / numpy.maximum(frequency, 1)) / 2  # the square root of how rare it is
    shifts = numpy.clip(numpy.rint(exponents) + FINEST, 0, FINEST).astype(numpy.uint8)
    vectors = numpy.where(frequency[:, None] < 2, 0, table)
    components = numpy.rint(vectors / (step * 2.0 ** shifts[:, None]))
    return numpy.clip(components, -127, 127).astype(numpy.int8), shifts


def bytes_of(tokens, components, shifts):
    """The file of a table: see `Table::from_bytes` in crates/meaning."""
    texts = "\n".join(tokens).encode()
    body = struct.pack("<III", components.shape[1], len(tokens), len(texts)) + texts
    body += shifts.tobytes() + components.T.tobytes()
    return b"meaning1" + struct.pack("<Q", xxhash.xxh64_intdigest(body)) + body


def report(name, table, held, held_targets, full):
    near = cosines(table, held, held_targets)
    print(f"{name:10} cosine {near.mean():.4f}  agreement {agreement(table, held, full, 1):.4f}", file=sys.stderr)


if __name__ == "__main__":
    main()
