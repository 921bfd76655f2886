"""Runs the queries of deploy/sql over nights that it makes, and compares their numbers with those of the program:

    questions.py HULLMARK [DATA]

One machine writes each night, and so do two shards. Both answer alike, and have the same rows in all tables.

HULLMARK has the feature parquet. DATA (../shared/data) has archives of real regions, and may be missing. Needs
`pip install duckdb pyarrow`; with `pip install pyspark` and Java, Spark answers, too, and must say the same.
"""

import collections
import csv
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SQL = ROOT / "deploy/sql"
NIGHTS = ["2026-11-20", "2026-11-23", "2026-11-24"]
TONIGHT, BEFORE = NIGHTS[-1], NIGHTS[-2]


def write_lonely(exports: Path) -> Path:
    """Writes an archive whose region no other archive has."""
    path, region = exports / "lonely.oar", "4e4e4e4e-0000-4000-8000-0000000000ff"
    with tarfile.open(path, "w:gz") as archive:
        for file in sorted((exports / "unpacked").rglob("*"), key=lambda file: (file.name != "archive.xml", file)):
            if file.is_file():
                content = file.read_bytes().replace(b"4e4e4e4e-0000-4000-8000-000000000001", region.encode())
                member = tarfile.TarInfo(str(file.relative_to(exports / "unpacked")))
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    return path


