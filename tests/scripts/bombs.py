#!/usr/bin/env python3
"""Makes archives and assets that expand, nest, lie about their size, or are very many. Audits each, and prints the
peak memory.

Usage: bombs.py HULLMARK [MEGABYTES]

Fails if an audit takes more than MEGABYTES (200; crowds and lists have their own bound), if its exit code is not 0 or
3, or if no finding gives the reason. Needs about 800 MB in the temporary folder. Nothing is fetched.
"""

import collections
import csv
import gzip
import io
import itertools
import multiprocessing
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time
import uuid
import zipfile
import zlib

import dump_bombs
from gzip_of_runs import GzipOfRuns

MB = 1_000_000
# The permitted megabytes of a container with as many members as may be listed, and of one whose members are decoded, too.
LISTS = 300
DECODED = 600
GB = 1_000_000_000

Audit = collections.namedtuple("Audit", "code peak seconds cpu")
CONTROL = b'<?xml version="1.0" encoding="utf-16"?><archive major_version="0" minor_version="8"></archive>'


def apart(work):
    """Calls `work` in a separate process: the peak memory of a program includes that of its parent at the start."""
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def header(name, size, kind=b"0"):
    field = b"%011o\0" % size if size < 8**11 else b"\x80" + size.to_bytes(11, "big")
    block = bytearray(512)
    block[: len(name)] = name
    block[100:108] = b"0000777\0"
    block[124:136] = field
    block[148:156] = b" " * 8
    block[156:157] = kind
    # All that follows is zeros.
    block[148:156] = b"%06o\0 " % sum(block[:157])
    return bytes(block)


def member(name, content, kind=b"0"):
    return header(name, len(content), kind) + content + bytes(-len(content) % 512)


def archive(path, pieces, level=9):
    """Writes pieces and the end of the tar. A piece is bytes, or a number of zero bytes."""
    with open(path, "wb") as file, GzipOfRuns(file, level) as out:
        for piece in itertools.chain([member(b"archive.xml", CONTROL)], pieces, [1024]):
            if isinstance(piece, bytes):
                out.write(piece)
            else:
                write_zeros(out, piece)


def write_zeros(out, count):
    for at in range(0, count, MB):
        out.write(bytes(min(MB, count - at)))


def zeros(count, before=b"", after=b""):
    """Returns zeros between other bytes, packed as gzip."""
    file = io.BytesIO()
    with GzipOfRuns(file, 1) as out:
        out.write(before)
        write_zeros(out, count)
        out.write(after)
    return file.getvalue()


