"""Statements that fill databases of MySQL and PostgreSQL, with the tables of several versions of OpenSimulator.

The rows are those that a true OpenSimulator left in SQLite. Types and columns follow the product and its version.
"""

import base64
import sqlite3
import uuid

# The version of RegionStore that added a column, by product. Other columns are in all versions.
ADDED_BY_MYSQL = {
    "AttachedPosX": 49, "AttachedPosY": 49, "AttachedPosZ": 49, "PassCollisions": 52, "Vehicle": 52,
    "block_search": 52, "casino": 52, "SeeAVs": 52, "AnyAVSounds": 52, "GroupAVSounds": 52, "RotationAxisLocks": 53,
    "RezzerID": 56, "PhysInertia": 57, "sopanims": 58, "standtargetx": 59, "standtargety": 59, "standtargetz": 59,
    "sitactrange": 59, "pseudocrc": 61, "cacheID": 61, "environment": 63, "MatOvrd": 64, "lnkstBinData": 65,
    "TerrainPBR1": 66, "TerrainPBR2": 66, "TerrainPBR3": 66, "TerrainPBR4": 66, "StartStr": 67,
}
# PostgreSQL numbers its versions in another way. Its last one failed, so no database has StartStr.
OF_POSTGRESQL = {40: 51, 52: 63, 58: 66}
# Versions of MySQL from here have most numbers of prims as FLOAT, before as DOUBLE.
FLOATS = 60

# Columns that SQLite does not have in the version of the data.
LATER = {
    "prims": [("LinkNumber", "int"), ("lnkstBinData", "blob"), ("StartStr", "text")],
    "primshapes": [("MatOvrd", "blob")],
    "regionsettings": [(f"TerrainPBR{number}", "uuid") for number in range(1, 5)],
}
# Columns that only SQLite has, and those that PostgreSQL lacks.
ONLY_SQLITE = {"VolumeDetect"}
NOT_IN_POSTGRESQL = {"KeyframeMotion", "AttachedPosX", "AttachedPosY", "AttachedPosZ", "LastAttachPoint"}
NAMES = {
    ("land", "Desc"): "Description", ("regionsettings", "sandbox"): "Sandbox", ("assets", "UUID"): "id",
    ("assets", "Name"): "name", ("assets", "Description"): "description", ("assets", "Type"): "assetType",
    ("assets", "Local"): "local", ("assets", "Temporary"): "temporary", ("assets", "Data"): "data",
}
KEYS = {
    "prims": "UUID", "primshapes": "UUID", "primitems": "itemID", "land": "UUID", "regionsettings": "regionUUID",
    "regionenvironment": "region_id", "assets": "id",
}
FILES = {
    "OpenSim.db": ["prims", "primshapes", "primitems", "land", "landaccesslist", "regionsettings",
                   "regionenvironment", "terrain", "bakedterrain"],
    "Asset.db": ["assets"],
}
TEXTS = {"Media", "DynAttrs", "Vehicle", "PhysInertia", "StartStr", "llsd_settings", "environment"}
BLOBS = {"TextureAnimation", "ParticleSystem", "data"}
NUMBERS = {
    "ForceMouselook", "DieAtEdge", "SaleType", "nextPermissions", "currentPermissions", "basePermissions",
    "everyonePermissions", "groupPermissions", "LocalLandID", "LandingType", "MediaAutoScale", "PassPrice", "Flags",
    "assetType", "LandFlags",
}
FLAGS = {
    "IsGroupOwned", "PassTouches", "PassCollisions", "MediaLoop", "ObscureMusic", "ObscureMedia", "local", "temporary",
    "block_terraform", "block_fly", "allow_damage", "restrict_pushing", "allow_land_resell",
    "allow_land_join_divide", "block_show_in_search", "disable_scripts", "disable_collisions", "disable_physics",
    "use_estate_sun", "fixed_sun", "Sandbox", "block_search", "casino",
}
# Not the UUID of a creator: others of these columns may hold a home grid as well.
NO_UUIDS = {"CreatorID", "creatorID", "map_tile_ID"}


def kind_of(table, column, declared, sample):
    """Whether a column holds flags, numbers, reals, texts, blobs or UUIDs."""
    declared = declared.lower()
    if column in FLAGS:
        return "flag"
    if column in BLOBS or declared == "blob":
        return "blob"
    if column in TEXTS:
        return "text"
    if column in NUMBERS or declared.startswith(("int", "tinyint", "bool")):
        return "int"
    if declared in ("float", "double"):
        return "real" if table != "primshapes" else "double"
    is_uuid = isinstance(sample, str) and len(sample) == 36 and sample.count("-") == 4
    return "uuid" if is_uuid and column not in NO_UUIDS else "name"


