"""Writes the vector of each text with MiniLM: 384 16-bit floats a text, in the order of the texts.

    python encode.py texts.jsonl vectors.f16
"""

import json
import multiprocessing
import os
import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).parents[2] / "benches" / "recall"))
from vectors import Encoder, package  # noqa: E402

TEXTS_PER_PART = 2_048


def start():
    global encoder
    encoder = Encoder(package.get_model_path())


def encoded(texts):
    return encoder.vectors_of(texts).astype("<f2")


def main():
    source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as lines:
        texts = [json.loads(line) for line in lines]
    parts = [texts[start : start + TEXTS_PER_PART] for start in range(0, len(texts), TEXTS_PER_PART)]
    with multiprocessing.Pool(os.cpu_count(), start) as pool, open(f"{target}.part", "wb") as output:
        for count, vectors in enumerate(pool.imap(encoded, parts), 1):
            output.write(vectors.tobytes())
            output.flush()
            print(f"\r{count} of {len(parts)} parts are encoded", end="", file=sys.stderr)
    print(file=sys.stderr)
    os.replace(f"{target}.part", target)


if __name__ == "__main__":
    main()