def llsd(value):
    """Returns binary LLSD of bytes (copied unchanged), maps, lists and numbers."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, int):
        return b"i" + struct.pack(">i", value)
    if isinstance(value, dict):
        entries = b"".join(b"k" + struct.pack(">I", len(key)) + key + llsd(item) for key, item in value.items())
        return b"{" + struct.pack(">I", len(value)) + entries + b"}"
    return b"[" + struct.pack(">I", len(value)) + b"".join(map(llsd, value)) + b"]"


def binary(content):
    return b"b" + struct.pack(">I", len(content)) + content


def mesh(**blocks):
    """Returns a mesh asset of these blocks by name, each already LLSD."""
    packed = {name.encode(): zlib.compress(block, 9) for name, block in blocks.items()}
    table, offset = {}, 0
    for name, block in packed.items():
        table[name] = {b"offset": offset, b"size": len(block)}
        offset += len(block)
    return llsd(table) + b"".join(packed.values())


def uuid_name(suffix):
    return b"assets/11111111-1111-4111-8111-111111111111" + suffix


def jpeg2000(width, height):
    """Returns the head of a codestream that announces an image of this size, without its data."""
    siz = struct.pack(">HIIIIIIIIH", 0, width, height, 0, 0, width, height, 0, 0, 3) + b"\x07\x01\x01" * 3
    cod = b"\x00\x00\x00\x01\x01\x05\x04\x04\x00\x01"
    qcd = b"\x40" + bytes(range(16))
    marker = lambda code, body: code + struct.pack(">H", len(body) + 2) + body
    sot = marker(b"\xff\x90", struct.pack(">HIBB", 0, 0, 0, 1))
    return (
        b"\xff\x4f" + marker(b"\xff\x51", siz) + marker(b"\xff\x52", cod) + marker(b"\xff\x5c", qcd) + sot + b"\xff\x93\xff\xd9"
    )


def sculpt(uuid):
    shape = "<Shape><SculptEntry>true</SculptEntry><SculptTexture><UUID>%s</UUID></SculptTexture><SculptType>1</SculptType></Shape>"
    return (
        "<SceneObjectGroup><SceneObjectPart><UUID><UUID>22222222-2222-4222-8222-222222222222</UUID></UUID>"
        "<Name>a</Name>" + shape % uuid + "<Scale><X>1</X><Y>1</Y><Z>1</Z></Scale></SceneObjectPart><OtherParts/></SceneObjectGroup>"
    ).encode()


def depth(count):
    return b"[\0\0\0\x01" * count + b"!" + b"]" * count


def xml(content):
    return member(b"objects/a__11111111-1111-4111-8111-111111111111.xml", content)


def named(name, content):
    """Returns a member whose name is too long for its header."""
    return member(b"././@LongLink", name, b"L") + member(name[:99], content)


def every(_name):
    return True


def make(folder, is_wanted=every):
    """Yields every wanted bomb: its name, its path, and codes, at least one of which must be found."""
    mesh_of = lambda **blocks: member(uuid_name(b"_mesh.llmesh"), mesh(**blocks))
    tens = b"".join(
        b"<!ENTITY a%d \"%s\">" % (n, b"&a%d;" % (n - 1) * 10 if n else b"lol" * 10) for n in range(12)
    )
    image = uuid_name(b"_texture.jp2")
    bombs = {
        "gzip: an asset of 3 GB of zeros": (lambda: (header(uuid_name(b"_texture.jp2"), 3 * GB), 3 * GB + -3 * GB % 512), []),
        "gzip: a script of 3 GB of zeros": (lambda: (header(uuid_name(b"_script.lsl"), 3 * GB), 3 * GB + -3 * GB % 512), []),
        "gzip: an object of 1 GB of zeros": (
            lambda: (header(b"objects/a.xml", GB), GB + -GB % 512), ["ARC012"]),
        "gzip: a mesh of 100 MB of zeros": (
            lambda: (header(uuid_name(b"_mesh.llmesh"), 100 * MB), 100 * MB + -100 * MB % 512), ["MSH014"]),
        "gzip: 3 GB behind the end of the tar": (lambda: (1024, 3 * GB), []),
        "gzip in gzip in gzip": (lambda: (gzip.compress(zeros(GB // 2)),), ["ARC002"]),
        "tar: a size of 2 TB": (lambda: (header(b"objects/a.xml", 2_000 * GB),), ["ARC012"]),
        "tar: a size of 2^61": (lambda: (header(uuid_name(b"_texture.jp2"), 1 << 61),), ["ARC012"]),
        "tar: an object that says it has 100 MB and has none": (lambda: (header(b"objects/a.xml", 100 * MB),), ["ARC002"]),
        "tar: a GNU long name of 2 GB": (
            lambda: (header(b"././@LongLink", 2 * GB, b"L"), 2 * GB + -2 * GB % 512, member(b"objects/a.xml", b"<a/>")), ["ARC012"]),
        "tar: a pax record of 2 GB": (
            lambda: (header(b"x", 2 * GB, b"x"), 2 * GB + -2 * GB % 512, member(b"objects/a.xml", b"<a/>")), ["ARC012"]),
        "tar: 300,000 empty members": (lambda: (header(b"assets/a", 0) * 300_000,), ["ARC010"]),
        "zlib: a block of 1 GB": (lambda: (mesh_of(high_lod=bytes(GB)),), ["ARC012"]),
        "zlib: five blocks of 67 MB of zeros": (
            lambda: (mesh_of(**{name: bytes(67 * MB) for name in
                ("high_lod", "medium_lod", "low_lod", "lowest_lod", "physics_convex", "physics_mesh", "skin")}),),
            ["ARC012", "MSH015"]),
        "LLSD: nested 10,000,000 deep": (lambda: (mesh_of(high_lod=depth(10_000_000)),), ["ARC012"]),
        "LLSD: an array of 2^32-1 that is not there": (lambda: (mesh_of(high_lod=b"[\xff\xff\xff\xff"),), ["MSH015"]),
        "LLSD: 60,000,000 values": (
            lambda: (mesh_of(high_lod=b"[" + struct.pack(">I", 60 * MB) + b"!" * 60 * MB + b"]"),), ["ARC012"]),
        "LLSD: binary of 4 GB that is not there": (lambda: (mesh_of(high_lod=b"b\xff\xff\xff\xff"),), ["MSH015"]),
        "LLSD: 60,000,000 hulls": (
            lambda: (mesh_of(physics_convex=llsd({b"HullList": binary(bytes(60 * MB)), b"Positions": binary(b"")})),), ["ARC012"]),
        "LLSD: 9,000,000 triangles in each level": (
            lambda: (mesh_of(**{name: llsd([{b"Position": binary(bytes(18)), b"TriangleList": binary(bytes(54 * MB))}])
                for name in ("high_lod", "medium_lod")}),), ["MSH004", "MSH005", "MSH016", "HUL008"]),
        "XML: nested 10,000,000 deep": (lambda: (xml(b"<a>" * 10_000_000),), ["ARC012", "OBJ001", "OBJ002"]),
        "XML: a billion laughs": (
            lambda: (xml(b"<?xml version=\"1.0\"?><!DOCTYPE a [" + tens + b"]><SceneObjectGroup>&a11;</SceneObjectGroup>"),),
            ["OBJ001", "OBJ002"]),
        "XML: an element with 2,000,000 attributes": (
            lambda: (xml(b"<SceneObjectGroup " + b"".join(b"a%d='' " % n for n in range(2_000_000)) + b"/>"),), ["OBJ001", "OBJ002"]),
        "XML: 99 MB of empty parts": (
            lambda: (xml(b"<SceneObjectGroup>" + b"<SceneObjectPart/>" * 5_500_000 + b"</SceneObjectGroup>"),), ["ARC012"]),
        "XML: objects of 8,000 parts under names that fill rows": (
            lambda: (b"".join(named(b"objects/" + b'"' * 3000 + b"%d.xml" % n,
                b"<SceneObjectGroup>" + b"<SceneObjectPart/>" * 8000 + b"</SceneObjectGroup>") for n in range(2)),), ["OBJ003"]),
        "JPEG 2000: 2^31 pixels a side": (
            lambda: (xml(sculpt("11111111-1111-4111-8111-111111111111")), member(image, jpeg2000(1 << 31, 1 << 31))),
            ["ARC012", "AST004"]),
        "JPEG 2000: 2048 pixels a side and nothing in them": (
            lambda: (xml(sculpt("11111111-1111-4111-8111-111111111111")), member(image, jpeg2000(2048, 2048))),
            ["ARC012", "AST004"]),
    }
    for number, (name, (pieces, codes)) in enumerate(bombs.items()):
        if not is_wanted(name):
            continue
        path = folder / f"{number:02}.oar"
        apart(lambda: archive(path, pieces()))
        yield name, path, codes
        path.unlink()


def packed(files):
    """Returns a zip of files: names and bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, content in files:
            pack.writestr(name, content)
    return out.getvalue()


