#!/usr/bin/env python3
"""Writes the dumps of three products for one SQLite database of inventories.

Usage: inventory_dumps.py DATABASE FOLDER

The writers are those of dumps.py. The test `real_inventories_are_equal_in_three_dialects` reads the dumps.
"""

import pathlib
import sqlite3
import sys

import dumps


def main(path, folder):
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)

    def tables(_):
        for table in ["inventoryfolders", "inventoryitems"]:
            cursor = database.execute(f'SELECT * FROM "{table}"')
            yield table, [column[0] for column in cursor.description], cursor.fetchall()

    dumps.tables = tables
    (folder / "mysql.sql").write_bytes(b"".join(dumps.mysql(None)))
    (folder / "postgresql.sql").write_bytes(b"".join(dumps.postgresql(None)))
    (folder / "sqlite.sql").write_bytes(b"".join(line.encode() + b"\n" for line in database.iterdump()))


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
