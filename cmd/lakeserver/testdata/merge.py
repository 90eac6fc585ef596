"""Writes merge.tsv: MERGE statements over small tables, and the rows that DuckDB has afterwards.

    python3 merge.py > merge.tsv        (duckdb >= 1.4)

A line is: statement, rows of the target afterwards (JSON). The target is t(id, n, s), the source s(id, n, w).
"""
import itertools
import json
import random

import duckdb

TARGET = "SELECT range AS id, range % 4 AS n, 'old' || range AS s FROM range(12)"
SOURCE = "SELECT range * 2 + 3 AS id, range AS n, 'new' || range AS w FROM range(9)"

MATCHED = [
    "WHEN MATCHED THEN DELETE",
    "WHEN MATCHED THEN UPDATE SET n = b.n",
    "WHEN MATCHED AND b.n % 2 = 0 THEN DELETE",
    "WHEN MATCHED AND a.n > 1 THEN UPDATE SET n = a.n * 10 + b.n, s = concat(a.s, b.w)",
    "WHEN MATCHED AND a.n > 1 AND b.n > 2 THEN DO NOTHING",
]
BY_TARGET = [
    "WHEN NOT MATCHED THEN INSERT (id, n, s) VALUES (b.id, b.n, b.w)",
    "WHEN NOT MATCHED AND b.n > 6 THEN INSERT (id, s) VALUES (b.id + 100, 'far')",
    "WHEN NOT MATCHED AND b.n = 5 THEN DO NOTHING",
]
BY_SOURCE = [
    "WHEN NOT MATCHED BY SOURCE THEN DELETE",
    "WHEN NOT MATCHED BY SOURCE AND a.n = 2 THEN UPDATE SET s = concat(a.s, '?')",
    "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET n = -a.n",
]
ON = ["a.id = b.id", "a.id = b.id AND a.n <> 1", "a.id + 1 = b.id AND b.n < 5", "a.id = b.id AND b.n > 1 AND a.s <> 'old7'"]


def ordered(clauses):
    """Clauses without a condition come last: what stands behind one is never reached."""
    return sorted(clauses, key=lambda c: " AND " not in c.split(" THEN ")[0])


def main():
    rnd = random.Random(7)
    seen = set()
    while len(seen) < 120:
        clauses = []
        for kind in (MATCHED, BY_TARGET, BY_SOURCE):
            picked = rnd.sample(kind, rnd.randint(0, min(2, len(kind))))
            if sum(" AND " not in c.split(" THEN ")[0] for c in picked) > 1:
                picked = picked[:1]
            clauses += ordered(picked)
        if not clauses:
            continue
        statement = f"MERGE INTO t AS a USING s AS b ON {rnd.choice(ON)} " + " ".join(clauses)
        if statement in seen:
            continue
        seen.add(statement)
        con = duckdb.connect()
        con.execute(f"CREATE TABLE t (id BIGINT, n BIGINT DEFAULT 0, s VARCHAR); INSERT INTO t {TARGET}; CREATE TABLE s AS {SOURCE}")
        con.execute(statement)
        rows = con.execute("SELECT * FROM t ORDER BY id, n, s").fetchall()
        print(statement, json.dumps(rows), sep="\t")


main()