def overlapping(count):
    """Returns a zip whose directory names one member many times, each as a region of its own."""
    one = packed([("00000.oar", gzip.compress(bytes(100 * MB)))])
    directory = one.index(b"PK\x01\x02")
    end = one.index(b"PK\x05\x06")
    entries = b"".join(one[directory:end].replace(b"00000.oar", b"%05d.oar" % number) for number in range(count))
    head = one[end:end + 8] + struct.pack("<HHII", count, count, len(entries), directory) + b"\0\0"
    return one[:directory] + entries + head


def layers(width, height):
    """Returns a zip of zips of zips, each with equal members."""
    content = packed([(f"{number}.oar", bytes(10 * MB)) for number in range(width)])
    for _ in range(height - 1):
        content = packed([(f"{number}.zip", content) for number in range(width)])
    return content


def containers(folder, is_wanted=every):
    """Yields wanted containers: name, path, and codes, at least one of which must be found."""
    bombs = {
        "zip: 16 zips of 16 zips of 16 zips of 16 zips": (lambda: layers(16, 5), ["RUN001"]),
        "zip: 12 zips in each other": (lambda: layers(1, 12), ["RUN001"]),
        "zip: one member of 100 MB, 60,000 times": (lambda: overlapping(60_000), ["RUN001"]),
        "zip: 65,000 files of a byte": (
            lambda: packed([(f"{number}.txt", b"a") for number in range(65_000)] + [("a.oar", b"")]), []),
        "zip: 3 GB of zeros as a region": (
            lambda: packed([("a.oar", zeros(GB) * 3)]), ["ARC003"]),
        "tar.gz: a zip behind 3 GB of zeros": (
            lambda: zeros(GB + -GB % 512, member(b"a.oar", b"") + header(b"b.bin", GB),
                member(b"c.zip", packed([("d.oar", b"text")])) + bytes(1024)), []),
    }
    yield from written(folder, "container-{}.zip", bombs, is_wanted)


