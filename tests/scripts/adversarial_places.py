"""Makes inputs that are no archives for adversarial.py: dumps, databases of SQLite, stores, containers, exports of
viewers, and folders. Each is meant to take long.

`PLACES` has for each case the number n, and a function that writes n things into an empty folder and returns the
arguments of the audit.
"""

import gzip
import hashlib
import io
import os
import pathlib
import sqlite3
import struct
import zipfile
import zlib

from bombs import CONTROL, binary, header, llsd, member

HEAD = b"-- MySQL dump 10.13\n--\n-- Host: localhost    Database: opensim\n/*!40101 SET NAMES utf8mb4 */;\n"
POSTGRESQL = b"--\n-- PostgreSQL database dump\n--\n"
COLUMNS = b"(`UUID`,`RegionUUID`,`SceneGroupID`,`Name`)"
PRIMS = b"CREATE TABLE `prims` (`UUID` char(36), `RegionUUID` char(36), `SceneGroupID` char(36), `Name` text) ENGINE=InnoDB;\n"


def uuid(number, prefix="0b0b0b0b"):
    return "%s-0000-4000-8000-%012x" % (prefix, number)


def row(number, region=1, group=None, name="x"):
    return ("('%s','%s','%s','%s')" % (uuid(number), uuid(region, "4e4e4e4e"), uuid(number if group is None else group), name)).encode()


def values(rows):
    return b"INSERT INTO `prims` " + COLUMNS + b" VALUES " + b",\n".join(rows) + b";\n"


def dump(pieces, packed=True):
    """A case of one dump: `pieces` returns its bytes for n things."""
    def write(folder, count):
        content = pieces(count)
        path = folder / ("a.sql.gz" if packed else "a.sql")
        path.write_bytes(gzip.compress(content, 1, mtime=0) if packed else content)
        return [path]
    return write


def copy(table, columns, rows):
    return f"COPY public.{table} ({', '.join(columns)}) FROM stdin;\n".encode() + b"".join(rows) + b"\\.\n"


def copied_prims(count):
    columns = ["\"UUID\"", "\"RegionUUID\"", "\"SceneGroupID\"", "\"Name\""]
    rows = ("%s\t%s\t%s\tx\n" % (uuid(n), uuid(1, "4e4e4e4e"), uuid(n)) for n in range(count))
    return POSTGRESQL + copy("prims", columns, (row.encode() for row in rows))


def table(name, columns):
    return f"CREATE TABLE `{name}` ({', '.join(f'`{column}` text' for column in columns)});\n".encode()


def inserted(name, columns, rows):
    rows = b",".join(b"(" + b",".join(b"'%s'" % str(cell).encode() for cell in row) + b")" for row in rows)
    return table(name, columns) + f"INSERT INTO `{name}` VALUES ".encode() + rows + b";\n"


def folders_of_inventory(count, parent):
    columns = ["folderName", "type", "version", "folderID", "agentID", "parentFolderID"]
    rows = ((f"f{n}", -1, 1, uuid(n + 1, "f0f0f0f0"), uuid(1, "0a0a0a0a"), parent(n)) for n in range(count))
    items = ["assetID", "assetType", "inventoryName", "inventoryID", "avatarID", "parentFolderID"]
    item = [(uuid(n), 0, "i", uuid(n, "1e1e1e1e"), uuid(1, "0a0a0a0a"), uuid(n + 1, "f0f0f0f0")) for n in range(count)]
    return HEAD + inserted("inventoryfolders", columns, rows) + inserted("inventoryitems", items, item)


def accounts(count):
    columns = ["PrincipalID", "ScopeID", "FirstName", "LastName"]
    return inserted("UserAccounts", columns, ((uuid(n, "0a0a0a0a"), uuid(0), f"A{n}", "B") for n in range(count)))


def assets(count, size=10):
    columns = ["name", "description", "assetType", "local", "temporary", "data", "id"]
    return inserted("assets", columns, (("a", "", 7, 0, 0, "x" * size, uuid(n, "a5a5a5a5")) for n in range(count)))


