"""Dumps and databases that expand, are very wide, or have very many of something, in every form that is read.

bombs.py audits them. Each case says which of its codes must be found; an empty list means that nothing is left out.
"""

import io
import sqlite3
import struct
import tarfile
import zipfile

from gzip_of_runs import GzipOfRuns

MB = 1_000_000
MYSQL = b"-- MySQL dump 10.13\n--\n-- Host: localhost    Database: opensim\n/*!40101 SET NAMES utf8mb4 */;\n"
POSTGRESQL = b"--\n-- PostgreSQL database dump\n--\n"
PRIMS = b"CREATE TABLE `prims` (`UUID` text, `RegionUUID` text, `SceneGroupID` text, `Name` text) ENGINE=InnoDB;\n"
ASSETS = b"CREATE TABLE `assets` (`id` char(36), `assetType` int, `data` longblob) ENGINE=InnoDB;\n"
PG_PRIMS = b"CREATE TABLE public.prims (uuid uuid, regionuuid uuid, scenegroupid uuid, name text);\n"
COLUMNS = b"(UUID,RegionUUID,SceneGroupID,Name)"
INTO = b"INSERT INTO `prims` VALUES "


def uuid(kind, number):
    return b"%08x-0000-4000-8000-%012x" % (kind, number)


def many(text, count):
    """Yields a text this many times, a megabyte at a time."""
    each = max(1, MB // len(text))
    for at in range(0, count, each):
        yield text * min(each, count - at)


def each(make, count, between=b""):
    """Yields what `make` returns for each number, some thousands at a time."""
    for at in range(0, count, 5000):
        yield (between if at else b"") + between.join(make(n) for n in range(at, min(at + 5000, count)))


def joined(*parts):
    for part in parts:
        if isinstance(part, bytes):
            yield part
        else:
            yield from part


def prim(number, region, name=b"a"):
    return b"('%s','%s','%s','%s')" % (uuid(7, number), uuid(4, region), uuid(7, number), name)


def prims(count, region, name=b"a"):
    return joined(MYSQL, PRIMS, INTO, each(lambda n: prim(n, region(n), name), count, b","), b";\n")


def copied(lines):
    return joined(POSTGRESQL, PG_PRIMS, b"COPY public.prims (uuid, regionuuid, scenegroupid, name) FROM stdin;\n", lines, b"\\.\n")


def asset(form):
    """A mesh of 99 MB as the value of a row."""
    size = 99 * MB
    row = b"('%s',49," % uuid(3, 1)
    if form == "text":
        return joined(MYSQL, ASSETS, b"INSERT INTO assets VALUES ", row, b"'", many(b"a", size), b"');\n")
    if form == "hex":
        return joined(MYSQL, ASSETS, b"INSERT INTO assets VALUES ", row, b"0x", many(b"61", size), b");\n")
    create = b"CREATE TABLE public.assets (id uuid, assettype int, data bytea);\nCOPY public.assets FROM stdin;\n"
    return joined(POSTGRESQL, create, b"%s\t49\t\\\\x" % uuid(3, 1), many(b"61", size), b"\n\\.\n")


def table_of(rows, columns, name):
    """Rows of another table, each of a region of its own."""
    return joined(MYSQL, b"INSERT INTO %s %s VALUES " % (name, columns), each(rows, 400_000, b","), b";\n")


# Each dump with codes, at least one of which must be found.
DUMPS = {
    "insert: 100,000 words before a value": (
        lambda: joined(MYSQL, PRIMS, INTO, b"(", many(b"n ", 100_000), b"'a','b','c','d');\n"), []),
    "insert: a row of 100 million values": (
        lambda: joined(MYSQL, PRIMS, INTO, b"(", many(b"1,", 100 * MB), b"1);\n"), ["DBS003"]),
    "copy: a row of 100 million values": (lambda: copied(joined(many(b"\t", 100 * MB), b"\n")), ["DBS003"]),
    "copy: 30 million rows of no value": (lambda: copied(many(b"\n", 30 * MB)), ["DBS003"]),
    "insert: twelve values of 90 MB in a row": (
        lambda: joined(MYSQL, PRIMS, INTO, b"(", *[joined(b"'", many(b"a", 90 * MB), b"',") for _ in range(12)], b"1);\n"),
        ["ARC012"]),
    "insert: a name of 90 MB": (
        lambda: joined(MYSQL, PRIMS, INTO, prim(1, 1)[:-4], b",'", many(b"a", 90 * MB), b"');\n"), ["ARC012", "DBS003"]),
    "insert: a hundred names of 16 MB": (
        lambda: joined(MYSQL, PRIMS, *[joined(INTO, prim(n, 1)[:-3], many(b"a", 16 * MB), b"');\n") for n in range(100)]), []),
    "copy: a hundred names of 16 MB": (
        lambda: copied(joined(*[joined(b"\t".join((uuid(7, n), uuid(4, 1), uuid(7, n))), b"\t", many(b"a", 16 * MB), b"\n")
            for n in range(100)])), []),
    "insert: an asset of 99 MB": (lambda: asset("text"), []),
    "insert: an asset of 99 MB in hexadecimal digits": (lambda: asset("hex"), []),
    "copy: an asset of 99 MB": (lambda: asset("copy"), []),
    "create: 30 million columns": (
        lambda: joined(MYSQL, b"CREATE TABLE `prims` (", many(b"a int,", 30 * MB), b"b int);\n"), ["ARC012"]),
    "insert: a list of 30 million columns": (
        lambda: joined(MYSQL, PRIMS, b"INSERT INTO `prims` (", many(b"a,", 30 * MB), b"b) VALUES ('a','b');\n"), ["ARC012"]),
    "copy: a list of 30 million columns": (
        lambda: joined(POSTGRESQL, PG_PRIMS, b"COPY public.prims (", many(b"a,", 30 * MB), b"b) FROM stdin;\n\\.\n"), ["ARC012"]),
    "create: 2 million tables": (
        lambda: joined(MYSQL, each(lambda n: b"CREATE TABLE t%d(a int);" % n, 2 * MB)), ["ARC012"]),
    "create: a table of prims in each of a million databases": (
        lambda: joined(MYSQL, each(lambda n: b"CREATE TABLE d%d.prims(UUID text,Name text);" % n, MB)), ["ARC012"]),
    "create: a thousand tables of prims with 4,000 long columns": (
        lambda: joined(MYSQL, each(lambda n: b"USE d%d;CREATE TABLE prims(%s);"
            % (n, b",".join(b"%d%s int" % (m, b"c" * 55) for m in range(4000))), 1000)), ["ARC012"]),
    "connect: a name of 1.5 GB": (
        lambda: joined(POSTGRESQL, b"\\connect ", many(b"a", 1500 * MB), b"\n", PG_PRIMS), ["ARC012"]),
    "use: a name of a gigabyte": (lambda: joined(MYSQL, b"USE `", many(b"a", 1000 * MB), b"`;\n", PRIMS), ["ARC012"]),
    "comments of a gigabyte": (
        lambda: joined(MYSQL, b"-- ", many(b"a", 1000 * MB), b"\n/* ", many(b"*", 1000 * MB), b"*/;\n", PRIMS), []),
    "a statement of 3 GB": (lambda: joined(MYSQL, b"SELECT '", many(b"a", 3000 * MB), b"';\n", PRIMS), []),
    "a million databases with a prim each": (
        lambda: joined(MYSQL, each(lambda n: b"INSERT INTO d%d.prims %s VALUES %s;" % (n, COLUMNS, prim(n, 1)), MB)), ["ARC012"]),
    "250,000 regions with a prim each": (lambda: prims(250_000, lambda n: n), ["ARC012"]),
    "400,000 regions with a terrain each": (
        lambda: table_of(lambda n: b"('%s',%d,'a')" % (uuid(4, n), n), b"(RegionUUID,Revision,Heightfield)", b"terrain"), ["ARC012"]),
    "400,000 regions with a parcel each": (
        lambda: table_of(lambda n: b"('%s','%s','a')" % (uuid(9, n), uuid(4, n)), b"(UUID,RegionUUID,Name)", b"land"), ["ARC012"]),
    "400,000 regions with settings each": (
        lambda: table_of(lambda n: b"('%s',1)" % uuid(4, n), b"(regionUUID,object_bonus)", b"regionsettings"), ["ARC012"]),
    "400,000 revisions of a terrain": (
        lambda: table_of(lambda n: b"('%s',%d,'a')" % (uuid(4, 1), n), b"(RegionUUID,Revision,Heightfield)", b"terrain"), []),
    "400,000 regions in the list of a grid, with long names": (
        lambda: table_of(lambda n: b"('%s','%s')" % (uuid(4, n), b"n" * 900), b"(uuid,regionName)", b"regions"), ["ARC012"]),
}

# The same things in other forms. Each is made of the dump of this name.
FORMS = {
    "zip": "insert: a row of 100 million values",
    "tar.gz": "copy: a row of 100 million values",
    "mydumper": "250,000 regions with a prim each",
    "zst": "",
}


def zstd(pieces):
    """Returns a zstd frame of runs: each piece is a byte and how often it comes, or up to 128 kB of bytes as they are."""
    block = lambda kind, size, content: struct.pack("<I", size << 3 | kind << 1)[:3] + content
    out = [b"\x28\xb5\x2f\xfd\x00\x58"]
    for piece in pieces:
        if isinstance(piece, bytes):
            out.append(block(0, len(piece), piece))
        else:
            byte, count = piece
            out.extend([block(1, 131_072, byte)] * (count // 131_072))
    return b"".join(out) + b"\x01\0\0"


def in_form(form, content, path):
    """Writes the pieces of a dump in another form."""
    if form == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as pack, pack.open("a.sql", "w", force_zip64=True) as out:
            for piece in content:
                out.write(piece)
    elif form == "tar.gz":
        whole = b"".join(content)
        with tarfile.open(path, "w:gz", format=tarfile.GNU_FORMAT) as tar:
            for name, content in (("a.sql", whole), ("b.txt", b"a")):
                member = tarfile.TarInfo(name)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    elif form == "mydumper":
        path.mkdir()
        (path / "metadata").write_text("Finished dump at: 2026-11-24 00:00:00\n")
        (path / "opensim.prims-schema.sql").write_bytes(PRIMS)
        with open(path / "opensim.prims.00000.sql.gz", "wb") as file, GzipOfRuns(file, 6) as out:
            for piece in content:
                out.write(piece)
    elif form == "zst":
        path.write_bytes(zstd([MYSQL + PRIMS + INTO + b"(", (b" ", 2_000 * MB), b"'a','b','c','d');\n"]))


def new_database(path):
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE prims(UUID,RegionUUID,SceneGroupID,Name)")
    return base


def text(number, kind=7):
    return uuid(kind, number).decode()


def asset_of_99_mb(path):
    base = new_database(path)
    base.execute("CREATE TABLE assets(UUID,Type,Data)")
    base.execute("INSERT INTO assets VALUES(?,49,?)", (text(1, 3), b"a" * (99 * MB)))
    base.commit()


def regions_of_sqlite(path):
    base = new_database(path)
    rows = ((text(n), text(n, 4), text(n), "a") for n in range(250_000))
    base.executemany("INSERT INTO prims VALUES(?,?,?,?)", rows)
    base.commit()


def with_statement(path, statement):
    """A database whose table of prims has 4,000 rows, and a statement that SQLite did not write."""
    base = new_database(path)
    base.executemany("INSERT INTO prims VALUES(?,?,?,?)", ((text(n), text(1, 4), text(n), "a") for n in range(4000)))
    base.execute("PRAGMA writable_schema=1")
    base.execute("UPDATE sqlite_master SET sql=? WHERE name='prims'", (statement,))
    base.commit()


HEAD = "CREATE TABLE prims(UUID,RegionUUID,SceneGroupID,Name"
FILES = {
    "SQLite: an asset of 99 MB": (asset_of_99_mb, []),
    "SQLite: 250,000 regions with a prim each": (regions_of_sqlite, ["ARC012"]),
    "SQLite: 47,500 columns with a default, 4,000 short rows": (
        lambda path: with_statement(path, HEAD + "".join(",a%d default 'x'" % n for n in range(47_500)) + ")"), ["ARC012"]),
    "SQLite: 4,000 columns with a default, 4,000 short rows": (
        lambda path: with_statement(path, HEAD + "".join(",a%d default 'x'" % n for n in range(3996)) + ")"), []),
    "SQLite: a type of 240,000 words": (lambda path: with_statement(path, HEAD + ",a" + " int" * 240_000 + ")"), []),
    "SQLite: 4,000 columns and 80,000 keys": (
        lambda path: with_statement(path, HEAD + "".join(",a%d" % n for n in range(3900)) + ",primary key(a1)" * 58_000 + ")"), []),
    "SQLite: a definition of 10 MB": (lambda path: with_statement(path, HEAD + ",a" * 5 * MB + ")"), ["ARC012"]),
}


def make(folder, is_wanted, apart):
    """Yields every wanted bomb: its name, its path, and codes, at least one of which must be found."""
    def write(path, content):
        with open(path, "wb") as file, GzipOfRuns(file, 6) as out:
            for piece in content:
                out.write(piece)

    for number, (name, (content, codes)) in enumerate(DUMPS.items()):
        if is_wanted(name):
            path = folder / f"{number:02}.sql.gz"
            apart(lambda: write(path, content()))
            yield name, path, codes
            path.unlink()
    for form, name in FORMS.items():
        content, codes = DUMPS.get(name, (lambda: (), []))
        name = f"{form}: {name or 'two gigabytes of blanks in a row'}"
        if is_wanted(name):
            path = folder / f"dump.{form}"
            apart(lambda: in_form(form, content(), path))
            yield name, path, codes
            for file in path.iterdir() if path.is_dir() else ():
                file.unlink()
            path.rmdir() if path.is_dir() else path.unlink()
    for name, (content, codes) in FILES.items():
        if is_wanted(name):
            path = folder / "OpenSim.db"
            apart(lambda: content(path))
            yield name, path, codes
            path.unlink()