def directory(names, method=0, content=b""):
    """Returns a zip whose directory has these names. All have the place of the first member, or a place of their own."""
    out, entries, crc = bytearray(), bytearray(), zlib.crc32(content)
    packed = zlib.compress(content, 9)[2:-4] if method == 8 else content
    shares = not content
    for number, name in enumerate(names):
        at = 0 if shares else len(out)
        if not shares or number == 0:
            sizes = struct.pack("<IIIHH", crc, len(packed), len(content), len(name), 0)
            out += struct.pack("<IHHHHH", 0x04034B50, 20, 0, method, 0, 0) + sizes + name + packed
        sizes = struct.pack("<IIIHH", crc, len(packed), len(content), len(name), 0)
        entries += struct.pack("<IHHHHHH", 0x02014B50, 20, 20, 0, method, 0, 0) + sizes + struct.pack("<HHHII", 0, 0, 0, 0, at) + name
    count = number + 1
    end = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, len(entries), len(out))
    end += struct.pack("<IIQI", 0x07064B50, 0, len(out) + len(entries), 1)
    end += struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return bytes(out + entries + end)


def in_tar(name, content):
    """Returns a packed tar with one file."""
    return gzip.compress(member(name, content) + bytes(1024), 1, mtime=0)


def members(content, name=b"%d.txt"):
    """Returns a packed tar of an archive and very many files."""
    out = io.BytesIO()
    with GzipOfRuns(out, 1) as tar:
        tar.write(member(b"a.oar", b""))
        for number in range(999_000):
            tar.write(member(name % number, content))
        tar.write(bytes(1024))
    return out.getvalue()


