#!/usr/bin/env python3
"""Reads a table of a drill with DuckDB, which finds out the types by itself, and compares it with Python's reader of CSV: columns, rows,
and the sum of each column of whole numbers. Argument: the table. The status is 1 if they differ."""

import csv
import sys

import duckdb


def main():
    path = sys.argv[1]
    found = duckdb.sql(f"SELECT * FROM read_csv({path!r}, header = true, all_varchar = false)")
    with open(path, newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    if found.columns != head:
        return f"the columns are {found.columns}"
    if len(found) != len(rows):
        return f"it has {len(found)} rows of {len(rows)}"
    sums = 0
    for at, (name, kind) in enumerate(zip(head, found.types)):
        if str(kind) in ("BIGINT", "HUGEINT"):
            [(total,)] = found.aggregate(f'sum("{name}")').fetchall()
            if (total or 0) != sum(int(row[at]) for row in rows if row[at]):
                return f"the sum of {name} is {total}"
            sums += 1
    print(f"{len(rows)} rows, {len(head)} columns, {sums} of whole numbers with the same sum")
    return 0


sys.exit(main())
