#!/usr/bin/env python3
"""Checks that a region database, and a dump of it, gives the figures of an archive of the same region.

Usage: dumps.py HULLMARK DATA

DATA has the databases that a true OpenSimulator left after it loaded two archives. Python's own SQLite reads them, and
this script writes the dumps of three products. hullmark also reads the databases themselves, as one folder and by
prefix. Each object must have the figures of one in the archive.
"""

import base64
import collections
import csv
import gzip
import hashlib
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

REGIONS = ["pathfindplayground", "faraway"]
# A load gives new UUIDs, and the owner of the new region. Scripts set volume detection again when they start.
OTHERWISE = {
    "archive", "identity", "entry", "region", "region_uuid", "object_uuid", "part_uuid", "owner_uuid", "creator_uuid",
    "folder", "oddities", "physics_shape_type", "volume_detect",
}
# The status of a region. An archive, a database and a dump have different findings about themselves.
STATUS = {"verdict", "blockers", "errors", "warnings", "findings", "lost", "worst_severity", "worst_code", "worst_finding"}
# The database of assets has scripts and textures of the library, too, and one archive does not begin with its control file.
OTHER_FINDINGS = {"ARC005", "AST009", "RUN003", "SCR003", "SCR004"}
# Relative difference of numbers that a file of 2010 has with nine digits, and the database with those of a float.
ROUNDING = 2e-6


def tables(folder):
    """The tables of all databases of a simulator: name, columns, rows."""
    for name in ["Asset.db", "OpenSim.db", "inventory.db"]:
        database = sqlite3.connect(f"file:{folder / name}?mode=ro&immutable=1", uri=True)
        names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'migrations' ORDER BY name"
        for (table,) in database.execute(names).fetchall():
            cursor = database.execute(f'SELECT * FROM "{table}"')
            yield table, [column[0] for column in cursor.description], cursor.fetchall()


def blob(table, column, value):
    """A blob of the other products, which SQLite holds as base64."""
    if (table, column) == ("prims", "ParticleSystem") and isinstance(value, str):
        return base64.b64decode(value)
    return value


def with_tree(folder, tree):
    """A dump whose assets are files of FSAssets: the table names them by their hashes."""
    def listed(folder):
        for table, columns, rows in tables(folder):
            if table != "assets":
                yield table, columns, rows
                continue
            place = {column: columns.index(column) for column in ["UUID", "Type", "Data"]}
            stored = []
            for row in rows:
                data = row[place["Data"]]
                digits = hashlib.sha256(data).hexdigest().upper()
                path = tree / digits[:2] / digits[2:4] / digits[4:6] / digits[6:10]
                path.mkdir(parents=True, exist_ok=True)
                (path / f"{digits}.gz").write_bytes(gzip.compress(data, 1, mtime=0))
                stored.append((row[place["UUID"]], row[place["Type"]], digits))
            yield "fsassets", ["id", "type", "hash"], stored

    return mysql(folder, source=listed)


def mysql(folder, options="", source=None):
    escapes = {0: b"\\0", 10: b"\\n", 13: b"\\r", 26: b"\\Z", 34: b'\\"', 39: b"\\'", 92: b"\\\\"}

    def text(value):
        if value is None:
            return b"NULL"
        if isinstance(value, (int, float)):
            return repr(value).encode()
        if isinstance(value, bytes) and "hex" in options:
            return b"0x" + value.hex().encode() if value else b"''"
        raw = value if isinstance(value, bytes) else value.encode()
        prefix = b"_binary " if isinstance(value, bytes) and "binary" in options else b""
        return prefix + b"'" + b"".join(escapes.get(byte, bytes([byte])) for byte in raw) + b"'"

    yield b"-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)\n--\n-- Host: localhost    Database: opensim\n"
    for table, columns, rows in (source or tables)(folder):
        defined = b",\n".join(b"  `%s` text" % column.encode() for column in columns)
        yield b"DROP TABLE IF EXISTS `%s`;\nCREATE TABLE `%s` (\n%s\n) ENGINE=InnoDB;\n" % (
            table.encode(), table.encode(), defined)
        for start in range(0, len(rows), 50):
            values = [
                b"(" + b",".join(text(blob(table, *cell)) for cell in zip(columns, row)) + b")"
                for row in rows[start:start + 50]
            ]
            yield b"INSERT INTO `%s` VALUES %s;\n" % (table.encode(), b",".join(values))
    yield b"-- Dump completed on 2026-11-24  3:00:00\n"


def postgresql(folder):
    def text(value):
        if value is None:
            return b"\\N"
        if isinstance(value, bytes):
            return b"\\\\x" + value.hex().encode()
        raw = str(value).encode() if not isinstance(value, float) else repr(value).encode()
        for plain, escaped in [(b"\\", b"\\\\"), (b"\t", b"\\t"), (b"\n", b"\\n"), (b"\r", b"\\r")]:
            raw = raw.replace(plain, escaped)
        return raw

    yield b"--\n-- PostgreSQL database dump\n--\n\n\\restrict token\nSET standard_conforming_strings = on;\n"
    for table, columns, rows in tables(folder):
        rows = [[blob(table, *cell) for cell in zip(columns, row)] for row in rows]
        is_bytea = [any(isinstance(row[place], bytes) for row in rows) for place in range(len(columns))]
        kinds = [b"bytea" if blob else b"text" for blob in is_bytea]
        defined = b",\n".join(b'    "%s" %s' % (column.encode(), kind) for column, kind in zip(columns, kinds))
        yield b"CREATE TABLE public.%s (\n%s\n);\n" % (table.lower().encode(), defined)
        listed = b", ".join(b'"%s"' % column.encode() for column in columns)
        yield b"COPY public.%s (%s) FROM stdin;\n" % (table.lower().encode(), listed)
        for row in rows:
            yield b"\t".join(map(text, row)) + b"\n"
        yield b"\\.\n\n"
    yield b"--\n-- PostgreSQL database dump complete\n--\n"