def lists(folder, is_wanted=every):
    """Yields wanted containers with very many members: name, path, and codes, at least one of which must be found."""
    many = lambda ending: (b"%d%s" % (number, ending) for number in range(999_000))
    bombs = {
        "zip in a tar: 999,000 members that share their bytes": (
            lambda: in_tar(b"a.zip", directory(many(b".oar"))), ["RUN001"]),
        "zip in a tar: 999,000 texts of a byte": (
            lambda: in_tar(b"a.zip", directory(itertools.chain([b"a.oar"], many(b".txt")), content=b"a")), ["RUN007"]),
        "zip in a tar: 999,000 archives": (
            lambda: in_tar(b"a.zip", directory(many(b".oar"), content=gzip.compress(bytes(512), mtime=0))), ["RUN001"]),
        "zip in a tar: 999,000 objects": (
            lambda: in_tar(b"a.zip", directory(many(b".xml"), content=b"<SceneObjectGroup/>")), ["RUN001", "OBJ001"]),
        "zip in a tar: 20,000 names of 65,535 bytes": (
            lambda: in_tar(b"a.zip", directory((b"%065535d" % number for number in range(20_000)), content=b"a")), ["RUN001"]),
        "zip in a tar: 20,000 names of 65,535 bytes that differ at their starts": (
            lambda: in_tar(b"a.zip", directory((b"%d" % number + b"0" * 65_525 for number in range(10_000, 30_000)), content=b"a")),
            ["RUN001"]),
        "zip in a tar: 999,000 parcels of an unpacked archive": (
            lambda: in_tar(b"a.zip", directory(itertools.chain([b"archive.xml"], (b"landdata/%d.xml" % n for n in range(999_000))), content=CONTROL)),
            ["RUN001", "REG006"]),
        "tar: 999,000 texts of a byte": (lambda: members(b"a"), ["RUN007"]),
        "tar: 999,000 archives": (lambda: members(gzip.compress(bytes(512), mtime=0), b"%d.oar"), ["RUN001"]),
        "tar: 999,000 names of 200 bytes": (lambda: members(b"a", b"%d" + b"a" * 90), ["RUN007"]),
    }
    yield from written(folder, "list-{}.tar.gz", bombs, is_wanted)


def written(folder, pattern, bombs, is_wanted):
    for number, (name, (content, codes)) in enumerate(bombs.items()):
        if not is_wanted(name):
            continue
        path = folder / pattern.format(number)
        apart(lambda: path.write_bytes(content()))
        yield name, path, codes
        path.unlink()