def shapes(count):
    prims = values(row(n, group=0) for n in range(count))
    columns = ["UUID", "Shape", "ScaleX", "ScaleY", "ScaleZ", "PCode"]
    return HEAD + PRIMS + prims + inserted("primshapes", columns, ((uuid(n), 0, 1, 1, 1, 9) for n in range(count)))


def many_files(folder, name, content, count):
    for number in range(count):
        (folder / name(number)).write_bytes(content(number))
    return [folder]


def mydumper(folder, count):
    (folder / "metadata").write_bytes(b"# Started dump at: 2026-01-01 00:00:00\n# Finished dump at: 2026-01-01 00:00:01\n")
    (folder / "opensim.prims-schema.sql").write_bytes(PRIMS)
    return many_files(folder, lambda n: f"opensim.prims.{n:05}.sql", lambda n: values([row(n)]), count)


def workbench(folder, count):
    def content(number):
        name = "prims" if number == 0 else f"t{number}"
        made = b"CREATE TABLE `%s` (`a` text);\n" % name.encode()
        return HEAD + b"-- Table structure for table `%s`\n--\n" % name.encode() + made
    return many_files(folder, lambda n: "opensim_prims.sql" if n == 0 else f"opensim_t{n}.sql", content, count)


def tab(folder, count):
    (folder / "prims.sql").write_bytes(HEAD + b"-- Table structure for table `prims`\n--\n" + PRIMS)
    lines = (f"{uuid(n)}\t{uuid(1, '4e4e4e4e')}\t{uuid(n)}\tn\n" for n in range(count))
    (folder / "prims.txt").write_text("".join(lines))
    return [folder]


def shell(folder, count):
    (folder / "@.json").write_text("{}")
    (folder / "@.done.json").write_text("{}")
    (folder / "opensim@prims.sql").write_bytes(PRIMS)
    columns = '["UUID","RegionUUID","SceneGroupID","Name"]'
    (folder / "opensim@prims.json").write_text('{"options":{"schema":"opensim","table":"prims","columns":%s}}' % columns)
    line = lambda n: f"{uuid(n)}\t{uuid(1, '4e4e4e4e')}\t{uuid(n)}\tn\n".encode()
    return many_files(folder, lambda n: f"opensim@prims@{n}.tsv", line, count)


def database(path, statements=(), rows=(), mode="delete", table="prims(UUID,RegionUUID,SceneGroupID,Name)"):
    """Writes a database of SQLite with n prims."""
    made = sqlite3.connect(path, isolation_level=None)
    made.execute(f"PRAGMA journal_mode={mode}")
    made.execute("PRAGMA synchronous=off")
    made.execute(f"CREATE TABLE {table}")
    made.execute("BEGIN")
    made.executemany(f"INSERT INTO {table.split('(')[0]} VALUES({','.join('?' * (table.count(',') + 1))})", rows)
    for statement in statements:
        made.execute(statement)
    made.execute("COMMIT")
    return made


def prims(count, region=1, group=None):
    return ((uuid(n), uuid(region, "4e4e4e4e"), uuid(n if group is None else group), "n") for n in range(count))


def sqlite(statements=lambda n: (), rows=prims, **more):
    def write(folder, count):
        database(folder / "OpenSim.db", statements(count), rows(count), **more).close()
        return [folder]
    return write