def sqlite(folder):
    for name in ["Asset.db", "OpenSim.db", "inventory.db"]:
        database = sqlite3.connect(f"file:{folder / name}?mode=ro&immutable=1", uri=True)
        for statement in database.iterdump():
            yield statement.encode() + b"\n"


def figures(hullmark, paths, out):
    """Rows of the report, without what a load changes."""
    paths = paths if isinstance(paths, list) else [paths]
    path = paths[0]
    done = subprocess.run([hullmark, "audit", *paths, "--out", out, "--format", "csv", "-q"], check=False)
    if done.returncode > 2:
        sys.exit(f"{path}: exit {done.returncode}")
    found = {}
    for table in ["regions", "parcels", "objects", "parts"]:
        with open(out / f"{table}.csv", newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row.get("role", "rezzed") == "rezzed"]
            # Parts of objects in inventories are rows only where their assets are inputs.
            found[table] = [row for row in rows if not row.get("entry", "").startswith("assets/")]
    with open(out / "findings.csv", newline="", encoding="utf-8") as file:
        found["findings"] = [{"code": row["code"]} for row in csv.DictReader(file) if row["code"] not in OTHER_FINDINGS]
    return found


def compare(name, expected, found, otherwise=frozenset()):
    """Compares each column as a sorted list, because no UUID connects the rows."""
    for table, rows in expected.items():
        others = found[table]
        if len(rows) != len(others):
            sys.exit(f"{name}: {table} has {len(others)} rows, the archive {len(rows)}")
        for column in rows[0] if rows else []:
            if column in OTHERWISE | otherwise or table == "regions" and column in STATUS:
                continue
            ours, theirs = (sorted(key(row[column]) for row in side) for side in (others, rows))
            for one, other in zip(ours, theirs):
                if one != other and not is_near(one, other):
                    sys.exit(f"{name}: {table}.{column} is {one}, in the archive {other}")


def key(value):
    try:
        return (0, float(value), "")
    except ValueError:
        return (1, 0.0, value)


def is_near(one, other):
    return one[0] == other[0] == 0 and abs(one[1] - other[1]) <= ROUNDING * max(1.0, abs(other[1]))


def main(hullmark, data):
    data = pathlib.Path(data)
    if not (data / "databases/opensim-0.9.2.2").is_dir():
        print("There are no databases, so dumps were not compared.", file=sys.stderr)
        return
    writers = {
        "mysql.sql": mysql,
        "mysql-binary.sql": lambda folder: mysql(folder, "binary"),
        "mysql-hex.sql.gz": lambda folder: mysql(folder, "hex"),
        "postgresql.sql": postgresql,
        "sqlite.sql": sqlite,
    }
    for region in REGIONS:
        folder = data / "databases/opensim-0.9.2.2" / region
        with tempfile.TemporaryDirectory() as work:
            work = pathlib.Path(work)
            expected = figures(hullmark, data / f"{region}.oar", work / "archive")
            objects = collections.Counter(row["name"] for row in expected["objects"])
            for name, path in [("folder", folder), ("prefix", f"sqlite:{folder}")]:
                found = figures(hullmark, path, work / f"of-{name}")
                if collections.Counter(row["name"] for row in found["objects"]) != objects:
                    sys.exit(f"{region}, {name}: other names of objects")
                compare(f"{region}, {name}", expected, found)
                print(f"{region}, {name}: {len(found['objects'])} objects as in the archive")
            for name, write in writers.items():
                path = work / name
                with (gzip.open(path, "wb", 1) if name.endswith(".gz") else open(path, "wb")) as file:
                    file.writelines(write(folder))
                found = figures(hullmark, path, work / f"of-{name}")
                if collections.Counter(row["name"] for row in found["objects"]) != objects:
                    sys.exit(f"{region}, {name}: other names of objects")
                compare(f"{region}, {name}", expected, found)
                print(f"{region}, {name}: {len(found['objects'])} objects as in the archive")
                path.unlink()
            path, tree = work / "opensim.sql", work / "fsassets"
            path.write_bytes(b"".join(with_tree(folder, tree)))
            compare_tree(hullmark, region, expected, [path, f"fsassets:{tree}"], work)


def compare_tree(hullmark, region, expected, paths, work):
    """A tree gives the figures of an archive as an input and as a store."""
    dump, tree = paths
    for name, inputs in [("input", [dump, tree]), ("store", [dump, "--assets", dump, "--assets", tree])]:
        found = figures(hullmark, inputs, work / f"of-{name}")
        # Without an asset of a kind in the dump, one finding reports all that are missing, and none is at an object.
        tables = {table: rows for table, rows in expected.items() if table != "findings"}
        compare(f"{region}, fsassets as {name}", tables, found, {"worst_severity", "findings", "cure"})
        print(f"{region}, fsassets as {name}: {len(found['objects'])} objects as in the archive")


if __name__ == "__main__":
    main(*sys.argv[1:])