def texts(folder, is_wanted=every):
    """Yields wanted documents that take more memory than they have bytes, as files: name, path and codes."""
    group = lambda inside: (b"<?xml version=\"1.0\" ?><llsd><map><key>data</key><array><map><key>group_body</key><map><key>1</key><map>"
        + inside + b"</map></map></map></array></map></llsd>")
    part = lambda inside: b"<SceneObjectGroup><SceneObjectPart>" + inside + b"</SceneObjectPart></SceneObjectGroup>"
    name = lambda inside: part(b"<Name>" + inside + b"</Name>")
    # Made when it is written: what this process takes would count for the audits.
    chinese = lambda: ("\u4e2d" * 48 * MB).encode("utf-16-le")
    keys = lambda count: {b"%07d" % number: {} for number in range(count)}
    export = lambda count: {b"asset": {}, b"format_version": 2, b"inventory": keys(count), b"linkset": [], b"prim": keys(count)}
    bombs = {
        "LLSD XML: 1,000,000 texts in an array": (
            lambda: group(b"<key>a</key><array>" + b"<string>%s</string>" % (b"a" * 66) * 1_048_000 + b"</array>"), ["OBJ001"]),
        "LLSD XML: 1,000,000 keys of a map": (
            lambda: group(b"".join(b"<key>%07d</key><string>%s</string>" % (number, b"a" * 46) for number in range(1_048_000))), ["OBJ001"]),
        "LLSD XML: a text of 98 MB": (lambda: group(b"<key>name</key><string>" + b"a" * 98 * MB + b"</string>"), []),
        "LLSD XML: a text of 98 MB with references": (
            lambda: group(b"<key>name</key><string>" + (b"a" * 994 + b"&amp;") * 98_000 + b"</string>"), ["ARC012"]),
        "OXP: 1,000,000 keys of maps and 85 MB of zeros": (
            lambda: zlib.compress(llsd(export(500_000) | {b"author": binary(bytes(85 * MB))}), 1), ["ARC012", "OBJ001"]),
        "OXP: 700,000 keys of maps and 85 MB of zeros": (
            lambda: zlib.compress(llsd(export(350_000) | {b"author": binary(bytes(85 * MB))}), 1), []),
        "OXP: 48 MB that inflate to as many": (
            lambda: zlib.compress(llsd(export(9) | {b"author": binary(os.urandom(48 * MB))}), 0), []),
        "XML: a name of 98 MB": (lambda: name(b"a" * 98 * MB), ["OBJ006"]),
        "XML: a name of 98 MB with references": (lambda: name((b"a" * 994 + b"&amp;") * 98_000), ["ARC012"]),
        "XML: 98 MB that are not UTF-8": (lambda: name(b"\xff" * 98 * MB), ["ARC012"]),
        "XML: 96 MB of UTF-16": (lambda: b"\xff\xfe" + name(b"CHINESE").decode().encode("utf-16-le").replace("CHINESE".encode("utf-16-le"), chinese()), ["ARC012"]),
        "XML: a tag of 98 MB": (lambda: b"<SceneObjectGroup><" + b"a" * 98 * MB + b"></b></SceneObjectGroup>", ["OBJ001", "OBJ002"]),
        "XML: an end of 98 MB": (lambda: b"<SceneObjectGroup></" + b"a" * 98 * MB + b">", ["OBJ001", "OBJ002"]),
        "XML: faces of 98 MB": (lambda: part(b"<Shape><TextureEntry>" + b"A" * 98 * MB + b"</TextureEntry></Shape>"), ["OBJ006"]),
        "XML: a UUID of a script of 98 MB": (
            lambda: b"<SceneObjectGroup><GroupScriptStates><SavedScriptState UUID=\"" + b"a" * 98 * MB + b"\"/></GroupScriptStates></SceneObjectGroup>", []),
        "LLSD: a block of a map of 1,000,000 keys": (
            lambda: mesh(high_lod=llsd({b"%06d" % number: 1 for number in range(1_000_000)} | {b"x": binary(bytes(50 * MB))})), []),
    }
    for ending, prefix in ((".oxp", "OXP"), (".llmesh", "LLSD:"), (".xml", "")):
        chosen = {name: bomb for name, bomb in bombs.items() if name.startswith(prefix) and (prefix or not name.startswith(("OXP", "LLSD:")))}
        yield from written(folder, "text-{}" + ending, chosen, is_wanted)


def empty_assets(first):
    """Returns as many empty assets as an archive may have, each with its own UUID."""
    return (header(b"assets/%08x-0000-4000-8000-%012x_texture.jp2" % (n, n), 0) for n in range(first, first + 999_000))


def small(folder):
    """Writes 10,000 archives of one object each, no two alike."""
    part = "<SceneObjectPart><UUID><UUID>%s</UUID></UUID><Name>%d</Name>" + "<Scale><X>1</X><Y>1</Y><Z>1</Z></Scale></SceneObjectPart>"
    for number in range(10_000):
        uuids = [uuid.UUID(int=number << 8 | n) for n in range(1, 9)]
        parts = [part % (one, number) for one in uuids]
        object = "<SceneObjectGroup>%s<OtherParts>%s</OtherParts></SceneObjectGroup>" % (parts[0], "".join(parts[1:]))
        archive(folder / f"{number:05}.oar", [xml(object.encode())], level=1)


def crowds(folder):
    """Yields crowds: name, folder, codes, at least one of which must be found, and the permitted megabytes."""
    def write(first):
        archive(folder / f"{first}.oar", empty_assets(first), level=1)
    cases = {
        "999,000 empty assets, each with a UUID of its own": ([lambda: write(0)], ["AST004"], 300),
        "two of these side by side": ([lambda: write(0), lambda: write(999_000)], ["AST004"], 1000),
        "10,000 archives of one object": ([lambda: small(folder)], ["OBJ006"], 200),
    }
    folder.mkdir()
    for name, (works, codes, most) in cases.items():
        for work in works:
            apart(work)
        yield name, folder, codes, most
        for path in folder.iterdir():
            path.unlink()


