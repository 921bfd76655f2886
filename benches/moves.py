#!/usr/bin/env python3
"""Compares both sides of a large move, and prints time and memory of `verify`.

Usage: moves.py HULLMARK FOLDER [OBJECTS] [ALIKE]

Writes two archives into FOLDER. The second has the same objects in another order, with new UUIDs and rounded numbers.
One object of a hundred is lost. ALIKE objects look alike. The comparison reads ledgers, which are made first.
"""

import io
import pathlib
import random
import shutil
import subprocess
import sys
import tarfile
import uuid

from measured import run

OWNER = "0a0a0a0a-0000-4000-8000-000000000001"
CONTROL = """<?xml version="1.0" encoding="utf-16"?>
<archive major_version="1" minor_version="0"><creation_info><datetime>1700000000</datetime>
<id>4e4e4e4e-0000-4000-8000-000000000001</id></creation_info>
<region_info><is_megaregion>False</is_megaregion><size_in_meters>1024,1024</size_in_meters></region_info></archive>"""


def vector(tag, values, digits):
    fields = "".join(f"<{axis}>{value:.{digits}g}</{axis}>" for axis, value in zip("XYZW", values))
    return f"<{tag}>{fields}</{tag}>"


def part(number, is_root, thing, ids, digits):
    offset = (0, 0, 0) if is_root else thing["offset"]
    return (
        f"<SceneObjectPart><CreatorID><UUID>{OWNER}</UUID></CreatorID>"
        f"<UUID><UUID>{uuid.UUID(int=ids.getrandbits(128))}</UUID></UUID><Name>{thing['name']}</Name>"
        + vector("GroupPosition", thing["place"], digits)
        + vector("OffsetPosition", offset, digits)
        + vector("RotationOffset", (0, 0, 0, 1), digits)
        + f"<LinkNum>{number}</LinkNum><Shape><ProfileCurve>1</ProfileCurve><PathCurve>16</PathCurve>"
        + f"<ProfileHollow>{thing['hollow']}</ProfileHollow><PCode>9</PCode></Shape>"
        + vector("Scale", thing["size"], digits)
        + f"<OwnerID><UUID>{OWNER}</UUID></OwnerID></SceneObjectPart>"
    )


def document(thing, ids, digits):
    root, child = part(1, True, thing, ids, digits), part(2, False, thing, ids, digits)
    return f"<SceneObjectGroup>{root}<OtherParts>{child}</OtherParts></SceneObjectGroup>"


def archive(path, things, seed, digits):
    ids = random.Random(seed)
    with tarfile.open(path, "w:gz", compresslevel=1) as tar:
        members = [("archive.xml", CONTROL)]
        members += [(f"objects/{number}.xml", document(thing, ids, digits)) for number, thing in enumerate(things)]
        for name, text in members:
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))


def main(hullmark, folder, objects=100_000, alike=3_000):
    chance, objects, alike = random.Random(7), int(objects), int(alike)
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)

    def thing(number):
        place = [chance.uniform(1, 1023), chance.uniform(1, 1023), chance.uniform(20, 200)]
        if number < alike:
            return {"name": "Lamp", "place": place, "offset": (0, 0, 1), "hollow": 0, "size": (0.5, 0.5, 2)}
        size = [round(chance.uniform(0.1, 10), chance.choice([1, 2, 5])) for _ in range(3)]
        offset = [chance.uniform(-2, 2) for _ in range(3)]
        name = chance.choice(["Primitive", "Object", "Wall", f"Thing {number}"])
        return {"name": name, "place": place, "offset": offset, "hollow": chance.choice([0, 5000]), "size": size}

    things = [thing(number) for number in range(objects)]
    archive(folder / "before.oar", things, 1, 9)
    moved = [thing for number, thing in enumerate(things) if number % 100]
    chance.shuffle(moved)
    archive(folder / "after.oar", moved, 2, 6)
    for side in ["before", "after"]:
        subprocess.run([hullmark, "scan", folder / f"{side}.oar", "--ledgers", folder / side, "-q"], check=True)
    took = run([hullmark, "verify", folder / "before", folder / "after", "--fail-on", "none", "-q"])
    print("| objects | alike | s | processor, s | peak, MB |\n|---|---|---|---|---|")
    print(f"| {objects:,} | {alike:,} | {took.seconds:.1f} | {took.cpu:.1f} | {took.peak / 1e6:.0f} |")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
