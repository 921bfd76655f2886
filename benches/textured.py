#!/usr/bin/env python3
"""Makes a large region archive from a small one: textures that it lacks, and the scripts of another export.

Usage: textured.py FROM.oar SCRIPTS_FOLDER TO.oar [MEGABYTES]

The textures are JPEG 2000 made by an encoder from noise over gradients, under the UUIDs that the objects name first
and under made ones behind, until there are so many megabytes (400). Each of the first 400 has bytes of its own.
Scripts and what else lies in SCRIPTS_FOLDER/assets and SCRIPTS_FOLDER/objects are added as they are. The archive is
compressed with gzip at level 6, as OpenSim does, and is the same bytes whenever it is made with the same encoder.

Needs pillow (with OpenJPEG) and numpy.
"""

import base64
import gzip
import io
import pathlib
import re
import sys
import tarfile
import uuid

import numpy
from PIL import Image

DIFFERENT = 400


def texture(number):
    """A picture of 512 × 512: a gradient, and noise of a strength of its own."""
    random = numpy.random.default_rng(number)
    down, across = numpy.mgrid[0:512, 0:512] / 512
    tilt = random.uniform(-1, 1, (3, 2))
    plane = numpy.stack([128 + 100 * (a * across + b * down) for a, b in tilt], axis=-1)
    noise = random.normal(0, random.uniform(4, 24), plane.shape)
    picture = Image.fromarray(numpy.clip(plane + noise, 0, 255).astype("uint8"))
    out = io.BytesIO()
    picture.save(out, "JPEG2000", quality_mode="rates", quality_layers=[4])
    return out.getvalue()


def named(objects):
    """The textures that objects name, each once, in order: those of `<UUID>` and those packed into TextureEntry."""
    seen = {}
    for text in objects:
        for packed in re.findall(rb"<TextureEntry>([^<]+)</TextureEntry>", text):
            first = base64.b64decode(packed)[:16]
            if len(first) == 16:
                seen.setdefault(uuid.UUID(bytes=first))
    return list(seen)


def main(source, scripts, target, megabytes=400):
    with tarfile.open(source) as archive:
        members = [(m.name, archive.extractfile(m).read()) for m in archive if m.isfile()]
    scripts = pathlib.Path(scripts)
    members += [
        (f"{folder}/{path.name}", path.read_bytes())
        for folder in ("assets", "objects")
        for path in sorted((scripts / folder).iterdir())
    ]
    wanted = named(text for name, text in members if name.startswith("objects/"))
    pictures, number, left = [], 0, int(megabytes) * 1_000_000
    while left > 0:
        if len(pictures) < DIFFERENT:
            pictures.append(texture(number))
        picture = pictures[number % len(pictures)]
        name = wanted[number] if number < len(wanted) else uuid.UUID(int=(7 << 120) + number)
        members.append((f"assets/{name}_texture.jp2", picture))
        number, left = number + 1, left - len(picture)
    with gzip.GzipFile(target, "wb", compresslevel=6, mtime=0) as out, tarfile.open(fileobj=out, mode="w|") as archive:
        for name, content in members:
            header = tarfile.TarInfo(name)
            header.size = len(content)
            archive.addfile(header, io.BytesIO(content))


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