def with_defaults(folder, count):
    """A table with n columns of a default, and n / 12 rows without them."""
    made = database(folder / "OpenSim.db", rows=prims(count // 12))
    made.execute("PRAGMA writable_schema=1")
    columns = "".join(f",a{n} default 'x'" for n in range(count))
    sql = f"CREATE TABLE prims(UUID,RegionUUID,SceneGroupID,Name{columns})"
    made.execute("UPDATE sqlite_master SET sql=? WHERE name='prims'", (sql[:990_000],))
    made.close()
    return [folder]


def unfinished(mode):
    """A database with the journal or the log of a writer that died: n pages are in force or not."""
    def write(folder, count):
        made = database(folder / "a.db", rows=prims(count), mode=mode)
        made.execute("PRAGMA wal_autocheckpoint=0")
        made.execute("PRAGMA cache_size=10")
        made.execute("BEGIN")
        made.execute("UPDATE prims SET Name = 'a longer name'")
        if mode == "wal":
            made.execute("COMMIT")
        for name in [*folder.glob("a.db*")]:
            (folder / name.name.replace("a.db", "OpenSim.db")).write_bytes(name.read_bytes())
        if mode != "wal":
            made.execute("ROLLBACK")
        made.close()
        [name.unlink() for name in folder.glob("a.db*")]
        return [folder]
    return write


def databases(contents):
    """n databases in one folder, of these contents in turn."""
    def write(folder, count):
        for number in range(count):
            table, rows = contents[number % len(contents)]
            database(folder / f"{number:05}.db", rows=[tuple(uuid(number) for _ in range(rows))], table=table).close()
        return [folder]
    return write


REGIONS = ("prims(UUID,RegionUUID,SceneGroupID,Name)", 4)
ASSETS = ("assets(UUID,Type,Data)", 3)
ITEMS = ("inventoryitems(inventoryID,avatarID)", 2)


def tree(folder, count, spooled=False, rows=True, files=True):
    """A tree of FSAssets with its table."""
    listed = []
    for number in range(count):
        content = b"asset %d" % number
        digits = hashlib.sha256(content).hexdigest().upper()
        listed.append((uuid(number, "a5a5a5a5"), "", "", 7, digits, 1, 1, 0))
        if files:
            place = f"data/spool/{digits}.asset" if spooled else f"data/{digits[:2]}/{digits[2:4]}/{digits[4:6]}/{digits[6:10]}/{digits}"
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    (folder / "data/00").mkdir(parents=True, exist_ok=True)
    columns = ["id", "name", "description", "type", "hash", "create_time", "access_time", "asset_flags"]
    (folder / "robust.sql").write_bytes(HEAD + inserted("fsassets", columns, listed if rows else listed[:1]))
    return [folder / "robust.sql", f"fsassets:{folder / 'data'}"]


def serialized(id, content):
    """A file of the Flotsam cache, as OpenSimulator 0.9.2 serializes an asset."""
    number, text = lambda value: struct.pack("<i", value), lambda value: bytes([len(value)]) + value
    parts = [b"\0", *map(number, [1, -1, 1, 0]), b"\x0c", number(2),
        text(b"OpenSim.Framework, Version=0.9.2.0, Culture=neutral, PublicKeyToken=null"), b"\x05", number(1),
        text(b"OpenSim.Framework.AssetBase"), number(3), *map(text, [b"m_data", b"m_metadata", b"m_uploadAttempts"]),
        b"\x07\x04\0\x02", text(b"OpenSim.Framework.AssetMetadata"), number(2), b"\x08", number(2),
        b"\x09\x03\0\0\0\x09\x04\0\0\0", number(0), b"\x0f", number(3), number(len(content)), b"\x02", content, b"\x05",
        number(4), text(b"OpenSim.Framework.AssetMetadata"), number(4),
        *map(text, [b"m_id", b"m_name", b"m_creation_date", b"m_type"]), b"\x01\x01\0\0\x0d\x0a", number(2), b"\x06",
        number(5), text(id.encode()), b"\x06", number(6), text(b"Cached"), bytes(8), b"\x07", b"\x0b"]
    return b"".join(parts)


def cache(name):
    def write(folder, count):
        for number in range(count):
            id = uuid(number, "%08x" % (number * 2654435761 % (1 << 32)))
            path = folder / name(id)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(serialized(id, b"a note"))
        return [f"flotsam:{folder}"]
    return write


def zipped(names, content=lambda n: b"a", method=zipfile.ZIP_STORED):
    def write(folder, count):
        with zipfile.ZipFile(folder / "a.zip", "w", method) as pack:
            for number in range(count):
                pack.writestr(names(number), content(number))
            pack.writestr("z.oar", gzip.compress(member(b"archive.xml", CONTROL) + bytes(1024), mtime=0))
        return [folder / "a.zip"]
    return write


def tarred(pieces, packed=True):
    def write(folder, count):
        content = member(b"a.oar", b"") + b"".join(pieces(n) for n in range(count)) + bytes(1024)
        (folder / "a.tar.gz").write_bytes(gzip.compress(content, 1, mtime=0) if packed else content)
        return [folder / "a.tar.gz"]
    return write


def nested(depth):
    """n files in zips in each other."""
    def write(folder, count):
        content = b""
        for level in range(depth):
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as pack:
                [pack.writestr(f"{number}.txt", b"a") for number in range(count // depth)]
                pack.writestr("a.zip" if level else "a.oar", content)
            content = out.getvalue()
        (folder / "a.zip").write_bytes(content)
        return [folder / "a.zip"]
    return write


def shared(folder, count):
    """A zip whose members share their bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as pack:
        pack.writestr("a.oar", b"")
    one = out.getvalue()
    at, end = one.index(b"PK\x01\x02"), one.index(b"PK\x05\x06")
    names = [b"%d.oar" % number for number in range(count)]
    entries = b"".join(one[at:at + 28] + struct.pack("<H", len(name)) + one[at + 30:at + 46] + name for name in names)
    end = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, len(entries), at)
    end += struct.pack("<IIQI", 0x07064B50, 0, at + len(entries), 1)
    end += struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    (folder / "a.zip").write_bytes(one[:at] + entries + end)
    return [folder / "a.zip"]


def prim_in_xml(number):
    vector = "<array><real>1</real><real>1</real><real>1</real></array>"
    root = "" if number == 0 else "<key>parent</key><string>0</string>"
    return f"<key>{number}</key><map>{root}<key>scale</key>{vector}<key>position</key>{vector}</map>"


def singularity(folder, count):
    body = "".join(map(prim_in_xml, range(count)))
    text = f"<?xml version=\"1.0\" ?><llsd><map><key>data</key><array><map><key>group_body</key><map>{body}</map></map></array></map></llsd>"
    (folder / "a.xml").write_text(text)
    return [folder / "a.xml"]


def phoenix(folder, count):
    box = "<box><position x=\"1\" y=\"1\" z=\"1\" /><size x=\"1\" y=\"1\" z=\"1\" /><rotation x=\"0\" y=\"0\" z=\"0\" w=\"1\" /></box>"
    text = ("<?xml version=\"1.0\" encoding=\"utf-8\" standalone=\"yes\" ?><project><schema>1.0</schema>"
        f"<platform>Second Life</platform><grid>Agni</grid><group>{box * count}</group></project>")
    (folder / "a.xml").write_text(text)
    return [folder / "a.xml"]


def firestorm(folder, count):
    ids = [uuid(n).encode() for n in range(count)]
    prim = {b"scale": [1, 1, 1], b"position": [1, 1, 1]}
    value = {b"format_version": 2, b"prim": {id: prim for id in ids},
        b"linkset": [[b"s" + struct.pack(">I", len(id)) + id] for id in ids], b"inventory": {}}
    (folder / "a.oxp").write_bytes(zlib.compress(llsd(value), 1))
    return [folder / "a.oxp"]


def links(folder, count):
    (folder / "a.xml").write_bytes(b"<SceneObjectGroup/>")
    [os.symlink("a.xml", folder / f"{number}.xml") for number in range(count)]
    return [folder]


def unpacked(folder, count):
    for number in range(count):
        (folder / f"{number:05}/objects").mkdir(parents=True)
        (folder / f"{number:05}/archive.xml").write_bytes(CONTROL)
    return [folder]


def list_of_folders(folder, count):
    for number in range(count):
        (folder / f"{number:05}").mkdir()
        (folder / f"{number:05}/a.txt").write_bytes(b"a")
    paths = "".join(f"{folder}/{number:05}\n" for number in range(count))
    (folder / "list").write_text(paths)
    return ["--files-from", folder / "list"]


object_xml = lambda n: b"<SceneObjectGroup><SceneObjectPart><Name>%d</Name></SceneObjectPart></SceneObjectGroup>" % n

PLACES = {
    "dump: n prims in one statement": (5_000, dump(lambda n: HEAD + PRIMS + values(map(row, range(n))))),
    "dump: n prims, a statement each": (5_000, dump(lambda n: HEAD + PRIMS + b"".join(values([row(m)]) for m in range(n)))),
    "dump: n prims of one linkset": (5_000, dump(lambda n: HEAD + PRIMS + values(row(m, group=0) for m in range(n)))),
    "dump: n prims with shapes": (5_000, dump(shapes)),
    "dump: n prims twice": (5_000, dump(lambda n: HEAD + PRIMS + values(row(m % (n // 2)) for m in range(n)))),
    "dump: n regions": (5_000, dump(lambda n: HEAD + PRIMS + values(row(m, region=m) for m in range(n)))),
    "dump: n databases": (500, dump(lambda n: HEAD + b"".join(b"USE d%d;\n" % m + PRIMS + values([row(m, region=m)]) for m in range(n)))),
    "dump: n tables": (20_000, dump(lambda n: HEAD + b"".join(b"CREATE TABLE t%d (a int);" % m for m in range(n)))),
    "dump: n columns": (100_000, dump(lambda n: HEAD + b"CREATE TABLE `prims` (" + b"a text," * n + b"b text);\n")),
    "dump: n columns with names of their own": (
        20_000, dump(lambda n: HEAD + b"CREATE TABLE `prims` (" + b"".join(b"a%d text," % m for m in range(n)) + b"b text);\n" + values([row(1)]))),
    "dump: a list of n columns": (
        100_000, dump(lambda n: HEAD + PRIMS + b"INSERT INTO `prims` (" + b"a," * n + b"b) VALUES ('a','b');\n")),
    "dump: a row of n values": (200_000, dump(lambda n: HEAD + PRIMS + b"INSERT INTO `prims` VALUES (" + b"1," * n + b"1);\n")),
    "dump: n / 100 rows of 100 values": (
        200_000, dump(lambda n: HEAD + PRIMS + b"INSERT INTO `prims` VALUES " + (b"(" + b"1," * 99 + b"1)," * (n // 100)) + b"(1);\n")),
    "dump: n prefixes before a value": (200_000, dump(lambda n: HEAD + PRIMS + b"INSERT INTO `prims` VALUES (" + b"_utf8 " * n + b"'a');\n")),
    "dump: n words in a value": (200_000, dump(lambda n: HEAD + PRIMS + b"INSERT INTO `prims` VALUES (" + b"n " * n + b"'a');\n")),
    "dump: n brackets in each other": (200_000, dump(lambda n: HEAD + PRIMS + b"INSERT INTO `prims` VALUES (" + b"(" * n + b"1" + b")" * n + b");\n")),
    "dump: n escapes in a text": (500_000, dump(lambda n: HEAD + PRIMS + b"INSERT INTO `prims` VALUES ('" + b"\\'" * n + b"');\n")),
    "dump: n doubled quotes in a text": (500_000, dump(lambda n: HEAD + PRIMS + b"INSERT INTO `prims` VALUES ('" + b"''" * n + b"');\n")),
    "dump: n digits of a blob": (1_000_000, dump(lambda n: HEAD + PRIMS + b"INSERT INTO `prims` VALUES (0x" + b"ab" * n + b");\n")),
    "dump: n comments": (200_000, dump(lambda n: HEAD + b"-- a\n" * n + b"/* b */\n" * n + PRIMS)),
    "dump: n conditional comments": (100_000, dump(lambda n: HEAD + b"/*!40101 SET a=b */;\n" * n + PRIMS)),
    "dump: a comment of n lines": (500_000, dump(lambda n: HEAD + b"/*" + b"a\n" * n + b"*/" + PRIMS)),
    "dump: n statements of no interest": (100_000, dump(lambda n: HEAD + b"LOCK TABLES `a` WRITE;\nUNLOCK TABLES;\n" * n + PRIMS)),
    "dump: a statement of n words that never ends": (500_000, dump(lambda n: HEAD + b"CREATE VIEW " + b"a " * n)),
    "dump: a text of n bytes that never ends": (1_000_000, dump(lambda n: HEAD + PRIMS + b"INSERT INTO `prims` VALUES ('" + b"a" * n)),
    "dump: n names between back quotes": (200_000, dump(lambda n: HEAD + b"CREATE VIEW a AS SELECT " + b"`a``b`," * n + b"1;\n")),
    "dump: n delimiters": (50_000, dump(lambda n: HEAD + b"DELIMITER ;;\nSELECT 1;;\nDELIMITER ;\n" * n + PRIMS)),
    "dump: n lines for the client": (100_000, dump(lambda n: POSTGRESQL + b"\\connect a\n" * n + copied_prims(1))),
    "dump: a line of n bytes for the client": (1_000_000, dump(lambda n: POSTGRESQL + b"\\connect " + b"a" * n + b"\n" + copied_prims(1))),
    "dump: n copied prims": (5_000, dump(copied_prims)),
    "dump: a copied row of n cells": (500_000, dump(lambda n: POSTGRESQL + copy("prims", ["uuid", "name"], [b"\t" * n + b"\n"]))),
    "dump: n copied rows of tabs": (20_000, dump(lambda n: POSTGRESQL + copy("prims", ["uuid", "name"], [b"\t" * 50 + b"\n"] * n))),
    "dump: n inserts of PostgreSQL": (
        5_000, dump(lambda n: POSTGRESQL + b"".join(b"INSERT INTO public.prims (\"UUID\", \"RegionUUID\", \"SceneGroupID\", \"Name\") VALUES " + row(m) + b";\n" for m in range(n)))),
    "dump: n statements of SQLite": (
        5_000, dump(lambda n: b"PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE prims(UUID,RegionUUID,SceneGroupID,Name);\n"
            + b"".join(b"INSERT INTO prims VALUES" + row(m) + b";\n" for m in range(n)) + b"COMMIT;\n")),
    "dump: n assets": (5_000, dump(lambda n: HEAD + assets(n))),
    "dump: n assets of one UUID": (5_000, dump(lambda n: HEAD + assets(1).replace(b";\n", b";") * n)),
    "dump: n terrains of one region": (5_000, dump(lambda n: HEAD + inserted("terrain", ["RegionUUID", "Revision", "Heightfield"], ((uuid(1, "4e4e4e4e"), m, "x") for m in range(n))))),
    "dump: n terrains of n regions": (5_000, dump(lambda n: HEAD + inserted("terrain", ["RegionUUID", "Revision", "Heightfield"], ((uuid(m, "4e4e4e4e"), m, "x") for m in range(n))))),
    "dump: n parcels": (5_000, dump(lambda n: HEAD + inserted("land", ["UUID", "RegionUUID", "Name"], ((uuid(m), uuid(1, "4e4e4e4e"), "x") for m in range(n))))),
    "dump: n items of one prim": (
        5_000, dump(lambda n: HEAD + PRIMS + values([row(1)]) + inserted("primitems", ["itemID", "primID", "assetID", "name"], ((uuid(m), uuid(1), uuid(m), "x") for m in range(n))))),
    "dump: n items of no prim": (
        5_000, dump(lambda n: HEAD + inserted("primitems", ["itemID", "primID", "assetID", "name"], ((uuid(m), uuid(m), uuid(m), "x") for m in range(n))))),
    "dump: n folders in each other": (2_000, dump(lambda n: folders_of_inventory(n, lambda m: uuid(m, "f0f0f0f0")))),
    "dump: n folders in one": (2_000, dump(lambda n: folders_of_inventory(n, lambda m: uuid(0 if m == 0 else 1, "f0f0f0f0")))),
    "dump: n folders in a circle": (2_000, dump(lambda n: folders_of_inventory(n, lambda m: uuid(m % n + 1, "f0f0f0f0")))),
    "dump: n accounts": (5_000, dump(lambda n: HEAD + accounts(n) + PRIMS + values([row(1)]))),
    "dump: n migrations": (20_000, dump(lambda n: HEAD + inserted("migrations", ["name", "version"], ((f"Store{m}", m) for m in range(n))))),
    "dump: mydumper with n files": (500, mydumper),
    "dump: Workbench with n files": (500, workbench),
    "dump: MySQL Shell with n files": (500, shell),
    "dump: mysqldump --tab with n lines": (5_000, tab),
    "dump: n messages": (50_000, dump(lambda n: HEAD + b"mysqldump: [Warning] a\n" * n + PRIMS + values([row(1)]))),
    "dump: n messages of an error": (50_000, dump(lambda n: HEAD + b"mysqldump: Error 1194: Table 'prims' is crashed\n" * n + PRIMS)),
    "dump: n names that were encoded twice": (5_000, dump(lambda n: HEAD + PRIMS + values(row(m, name="Ã±" * 20) for m in range(n)))),
    "dump: n tables of another program": (20_000, dump(lambda n: HEAD + b"".join(b"CREATE TABLE t%d (a int);INSERT INTO t%d VALUES (1);\n" % (m, m) for m in range(n)))),
    "dump: not packed, n prims": (5_000, dump(lambda n: HEAD + PRIMS + values(map(row, range(n))), packed=False)),
    "sqlite: n prims": (10_000, sqlite()),
    "sqlite: n prims of one linkset": (5_000, sqlite(rows=lambda n: prims(n, group=0))),
    "sqlite: n regions": (5_000, sqlite(rows=lambda n: ((uuid(m), uuid(m, "4e4e4e4e"), uuid(m), "n") for m in range(n)))),
    "sqlite: n tables": (500, sqlite(lambda n: (f"CREATE TABLE t{m}(a)" for m in range(n)), lambda n: prims(1))),
    "sqlite: n indexes": (500, sqlite(lambda n: (f"CREATE INDEX i{m} ON prims(Name)" for m in range(n)), lambda n: prims(1))),
    "sqlite: n columns of a default, n / 12 short rows": (6_000, with_defaults),
    "sqlite: a value of n bytes": (1_000_000, sqlite(rows=lambda n: [(uuid(1), uuid(1, "4e4e4e4e"), uuid(1), "n" * n)])),
    "sqlite: n assets": (5_000, sqlite(rows=lambda n: ((uuid(m, "a5a5a5a5"), 7, b"x") for m in range(n)), table="assets(UUID,Type,Data)")),
    "sqlite: n pages in a log": (10_000, unfinished("wal")),
    "sqlite: n pages in a journal": (10_000, unfinished("delete")),
    "sqlite: n databases of regions": (100, databases([REGIONS])),
    "sqlite: n of regions and of assets": (100, databases([REGIONS, ASSETS])),
    "sqlite: n of inventories and of assets": (100, databases([ITEMS, ASSETS])),
    "sqlite: n of each": (100, databases([REGIONS, ITEMS, ASSETS])),
    "sqlite: n of assets beside one of regions": (100, lambda folder, n: (databases([ASSETS])(folder, n), database(folder / "OpenSim.db", rows=prims(1)).close())[0]),
    "sqlite: n of other programs": (200, databases([("moz_places(id)", 1)])),
    "store: FSAssets with n files": (1_000, tree),
    "store: FSAssets with n files in the spool": (1_000, lambda folder, n: tree(folder, n, spooled=True)),
    "store: FSAssets with n files without rows": (1_000, lambda folder, n: tree(folder, n, rows=False)),
    "store: FSAssets with n rows without files": (1_000, lambda folder, n: tree(folder, n, files=False)),
    "store: Flotsam with n files": (1_000, cache(lambda id: f"{id[:3]}/{id}")),
    "store: Flotsam with n folders in folders": (1_000, cache(lambda id: f"{id[:2]}/{id[2:4]}/{id[4:6]}/{id}")),
    "store: Flotsam with n files in one folder": (1_000, cache(lambda id: f"000/{id}")),
    "container: a zip of n texts": (20_000, zipped(lambda n: f"{n}.txt")),
    "container: a zip of n packed objects": (2_000, zipped(lambda n: f"{n}.xml", object_xml, zipfile.ZIP_DEFLATED)),
    "container: a zip of n archives": (200, zipped(lambda n: f"{n}.oar", lambda n: gzip.compress(member(b"archive.xml", CONTROL), mtime=0))),
    "container: a zip of n members of one name": (2_000, zipped(lambda n: "a.xml", object_xml)),
    "container: a zip of n unpacked archives": (500, zipped(lambda n: f"{n}/archive.xml", lambda n: CONTROL)),
    "container: a zip of unpacked archives in each other": (
        500, zipped(lambda n: "a/" * (n % 60) + f"{n}/archive.xml", lambda n: CONTROL)),
    "container: a zip of n zips": (100, zipped(lambda n: f"{n}.zip", lambda n: (lambda out: (zipfile.ZipFile(out, "w").writestr("a.txt", "a"), out.getvalue())[1])(io.BytesIO()))),
    "container: a zip of n members that share bytes": (20_000, shared),
    "container: a zip of n names of 4,000 bytes": (500, zipped(lambda n: f"{n}" + "a" * 4000)),
    "container: a zip of n dumps": (200, zipped(lambda n: f"opensim_t{n}.sql", lambda n: HEAD + PRIMS)),
    "container: a zip of n files of FSAssets": (
        1_000, zipped(lambda n: (lambda hash: f"{hash[:2]}/{hash[2:4]}/{hash[4:6]}/{hash[6:10]}/{hash}")(hashlib.sha256(b"%d" % n).hexdigest().upper()), lambda n: b"%d" % n)),
    "container: zips in each other with n files": (20_000, nested(8)),
    "container: a tar of n texts": (20_000, tarred(lambda n: member(b"%d.txt" % n, b"a"))),
    "container: a tar of n texts, not packed": (20_000, tarred(lambda n: member(b"%d.txt" % n, b"a"), packed=False)),
    "container: a tar of n archives": (200, tarred(lambda n: member(b"%d.oar" % n, gzip.compress(member(b"archive.xml", CONTROL), mtime=0)))),
    "container: a tar of n long names": (1_000, tarred(lambda n: member(b"././@LongLink", b"a" * 4000 + b"%d" % n, b"L") + header(b"a", 0))),
    "container: a tar of n pax records": (2_000, tarred(lambda n: member(b"x", b"20 path=%012d\n" % n, b"x") + header(b"a", 0))),
    "container: gzip of n members": (5_000, lambda folder, n: ((folder / "a.oar").write_bytes(
        b"".join(gzip.compress(piece, mtime=0) for piece in [member(b"archive.xml", CONTROL), *[member(b"objects/%d.xml" % m, object_xml(m)) for m in range(n)], bytes(1024)])), [folder / "a.oar"])[1]),
    "viewer: LLSD XML with n prims": (1_000, singularity),
    "viewer: HPA with n prims": (1_000, phoenix),
    "viewer: OXP with n prims": (1_000, firestorm),
    "folder: n objects": (2_000, lambda folder, n: many_files(folder, lambda m: f"{m}.xml", object_xml, n)),
    "folder: n texts": (5_000, lambda folder, n: many_files(folder, lambda m: f"{m}.txt", lambda m: b"a", n)),
    "folder: n links to one file": (2_000, links),
    "folder: n unpacked archives": (200, unpacked),
    "folder: a list of n folders": (500, list_of_folders),
}
