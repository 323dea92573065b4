"""Computes the vectors of short texts for divan-bench, with the model of Docs/examples/text-model.

usage: embeddings.py FOLDER < LINES

Each different line is a text. Writes FOLDER/vectors-text.f32 and, of 1,000 other texts, FOLDER/queries-text.f32.
"""

import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Docs/examples/text-model"))
from embed import TextModel

QUERY_COUNT = 1_000


def main():
    folder = pathlib.Path(sys.argv[1])
    texts = sorted({line.strip() for line in sys.stdin} - {""})
    if len(texts) < 20 * QUERY_COUNT:
        sys.exit(f"embeddings.py: only {len(texts):,} texts; run 'apt-get update' first")
    random.Random(1).shuffle(texts)
    vectors = TextModel().vectors(texts)
    folder.mkdir(parents=True, exist_ok=True)
    vectors[:QUERY_COUNT].tofile(folder / "queries-text.f32")
    vectors[QUERY_COUNT:].tofile(folder / "vectors-text.f32")
    print(f"{len(texts) - QUERY_COUNT:,} vectors and {QUERY_COUNT:,} queries in {folder}")


main()