def type_of(product, version, table, column, kind):
    if product == "mysql":
        is_float = kind == "real" and table == "prims" and version >= FLOATS
        if column == "LandFlags":
            return "int unsigned"
        return {"flag": "tinyint", "int": "int", "real": "float" if is_float else "double", "double": "double",
                "blob": "longblob", "text": "mediumtext", "uuid": "char(36)", "name": "varchar(255)"}[kind]
    if column == "LandFlags":
        return "bigint"
    if (table, column) == ("primitems", "creationDate"):
        return "varchar(255)"
    return {"flag": "boolean", "int": "integer", "real": "double precision", "double": "double precision",
            "blob": "bytea", "text": "text", "uuid": "uuid", "name": "varchar(255)"}[kind]


def tables(product, version, folder):
    """The tables of one version: name, columns with their kinds, rows."""
    number = version if product == "mysql" else OF_POSTGRESQL[version]
    for file, names in FILES.items():
        database = sqlite3.connect(f"file:{folder / file}?mode=ro&immutable=1", uri=True)
        for table in names:
            info = database.execute(f'PRAGMA table_info("{table}")').fetchall()
            rows = [list(row) for row in database.execute(f'SELECT * FROM "{table}" ORDER BY rowid')]
            first = rows[0] if rows else [None] * len(info)
            columns = []
            for (_, name, declared, *_), sample in zip(info, first):
                name = NAMES.get((table, name), name)
                columns.append((name, kind_of(table, name, declared, sample)))
            known = {name for name, _ in columns}
            for name, kind in LATER.get(table, []):
                if name in known:
                    continue
                columns.append((name, kind))
                for row in rows:
                    row.append(str(uuid.UUID(int=0)) if kind == "uuid" else None)
            if table == "prims":
                link_numbers([name for name, _ in columns], rows)
            left_out = ONLY_SQLITE | (NOT_IN_POSTGRESQL if product == "postgresql" else set())
            kept = [
                place for place, (name, _) in enumerate(columns)
                if name not in left_out and ADDED_BY_MYSQL.get(name, 0) <= number
            ]
            rows = [[value(columns[place][1], row[place]) for place in kept] for row in rows]
            columns = [columns[place] for place in kept]
            if table in KEYS:
                # A dump of MyISAM has the order of the file, which is then that of the key.
                key = [name for name, _ in columns].index(KEYS[table])
                rows.sort(key=lambda row: row[key])
            yield table, columns, rows


def link_numbers(columns, rows):
    """Numbers as a simulator writes them: 0 for a single prim, else 1 for the root, which is the first."""
    own, group, number = (columns.index(name) for name in ["UUID", "SceneGroupID", "LinkNumber"])
    groups = {}
    for row in rows:
        groups.setdefault(row[group], []).append(row)
    for root, prims in groups.items():
        prims.sort(key=lambda row: row[own] != root)
        for place, row in enumerate(prims, 1):
            row[number] = place if len(prims) > 1 else 0


def value(kind, raw):
    """A value as the other products hold it."""
    if kind in ("flag", "int") and isinstance(raw, str):
        return {"True": 1, "False": 0}.get(raw, int(raw) if raw.lstrip("-").isdigit() else 0)
    if kind == "blob" and isinstance(raw, str):
        return base64.b64decode(raw)
    if kind == "text" and isinstance(raw, bytes):
        return raw.decode()
    return raw


def statements(product, version, folder, engine="InnoDB", charset="utf8mb3"):
    """The statements that create and fill a database."""
    quote = "`%s`" if product == "mysql" else '"%s"'
    end = f" ENGINE={engine} DEFAULT CHARSET={charset}" if product == "mysql" else ""
    for table, columns, rows in tables(product, version, folder):
        defined = [f"{quote % name} {type_of(product, version, table, name, kind)}" for name, kind in columns]
        if table in KEYS:
            defined.append(f"PRIMARY KEY ({quote % KEYS[table]})")
        yield f"CREATE TABLE {quote % table} ({', '.join(defined)}){end};\n"
        for start in range(0, len(rows), 50):
            listed = (
                "(" + ",".join(literal(product, kind, cell) for (_, kind), cell in zip(columns, row)) + ")"
                for row in rows[start:start + 50]
            )
            yield f"INSERT INTO {quote % table} VALUES {','.join(listed)};\n"


def literal(product, kind, cell):
    if cell is None:
        return "NULL"
    if isinstance(cell, bytes):
        if product == "mysql":
            return f"X'{cell.hex()}'"
        return f"'\\x{cell.hex()}'"
    if isinstance(cell, (int, float)):
        return repr(bool(cell)).lower() if kind == "flag" and product == "postgresql" else repr(cell)
    text = cell.replace("'", "''")
    return "'" + (text.replace("\\", "\\\\") if product == "mysql" else text) + "'"
