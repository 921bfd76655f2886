#!/usr/bin/env python3
"""Makes a region archive with its textures from a real one that lacks them.

Usage: textured.py DATA TO.oar [--assets-first] [--changed] [--textures N]

DATA has franzinha-no-textures.oar, faraway.oar and clothing-library.iar. The first gives objects and meshes. The others
give pictures, which are encoded again as JPEG 2000 in many sizes. The result has the numbers of a real archive of 400 MB:
5,143 textures (--textures), of which 1,989 are sculpt maps, 1,782 of them different. 1,954 maps are used only by
objects in inventories. Half of the maps have an alpha channel.

Objects come first and assets last, as OpenSim writes them. --assets-first reverses that. --changed renames one object,
as for the night after. The archive has the same bytes whenever it is made with the same encoder.

Needs pillow (with OpenJPEG) and numpy.
"""

import argparse
import gzip
import io
import pathlib
import random
import re
import struct
import tarfile
import uuid

import numpy
from PIL import Image

TEXTURES, REZZED, NESTED, DIFFERENT_MAPS = 5143, 35, 1954, 1782
# Textures that are encoded. The others repeat them, with a comment that makes their bytes differ.
ENCODED = 240
# Sides and shares of maps: most are small, as the uploaders of viewers advise. With these shares JPEG 2000 takes about
# the part of an audit that it took on the real archive.
MAP_SIDES = [((64, 64), 660), ((32, 128), 150), ((128, 128), 120), ((32, 32), 53), ((256, 256), 15), ((512, 512), 2)]
TEXTURE_SIDES = [((256, 256), 20), ((512, 512), 55), ((1024, 512), 10), ((1024, 1024), 15)]
SHAPE = re.compile(rb"<Shape>.*?</Shape>", re.S)
SCULPT = re.compile(rb"<SculptTexture>\s*<(?:UUID|Guid)>([0-9a-f-]{36})")
TYPE = re.compile(rb"<SculptType>(\d+)")
MESH_TYPE = 5


def members_of(archive):
    with tarfile.open(archive) as tar:
        return [(member.name, tar.extractfile(member).read()) for member in tar if member.isfile()]


def maps_of(text):
    """The sculpt maps that a document names, in order."""
    for shape in SHAPE.findall(text):
        map, kind = SCULPT.search(shape), TYPE.search(shape)
        if b"<SculptEntry>true" in shape and map and kind and int(kind[1]) & 7 != MESH_TYPE:
            yield map[1].decode()


def pictures(data):
    """The real sculpt maps and the other real textures."""
    maps, others = [], []
    for name in ("faraway.oar", "clothing-library.iar"):
        members = members_of(data / name)
        wanted = {map for name, text in members if name.endswith(".xml") for map in maps_of(text)}
        for name, content in members:
            if not name.endswith("_texture.jp2") or len(content) < 400:
                continue
            try:
                picture = Image.open(io.BytesIO(content)).convert("RGB")
            except OSError:
                # Real exports have damaged textures.
                continue
            (maps if name[7:43] in wanted else others).append(picture)
    return maps, others


def encoded(picture, ratio):
    """A picture as JPEG 2000: with a ratio of 1 without loss, else with wavelets that lose digits."""
    out = io.BytesIO()
    lossy = ratio > 1
    options = {"quality_mode": "rates", "quality_layers": [ratio]} if lossy else {}
    picture.save(out, "JPEG2000", irreversible=lossy, no_jp2=True, **options)
    return out.getvalue()


def sides(shares, chance):
    return chance.choices([side for side, _ in shares], [share for _, share in shares])[0]


