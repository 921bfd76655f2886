#!/usr/bin/env python3
"""Databases that the tests of the reader of SQLite need, written by the SQLite of Python.

Usage: sqlite.py random FOLDER SEED COUNT    writes databases, and beside each its values as JSON
       sqlite.py writer FILE MODE SECONDS    changes a database all the time; fails if it must wait once
       sqlite.py crash FILE                  ends in the middle of a transaction that reached the disk
"""

import json
import os
import pathlib
import random
import sqlite3
import sys
import time

TYPES = ["INTEGER", "varchar(255)", "float", "TEXT", "BLOB", "", "string", "tinyint(4)", "double", "NUMERIC"]
DEFAULTS = ["", " default 7", " NOT NULL default 0", " default '0.6'", " default 'it''s'", " default -3", " default 1.5",
            " default NULL", " NOT NULL DEFAULT FALSE", " DEFAULT X'00ff'"]


def encoded(value):
    """A value in JSON."""
    if value is None:
        return None
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, str):
        return {"bytes": value.encode().hex()}
    return {"number": float(value).hex(), "int": value if isinstance(value, int) else None}


def value(dice, page_size):
    base = min(page_size, 1024)
    length = dice.choice([0, 1, 3, 30, 200, base - 40, base, 3 * base])
    if dice.randrange(50) == 0:
        # Pages of 65,536 bytes overflow as well.
        length = max(20 * base, page_size) + 7
    return dice.choice([
        lambda: None,
        lambda: dice.choice([0, 1, -1, 127, -128, 32767, -(1 << 23), 1 << 31, -(1 << 47), (1 << 63) - 1, -(1 << 63)]),
        lambda: dice.randint(-(1 << 63), (1 << 63) - 1) >> dice.randint(0, 63),
        lambda: dice.choice([0.0, 1.5, -2.0, 1e300, 205.5173797607422, float("inf")]),
        lambda: "".join(dice.choice("aZ 09é漢😀'\n") for _ in range(length)),
        lambda: dice.randbytes(length),
        lambda: dice.choice(["12", "0.25", "True", "AAEC", "1e5"]),
    ])()


def random_database(path, dice):
    if path.exists():
        path.unlink()
    database = sqlite3.connect(path, isolation_level=None)
    page_size = dice.choice([512, 1024, 1024, 4096, 65536])
    database.execute(f"PRAGMA page_size = {page_size}")
    database.execute(f"PRAGMA encoding = '{dice.choice(['UTF-8', 'UTF-16le', 'UTF-16le', 'UTF-16be'])}'")
    database.execute(f"PRAGMA auto_vacuum = {dice.choice([0, 0, 1, 2])}")
    database.execute(f"PRAGMA journal_mode = {dice.choice(['delete', 'wal', 'truncate', 'persist'])}")
    tables = []
    for number in range(dice.randint(1, 4)):
        columns = [f"c{place} {dice.choice(TYPES)}" for place in range(dice.randint(1, 12))]
        keys = dice.choice(["", "", ", PRIMARY KEY (c0)"])
        if dice.randrange(4) == 0:
            columns[0] = "c0 INTEGER PRIMARY KEY"
            keys = ""
        database.execute(f'CREATE TABLE "T {number}" ({", ".join(columns)}{keys})')
        if dice.randrange(3) == 0:
            database.execute(f'CREATE INDEX i{number} ON "T {number}" (c0)')
        tables.append((f"T {number}", len(columns)))
    database.execute("CREATE VIEW a_view AS SELECT 1 AS x")
    for _ in range(dice.randint(1, 6)):
        table, width = dice.choice(tables)
        database.execute("BEGIN")
        for _ in range(dice.choice([1, 5, 60])):
            row = [value(dice, page_size) for _ in range(width)]
            places = ", ".join("?" * width)
            try:
                database.execute(f'INSERT INTO "{table}" VALUES ({places})', row)
            except sqlite3.IntegrityError:
                pass
        if dice.randrange(2) == 0:
            database.execute(f'DELETE FROM "{table}" WHERE rowid % ? = 0', [dice.randint(2, 5)])
        database.execute("COMMIT" if dice.randrange(5) else "ROLLBACK")
        if dice.randrange(2) == 0:
            added = f"c{width} {dice.choice(TYPES)}{dice.choice(DEFAULTS)}"
            place = tables.index((table, width))
            try:
                database.execute(f'ALTER TABLE "{table}" ADD COLUMN {added}')
                tables[place] = (table, width + 1)
            except sqlite3.OperationalError:
                pass
        if dice.randrange(6) == 0:
            database.execute("VACUUM")
    expected = {}
    for table, width in tables:
        names = ", ".join(f"c{place}" for place in range(width))
        rows = database.execute(f'SELECT rowid, {names} FROM "{table}" NOT INDEXED ORDER BY rowid').fetchall()
        expected[table.lower()] = [[row[0], [encoded(each) for each in row[1:]]] for row in rows]
    path.with_suffix(".json").write_text(json.dumps(expected))
    # A log disappears when its last program ends, so keep it, as after a crash.
    beside = [pathlib.Path(f"{path}-wal"), pathlib.Path(f"{path}-journal")]
    kept = [(file, file.read_bytes()) for file in [path, *beside] if file.exists()]
    database.close()
    for file, content in kept:
        file.write_bytes(content)


