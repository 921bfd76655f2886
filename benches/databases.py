#!/usr/bin/env python3
"""Times scans of databases beside plain readers of the same bytes, in turns, and prints a table.

Usage: databases.py HULLMARK DATA FOLDER [ROUNDS [TIMES]]

DATA has the databases of true simulators. FOLDER keeps the inputs, which are made once: a SQLite database with TIMES (8)
copies of each object and asset, and dumps of it. Each pair runs once to warm the page cache and then in ROUNDS (5)
rounds, A B A B; the ratio is the median of the rounds' ratios. tests/scripts/servers.py does the same for servers.
"""

import gzip
import multiprocessing
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests/scripts"))
import dumps
from measured import run

REGION = "pathfindplayground"
# Columns that name a row. A copy has others.
KEYS = {"prims": ["UUID", "SceneGroupID"], "primshapes": ["UUID"], "assets": ["UUID"]}
READER = """
import sqlite3, sys
for path in sys.argv[1:]:
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        for row in database.execute(f'SELECT * FROM "{table}"'):
            pass
"""


def other(text, copy):
    """The UUID of a copy. Rows of several tables that belong together still do."""
    return str(uuid.uuid5(uuid.UUID(text), str(copy))) if text and uuid.UUID(text).int else text


def enlarge(source, folder, times):
    """Copies the databases of a simulator, with so many copies of each prim and asset."""
    folder.mkdir()
    for name in ["Asset.db", "OpenSim.db", "inventory.db"]:
        shutil.copyfile(source / name, folder / name)
        database = sqlite3.connect(folder / name)
        tables = {table for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        for table in tables & KEYS.keys():
            cursor = database.execute(f'SELECT * FROM "{table}"')
            columns = [column[0] for column in cursor.description]
            rows = cursor.fetchall()
            for copy in range(1, times):
                changed = [
                    [other(value, copy) if column in KEYS[table] else value for column, value in zip(columns, row)]
                    for row in rows
                ]
                database.executemany(f'INSERT INTO "{table}" VALUES ({",".join("?" * len(columns))})', changed)
        database.commit()
        database.close()


def make(source, folder, times):
    """Makes the inputs that are not there yet. Returns the databases and the dumps."""
    database = folder / f"sqlite-{times}"
    if not database.exists():
        enlarge(source, database, times)
    writers = {
        "mysql": lambda: dumps.mysql(database),
        "hex": lambda: dumps.mysql(database, "hex"),
        "postgresql": lambda: dumps.postgresql(database),
    }
    for name, lines in writers.items():
        if not (path := folder / f"{name}-{times}.sql.gz").exists():
            with gzip.open(path, "wb", 6) as file:
                file.writelines(lines())


def main(hullmark, data, folder, rounds=5, times=8):
    source, folder = pathlib.Path(data) / "databases/opensim-0.9.2.2" / REGION, pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # A program begins with the peak of the process that starts it, which shall be small.
    maker = multiprocessing.Process(target=make, args=(source, folder, int(times)))
    maker.start()
    maker.join()
    database = folder / f"sqlite-{times}"
    archives = [folder / f"{name}-{times}.sql.gz" for name in ["mysql", "hex", "postgresql"]]
    files = [str(database / name) for name in ["Asset.db", "OpenSim.db", "inventory.db"]]
    rows = [(database, "SELECT * by Python", [sys.executable, "-c", READER, *files])]
    rows += [(path, "zcat, wc -l", ["sh", "-c", f"zcat '{path}' | wc -l"]) for path in archives]
    ledgers = folder / "ledgers"
    print("| input | bytes | beside | ours, s | theirs, s | ratio | peak memory, MB |\n|---|--:|---|--:|--:|--:|--:|")
    for path, against, theirs in rows:
        ours = [hullmark, "scan", path, "--ledgers", ledgers, "-q"]
        pairs = [(run(ours, [ledgers]), run(theirs)) for _ in range(int(rounds) + 1)][1:]
        ratio = statistics.median(one.seconds / another.seconds for one, another in pairs)
        seconds = [statistics.median(took.seconds for took in side) for side in zip(*pairs)]
        size = sum(map(lambda file: file.stat().st_size, path.iterdir())) if path.is_dir() else path.stat().st_size
        peak = max(one.peak for one, _ in pairs) / 1e6
        print(f"| {path.name} | {size:,} | {against} | {seconds[0]:.2f} | {seconds[1]:.2f} | {ratio:.2f} | {peak:.0f} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