def map_number(number, maps):
    """A sculpt map: a real one turned, mirrored, with other axes and another size."""
    chance = random.Random(number)
    side = sides(MAP_SIDES, chance)
    pixels = numpy.asarray(maps[number % len(maps)].resize(side, Image.BICUBIC))
    pixels = pixels[:, :, chance.sample(range(3), 3)].astype(int)
    pixels = numpy.roll(pixels, chance.randrange(side[0]), axis=1)[:: chance.choice((1, -1))]
    # Resizing smooths; a real map has the steps of the mesh that it was baked from.
    steps = numpy.random.default_rng(number).integers(-3, 4, pixels.shape)
    pixels = numpy.clip(pixels + steps, 0, 255).astype("uint8")
    if number % 2:
        alpha = numpy.full(pixels.shape[:2], 255, "uint8")
        alpha[: side[1] // 4] = numpy.arange(side[0], dtype="uint8")
        pixels = numpy.dstack([pixels, alpha])
    area = side[0] * side[1]
    return encoded(Image.fromarray(pixels), 1 if area <= 64 * 64 else 6 * area // (64 * 64))


def texture(number, others):
    """A texture of a real one in another size, with noise so that a megapixel has the bytes of a photograph."""
    chance = random.Random(number)
    side = sides(TEXTURE_SIDES, chance)
    pixels = numpy.asarray(others[number % len(others)].resize(side, Image.BICUBIC)).astype(float)
    noise = numpy.random.default_rng(number).normal(0, 6, pixels.shape)
    return encoded(Image.fromarray(numpy.clip(pixels + noise, 0, 255).astype("uint8")), 10)


def marked(codestream, number):
    """A codestream with a comment behind its SIZ marker."""
    end = 4 + struct.unpack(">H", codestream[4:6])[0]
    return codestream[:end] + b"\xff\x64" + struct.pack(">HHI", 8, 0, number) + codestream[end:]


def textures(members, maps, others, count):
    """The textures of the archive: name and content."""
    named = lambda folder, ending: dict.fromkeys(
        map for name, text in members if name.startswith(folder) and name.endswith(ending) for map in maps_of(text)
    )
    rezzed, nested = named("objects/", ".xml"), named("assets/", "_object.xml")
    used = [*list(rezzed)[:REZZED], *[map for map in nested if map not in rezzed][:NESTED]]
    contents = [map_number(number, maps) for number in range(DIFFERENT_MAPS)]
    for number, name in enumerate(used):
        yield f"assets/{name}_texture.jp2", contents[number % len(contents)]
    contents = [texture(number, others) for number in range(ENCODED)]
    for number in range(count - len(used)):
        yield f"assets/{uuid.UUID(int=(7 << 120) + number)}_texture.jp2", marked(contents[number % ENCODED], number)


def renamed(members):
    """The members with another name for the last object of the region."""
    last = max(number for number, (name, _) in enumerate(members) if name.startswith("objects/"))
    name, text = members[last]
    members[last] = name, re.sub(rb"<Name>[^<]+</Name>", b"<Name>Renamed</Name>", text, count=1)


def write(target, members):
    with gzip.GzipFile(target, "wb", compresslevel=6, mtime=0) as out, tarfile.open(fileobj=out, mode="w|") as archive:
        for name, content in members:
            header = tarfile.TarInfo(name)
            header.size = len(content)
            archive.addfile(header, io.BytesIO(content))


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    arguments.add_argument("data", type=pathlib.Path)
    arguments.add_argument("target", type=pathlib.Path)
    arguments.add_argument("--assets-first", action="store_true")
    arguments.add_argument("--changed", action="store_true")
    arguments.add_argument("--textures", type=int, default=TEXTURES)
    given = arguments.parse_args()
    members = members_of(given.data / "franzinha-no-textures.oar")
    if given.changed:
        renamed(members)
    assets = [member for member in members if member[0].startswith("assets/")]
    region = [member for member in members if not member[0].startswith("assets/")]
    assets += textures(members, *pictures(given.data), given.textures)
    # Objects that are assets keep their place among the others by chance, as the requests of OpenSim return.
    random.Random(7).shuffle(assets)
    write(given.target, [*assets, *region] if given.assets_first else [*region, *assets])


if __name__ == "__main__":
    main()
