"""Measures faiss, hnswlib and sqlite-vec on the vectors of divan-bench, each query by itself on one thread.

usage: yardsticks.py FOLDER SET DIVAN.json

SET is 384, 128 (dimensions) or text. FOLDER has vectors-SET.f32 and queries-SET.f32, which `divan-bench run --vectors
FOLDER` or embeddings.py writes. DIVAN.json is the report of the same run. Prints one table with both, and adds the others to DIVAN.json.
"""

import json
import sys
import time

import apsw
import faiss
import hnswlib
import numpy
import sqlite_vec

NEIGHBOURS = 10
PROBES = (1, 2, 4, 8, 16, 32, 64)


class Trial:
    """The queries, their true neighbours, and the rows of the table."""

    def __init__(self, folder, name):
        dimensions = 384 if name == "text" else int(name)

        def read(kind):
            floats = numpy.fromfile(f"{folder}/{kind}-{name}.f32", dtype="<f4")
            return floats.reshape(-1, dimensions)

        self.vectors, self.queries = read("vectors"), read("queries")
        exact = faiss.IndexFlatL2(dimensions)
        exact.add(self.vectors)
        self.neighbours = exact.search(self.queries, NEIGHBOURS)[1]
        self.rows = []

    def add(self, name, search, build_seconds, count=None):
        """Runs `search`, which returns the numbers of the nearest vectors, for `count` queries."""
        queries = self.queries[:count]
        for query in queries[:20]:
            search(query)
        found = []
        start = time.perf_counter()
        for query in queries:
            found.append(search(query))
        rate = len(queries) / (time.perf_counter() - start)
        right = sum(len(set(a) & set(b)) for a, b in zip(found, self.neighbours.tolist()))
        self.rows.append((name, right / len(queries) / NEIGHBOURS, rate, build_seconds))


def measure_faiss(trial):
    count, dimensions = trial.vectors.shape
    cells = int(count**0.5)
    start = time.perf_counter()
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatL2(dimensions), dimensions, cells, faiss.ScalarQuantizer.QT_8bit
    )
    index.train(trial.vectors[: 100 * cells])
    index.add(trial.vectors)
    seconds = time.perf_counter() - start
    faiss.omp_set_num_threads(1)
    for probes in PROBES:
        index.nprobe = probes
        name = f"faiss IVF{cells} SQ8, {probes} cells"
        trial.add(name, lambda query: index.search(query[None], NEIGHBOURS)[1][0].tolist(), seconds)


def measure_hnswlib(trial):
    count, dimensions = trial.vectors.shape
    start = time.perf_counter()
    index = hnswlib.Index("l2", dimensions)
    index.init_index(count, ef_construction=200, M=16)
    index.add_items(trial.vectors)
    seconds = time.perf_counter() - start
    index.set_num_threads(1)
    for effort in (16, 64, 256):
        index.set_ef(effort)
        name = f"hnswlib M=16, ef {effort}"
        trial.add(name, lambda query: index.knn_query(query, NEIGHBOURS)[0][0].tolist(), seconds)


def measure_sqlite_vec(trial):
    # Python's own sqlite3 may be built without extensions.
    database = apsw.Connection(":memory:")
    database.enable_load_extension(True)
    database.load_extension(sqlite_vec.loadable_path())
    start = time.perf_counter()
    database.execute(f"CREATE VIRTUAL TABLE v USING vec0(v float[{trial.vectors.shape[1]}])")
    with database:
        database.executemany(
            "INSERT INTO v (rowid, v) VALUES (?, ?)",
            ((number, vector.tobytes()) for number, vector in enumerate(trial.vectors)),
        )
    seconds = time.perf_counter() - start
    sql = "SELECT rowid FROM v WHERE v MATCH ? AND k = ?"

    def search(query):
        return [row[0] for row in database.execute(sql, (query.tobytes(), NEIGHBOURS))]

    trial.add("sqlite-vec, scan", search, seconds, count=20)


def divan_rows(path):
    """The rows of the searches in a report of divan-bench."""
    figures = json.load(open(path))["figures"]
    values = {figure["name"].split(": ", 1)[1]: figure for figure in figures}
    build = values["build"]["ours"]
    default = values["recall of 10, default"]["ours"]
    rows = [("Divan, default", default, values["queries, one thread"]["ours"], build)]
    for probes in PROBES:
        figure = values[f"queries, {probes} cells"]
        recall = float(figure["floorName"].split()[1])
        rows.append((f"Divan, {probes} cells", recall, figure["ours"], build))
    return rows + [("Divan, exact", 1.0, 1e3 / values["exact query"]["ours"], build)]


def add_figures(path, rows):
    """Adds the rows of other libraries to the report, for `divan-bench draw`."""
    report = json.load(open(path))
    size = report["figures"][0]["name"].split(": ")[0]
    for name, recall, rate, _ in rows:
        figure = {"name": f"{size}: {name}", "unit": "1/s", "ours": rate, "floorName": f"recall {recall:.3f}"}
        report["figures"].append(figure)
    json.dump(report, open(path, "w"))


def main():
    folder, name, report = sys.argv[1:]
    trial = Trial(folder, name)
    count, dimensions = trial.vectors.shape
    for measure in (measure_faiss, measure_hnswlib, measure_sqlite_vec):
        measure(trial)
    rows = divan_rows(report)
    add_figures(report, trial.rows)
    print(f"| {count:,} × {dimensions}{' of texts' if name == 'text' else ''} | recall of 10 | queries/s | build, s |")
    print("|---|---|---|---|")
    for name, recall, rate, seconds in rows + trial.rows:
        print(f"| {name} | {recall:.3f} | {rate:,.0f} | {seconds:,.1f} |")


main()