def writer(path, mode, seconds):
    """Each transaction gives all rows the next number and changes how many there are. Some are undone."""
    dice = random.Random(1)
    # No time to wait: any lock of another program ends this one with an error.
    database = sqlite3.connect(path, isolation_level=None, timeout=0)
    database.execute("PRAGMA page_size = 1024")
    database.execute(f"PRAGMA journal_mode = {mode}")
    database.execute("PRAGMA synchronous = OFF")
    database.execute("PRAGMA cache_size = 5")
    database.execute("CREATE TABLE IF NOT EXISTS numbered (number INTEGER, filler BLOB)")
    database.execute("CREATE TABLE IF NOT EXISTS assets (uuid, data BLOB)")
    number, end = 1, time.monotonic() + seconds
    longest = 0.0
    print("ready", flush=True)
    while time.monotonic() < end:
        began = time.monotonic()
        database.execute("BEGIN IMMEDIATE")
        database.execute("DELETE FROM numbered WHERE rowid % 3 = ?", [number % 3])
        for _ in range(100):
            database.execute("INSERT INTO numbered VALUES (?, ?)", [number, dice.randbytes(dice.choice([10, 3000]))])
        database.execute("UPDATE numbered SET number = ?", [number])
        database.execute("DELETE FROM numbered WHERE rowid > (SELECT min(rowid) + 299 FROM numbered)")
        count = database.execute("SELECT count(*) FROM numbered").fetchone()[0]
        database.execute("INSERT INTO numbered VALUES (?, ?)", [-number, str(count + 1).encode()])
        database.execute("DELETE FROM numbered WHERE number < 0 AND number > ?", [-number])
        if number % 4 == 0:
            # The cache has spilled, so the file has pages of this transaction.
            time.sleep(0.03)
        if number % 7 == 0:
            database.execute("ROLLBACK")
        else:
            count = database.execute("SELECT count(*) FROM numbered").fetchone()[0]
            database.execute("UPDATE numbered SET filler = ? WHERE number < 0", [str(count).encode()])
            database.execute("COMMIT")
        longest = max(longest, time.monotonic() - began)
        number += 1
        time.sleep(dice.choice([0, 0, 0.002, 0.08, 0.3]))
    print(f"{number} transactions, the longest took {longest:.3f} s", flush=True)


def main(command, path, *rest):
    if command == "random":
        seed, count = map(int, rest)
        for number in range(seed, seed + count):
            random_database(pathlib.Path(path) / f"{number}.db", random.Random(number))
    elif command == "writer":
        writer(path, rest[0], float(rest[1]))
    elif command == "crash":
        database = sqlite3.connect(path, isolation_level=None)
        database.execute("PRAGMA cache_size = 5")
        database.execute("BEGIN")
        database.execute("UPDATE numbered SET number = 0")
        database.execute("DELETE FROM numbered WHERE rowid % 2 = 0")
        for _ in range(50):
            database.execute("INSERT INTO numbered VALUES (0, randomblob(5000))")
        os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