def write_nights(hullmark: Path, data: Path, desk: Path) -> None:
    """Writes three nights. In the last one, archives came and went, one is damaged, and one region has a copy."""
    exports = desk / "exports"
    shutil.copytree(ROOT / "sample_data/regions", exports)
    odd = exports / "odd-objects.oar"
    odd.rename(desk / odd.name)
    for name in ["faraway.oar", "pathfindplayground.oar"]:
        if (data / name).is_file():
            shutil.copy(data / name, exports)
    lonely = write_lonely(exports)
    for night in NIGHTS:
        if night == BEFORE:
            whole = lonely.read_bytes()
            lonely.write_bytes(whole[: len(whole) // 2])
        if night == TONIGHT:
            (desk / odd.name).rename(odd)
            (exports / "full-parcels.oar").unlink()
            shutil.copy(exports / "savings.oar", exports / "a-copy.oar")
            if (exports / "faraway.oar").is_file():
                shutil.copy(exports / "faraway.oar", exports / "faraway-copy.oar")
        flags = ["--list-assets", "-q", "--profile", "opensim-ubode", "--now", f"{night}T03:00:00Z"]
        out = desk / f"lake/night={night}"
        run(desk, hullmark, "audit", "exports", "--out", out, "--format", "csv,parquet", *flags)
        run(desk, hullmark, "plan", "exports", "-o", "plan.json", "-q")
        run(desk, hullmark, "scan", "--plan", "plan.json", "--ledgers", f"kept-{night}", "-q")
        report = [hullmark, "report", f"kept-{night}", "--plan", "plan.json", "--out", desk / f"shards/night={night}"]
        for step in [["--across", "2"], ["--shard", "2/2"], ["--shard", "1/2"], ["--join"]]:
            run(desk, *report, "--format", "parquet", *flags, *step)
    changes = {"lake": desk / "changes", "shards": desk / "changes-of-shards"}
    for lake, out in changes.items():
        before, tonight = (desk / f"{lake}/night={night}" for night in (BEFORE, TONIGHT))
        run(desk, hullmark, "diff", before, tonight, "--out", out, "--format", "csv", "-q")
    of_csv, of_parquet = (rows(out, "changes") for out in changes.values())
    assert of_csv and of_csv == of_parquet, "reports in CSV and lakes in Parquet have the same changes"


def run(desk: Path, *command) -> None:
    assert subprocess.run(command, cwd=desk, check=False).returncode in (0, 1, 3), command


def rows(folder: Path, table: str) -> list[dict]:
    with (folder / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def number(text: str) -> float:
    return float(text) if text else 0.0


def views(file: str, lake: str) -> list[str]:
    """Returns the statements that name the tables of a lake."""
    return [
        one if lake == "lake" else one.replace("lake", lake).replace(".parquet", "/*.parquet")
        for one in statements(SQL / file)
    ]


def statements(file: Path) -> list[str]:
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("--")]
    return [one for one in "\n".join(lines).split(";") if one.strip()]


class DuckDb:
    name = "DuckDB"

    def __init__(self, desk: Path, lake: str):
        import duckdb

        os.chdir(desk)
        self.connection = duckdb.connect()
        for statement in views("duckdb.sql", lake):
            self.connection.execute(statement)

    def ask(self, query: str) -> list[dict]:
        (statement,) = statements(SQL / f"{query}.sql")
        answer = self.connection.execute(statement)
        names = [column[0] for column in answer.description]
        return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]


class Spark:
    name = "Spark"

    def __init__(self, desk: Path, lake: str):
        from pyspark.sql import SparkSession

        os.chdir(desk)
        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        self.session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
        self.session.sparkContext.setLogLevel("ERROR")
        for statement in views("spark.sql", lake):
            self.session.sql(statement)

    def ask(self, query: str) -> list[dict]:
        (statement,) = statements(SQL / f"{query}.sql")
        return [row.asDict() for row in self.session.sql(statement).collect()]


def same(got, wanted, what: str) -> None:
    """Compares rows as sets. Numbers may differ in the last digits, because sums have another order."""

    def key(row):
        return tuple(f"{value:.6g}" if isinstance(value, float) else str(value) for value in row)

    got, wanted = (collections.Counter(map(key, some)) for some in (got, wanted))
    assert got == wanted, f"{what}: only in SQL {got - wanted}, only in the reports {wanted - got}"


def picked(answer: list[dict], *names: str) -> list[tuple]:
    return [tuple(row[name] for name in names) for row in answer]


def check(engine, desk: Path) -> int:
    folders = {night: desk / f"lake/night={night}" for night in NIGHTS}
    tonight, before = folders[TONIGHT], folders[BEFORE]
    asked = set()

    def ask(query: str) -> list[dict]:
        asked.add(query)
        return engine.ask(query)

    wanted = []
    for night, folder in folders.items():
        audit = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
        totals = audit["totals"]
        not_read = sum(row["status"] != "complete" for row in audit["manifest"]["inputs"])
        wanted.append((night, totals["inputs"], not_read, totals["bytes"], totals["regions"]))
    same(picked(ask("archives_of_a_night"), "night", "archives", "not_complete", "bytes", "regions"), wanted, "nights")

    earlier = {(row["archive"], row["identity"]): number(row["land_impact"]) for row in rows(before, "regions")}
    wanted = []
    for row in rows(tonight, "regions"):
        known = earlier.get((row["archive"], row["identity"]))
        change = None if known is None else number(row["land_impact"]) - known
        wanted.append((row["archive"], row["region"] or None, number(row["land_impact"]), change))
    assert len(wanted) <= 50, "the query shows the first 50"
    same(picked(ask("heaviest_regions"), "archive", "region", "land_impact", "change"), wanted, "heaviest regions")

    counts = json.loads((desk / "changes/changes.json").read_text(encoding="utf-8"))["counts"]
    changes = [row for row in rows(desk / "changes", "changes") if row["kind"] == "finding"]
    changed = ask("changed_findings")
    assert {row["change"] for row in changed} == {"new", "gone"}
    for change in ["new", "gone"]:
        answer = [row for row in changed if row["change"] == change]
        by_severity = collections.Counter()
        for row in answer:
            by_severity[row["severity"]] += row["count"]
        assert all(by_severity[severity] == count for severity, count in counts[change].items()), (by_severity, counts)
        of_diff = [(row["fingerprint"],) for row in changes if row["change"] == change]
        assert of_diff, f"there is nothing {change}"
        same(picked(answer, "fingerprint"), of_diff, f"{change} findings")

    earlier = {row["owner_uuid"]: number(row["land_impact"]) for row in rows(before, "owners")}
    grown = {row["owner_uuid"]: number(row["land_impact"]) for row in rows(tonight, "owners")}
    wanted = [(uuid, now - earlier.get(uuid, 0)) for uuid, now in grown.items() if now > earlier.get(uuid, 0)]
    assert wanted
    same(picked(ask("who_grew"), "owner_uuid", "change"), wanted, "who grew")

    parcels = rows(tonight, "parcels")
    over = {(row["archive"], row["region"], row["owner_uuid"]) for row in parcels if row["over_capacity"] == "true"}
    assert over
    same(picked(ask("over_capacity"), "archive", "region", "owner_uuid"), over, "over capacity")

    wanted = [(row["archive"], int(row["scripts"])) for row in rows(tonight, "regions") if number(row["scripts"]) > 0]
    same(picked(ask("scripts"), "archive", "scripts"), wanted, "scripts")

    findings = rows(tonight, "findings")
    wanted = [(row["archive"], row["within"], int(number(row["measured"]))) for row in findings if row["code"] == "XAR001"]
    assert wanted
    same(picked(ask("duplicate_objects"), "archive", "first_archive", "objects"), wanted, "XAR001")

    uuids = collections.defaultdict(set)
    for row in rows(tonight, "meshes"):
        if row["content_hash"]:
            uuids[row["content_hash"]].add(row["mesh_uuid"])
    wanted = [(content, len(same_mesh)) for content, same_mesh in uuids.items() if len(same_mesh) > 1]
    same(picked(ask("duplicate_meshes"), "content_hash", "uuids"), wanted, "meshes")

    missing = collections.defaultdict(lambda: [set(), 0])
    for row in rows(tonight, "missing"):
        sums = missing[row["asset_uuid"], row["kind"]]
        sums[0].add(row["archive"])
        sums[1] += int(row["uses"])
    wanted = [(uuid, kind, len(archives), uses) for (uuid, kind), (archives, uses) in missing.items()]
    assert wanted
    same(picked(ask("missing_assets"), "asset_uuid", "kind", "archives", "uses"), wanted, "missing assets")

    unused = collections.Counter()
    for row in rows(tonight, "assets"):
        if row["uses"] == "0":
            unused[row["archive"], row["kind"]] += 1
    assert unused
    wanted = [(*key, count) for key, count in unused.items()]
    same(picked(ask("unused_assets"), "archive", "kind", "assets"), wanted, "unused assets")

    near = [
        (row["archive"], row["entry"])
        for row in rows(tonight, "meshes")
        if max(number(row[name]) for name in ("hulls", "largest_hull_vertices", "base_hull_vertices")) >= 200
    ]
    assert near
    same(picked(ask("hulls_near_limits"), "archive", "entry"), near, "hulls")

    # The damaged archive was whole four nights ago; the others are whole tonight, or were the night before.
    whole = collections.defaultdict(list)
    for night, folder in folders.items():
        states = {row["archive"]: row["status"] for row in rows(folder, "archives")}
        for row in rows(folder, "regions"):
            whole[row["identity"]] += [night] if states[row["archive"]] == "complete" else []
    wanted = [(identity, max(nights) if nights else None) for identity, nights in whole.items()]
    wanted = [(identity, night) for identity, night in wanted if night is None or night <= "2026-11-21"]
    assert wanted, "a region has no backup"
    same(picked(ask("regions_without_backup"), "identity", "last_night"), wanted, "backups")

    wanted = [(row["creator_uuid"], int(row["objects"]), int(row["dropped_by_perm_ct"])) for row in rows(tonight, "creators")]
    same(picked(ask("creators"), "creator_uuid", "objects", "dropped_by_perm_ct"), wanted, "creators")

    queries = {file.stem for file in SQL.glob("*.sql")} - {"duckdb", "spark"}
    assert queries == asked, f"nobody asked {queries - asked}"
    page = (SQL / "README.md").read_text(encoding="utf-8")
    assert all(f"]({query}.sql)" in page for query in queries), "README.md lists all queries"
    return len(asked)


def compare_tables(desk: Path) -> None:
    """Compares all tables of both lakes, and what their files say about themselves."""
    import duckdb
    import pyarrow.dataset
    import pyarrow.parquet

    connection = duckdb.connect()
    one, shards = (desk / f"{lake}/night={TONIGHT}" for lake in ["lake", "shards"])
    tables = sorted(file.stem for file in one.glob("*.parquet"))
    assert tables == sorted(file.name for file in shards.iterdir() if file.is_dir() and file.name != "_run")
    for table in tables:
        whole, parts = f"'{one / table}.parquet'", f"'{shards / table}/*.parquet'"
        for left, right in [(whole, parts), (parts, whole)]:
            query = f"SELECT * FROM {left} EXCEPT ALL SELECT * FROM {right}"
            assert not connection.execute(query).fetchall(), f"{table}: {query}"
        by_arrow = pyarrow.dataset.dataset(shards / table, format="parquet").to_table()
        (count,) = connection.execute(f"SELECT count(*) FROM {whole}").fetchone()
        assert by_arrow.num_rows == count > 0, table
        footer = pyarrow.parquet.read_metadata(one / f"{table}.parquet").metadata
        assert footer[b"table"].decode() == table and footer[b"hullmark"] and footer[b"about"]
        assert all(footer[b"column " + name.encode()] for name in by_arrow.schema.names), table
    print(f"DuckDB and PyArrow read the same {len(tables)} tables of one machine and of shards.")


def main(hullmark: str, data: str = "../shared/data") -> None:
    with tempfile.TemporaryDirectory() as name:
        desk = Path(name)
        write_nights(Path(hullmark).resolve(), Path(data).resolve(), desk)
        if importlib.util.find_spec("duckdb") and importlib.util.find_spec("pyarrow"):
            compare_tables(desk)
        else:
            print("SKIPPED, all tables: there is no duckdb or no pyarrow.")
        for engine, package, wanted in [(DuckDb, "duckdb", "duckdb"), (Spark, "pyspark", "pyspark, or no Java")]:
            if importlib.util.find_spec(package) and (engine is DuckDb or shutil.which("java")):
                for lake in ["lake", "shards"]:
                    count = check(engine(desk, lake), desk)
                    print(f"{engine.name} answers all {count} questions of deploy/sql over {lake}/ as the reports do.")
            else:
                print(f"SKIPPED, {engine.name}: there is no {wanted}.")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