def audit(hullmark, path, out, *more):
    """Returns the exit code, the peak memory in MB, and wall clock and processor time in seconds. `path` may be a list."""
    paths = path if isinstance(path, list) else [path]
    return measure([hullmark, "audit", *paths, "--out", out, "--format", "csv", "-q", *more])


def measure(command):
    """Runs a command. Returns the exit code, the peak memory in MB, and wall clock and processor time in seconds."""
    # A child begins with the peak of its parent, which has made bombs: a small program starts the command.
    run = subprocess.run([sys.executable, "-c", MEASURE, *map(str, command)], capture_output=True, text=True, check=True)
    code, peak, seconds, cpu = run.stdout.split()
    return Audit(int(code), float(peak) / 1000, float(seconds), float(cpu))


# Runs a command, and prints its exit code, its peak memory in KB, and wall clock and processor time in seconds.
MEASURE = """
import os, subprocess, sys, time
begun = time.perf_counter()
program = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(program.pid, 0)
program.returncode = os.waitstatus_to_exitcode(status)
print(program.returncode, usage.ru_maxrss, time.perf_counter() - begun, usage.ru_utime + usage.ru_stime)
"""


def codes_in(out):
    """Returns the codes of a report. A child reads the table, because what it takes would count for the next audit."""
    def read():
        with open(out / "findings.csv", newline="") as table:
            codes = {row["code"] for row in csv.DictReader(table)}
        (out / "codes").write_text(" ".join(codes))
    apart(read)
    return set((out / "codes").read_text().split())


def files_and_dumps(folder, most):
    """Archives, assets and dumps, with the bound of their memory."""
    dumps = dump_bombs.make(folder, every, apart)
    for bomb in itertools.chain(make(folder), containers(folder), texts(folder), dumps):
        yield *bomb, most


def many_things(folder, _most):
    """Files with very many things, which have bounds of their own."""
    for bomb in lists(folder):
        yield *bomb, DECODED if {"OBJ001", "REG006"} & set(bomb[2]) else LISTS
    yield from crowds(folder / "crowd")


def check(hullmark, bombs, most):
    """Audits some of the bombs, and exits with 1 if one of them is wrong."""
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, path, expected, bound in bombs(folder, most):
            code, peak, seconds, _ = audit(hullmark, path, folder / "report")
            if peak >= bound:
                # Threads and disks decide how much waits. A bomb that always takes too much takes it twice.
                _, again, _, _ = audit(hullmark, path, folder / "again")
                peak = min(peak, again)
            codes = codes_in(folder / "report")
            right = peak < bound and code in (0, 3) and (not expected or codes & set(expected))
            files = path.iterdir() if path.is_dir() else [path]
            size = sum(file.stat().st_size for file in files)
            failures += not right
            told = ", ".join(sorted(codes - {"RUN003"}))
            mark = "" if right else " **wrong**"
            print(f"| {name}{mark} | {size:,} | {peak:.0f} | {seconds:.1f} | {code} | {told} |", flush=True)
    sys.exit(f"{failures} are wrong" if failures else 0)


def main(hullmark, most="200"):
    print("| bomb | bytes | peak, MB | s | exit code | codes |\n|---|---|---|---|---|---|", flush=True)
    # It takes one core to make a bomb, and one for most audits.
    halves = [
        multiprocessing.Process(target=check, args=(hullmark, bombs, float(most)), daemon=True)
        for bombs in (files_and_dumps, many_things)
    ]
    # Both end with this process, and remove their folders.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    for half in halves:
        half.start()
    for half in halves:
        half.join()
    sys.exit(any(half.exitcode for half in halves))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
