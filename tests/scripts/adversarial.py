#!/usr/bin/env python3
"""Audits slow inputs, each with n, 2n, 4n and 8n things, and prints processor times and their growth.

Usage: adversarial.py HULLMARK [WORDS]    (only cases whose names contain WORDS)
       adversarial.py --write FOLDER      (writes an archive of n things for each case of archives, without an audit)

n is doubled until 8n things take more than a second, or until a limit ends the growth. The last column is the exponent
of growth from 4n to 8n, by the median of three runs: 1 is linear, 2 is quadratic. Fails if it is above 1.2.
adversarial_places.py and adversarial_models.py make what is no archive. adversarial_copies.py has what `repair` and `extract` copy.
"""

import base64
import math
import pathlib
import random
import shutil
import statistics
import struct
import sys
import tempfile
import time

from adversarial_copies import COPIES
from adversarial_models import MODELS
from adversarial_places import PLACES
from bombs import apart, archive, audit, binary, llsd, member, mesh

# The greatest growth from 4n to 8n, of cases that take this many seconds of processor time.
GROWTH = 1.2
SECONDS = 1.0
# How often n may be doubled until a case takes that long, and the seconds after which it is doubled no more: it may take
# long to make things that an audit leaves out at once.
DOUBLINGS = 5
PATIENCE = 20

UUID = "%08x-0000-4000-8000-%012x"
UUID_BYTES = lambda n: bytes.fromhex((UUID % (0x4A4A4A4A, n)).replace("-", ""))


def triples(points):
    return binary(b"".join(struct.pack("<3H", *point) for point in points))


def on_sphere(count):
    """Returns different points of the grid next to a sphere, so that nearly all are extreme."""
    turn = math.pi * (3 - math.sqrt(5))
    points = set()
    for n in range(count):
        z = 1 - (2 * n + 1) / count
        r = math.sqrt(1 - z * z)
        unit = (r * math.cos(n * turn), r * math.sin(n * turn), z)
        points.add(tuple(round(32767.5 + 32767.5 * c) for c in unit))
    return sorted(points)


def lattice(count):
    side = max(2, math.ceil(count ** (1 / 3)))
    steps = [round(n * 65535 / (side - 1)) for n in range(side)]
    return [(x, y, z) for x in steps for y in steps for z in steps][:count]


def paraboloid(count):
    side = math.isqrt(count)
    place = lambda n: n * 255 // side
    return [(x, y, (x * x + y * y) // 2) for x in map(place, range(side)) for y in map(place, range(side))]


def cone(count):
    """Returns the first grid points on the rays of a cone, between its tip and a roof. The grid ends at 65,535."""
    far = min(count * 2 * math.pi / 8 * 1.02, 65535 // 2 - 3)
    sides = []
    for m in range(2, math.isqrt(int(far)) + 1):
        for n in range(1 + m % 2, m, 2):
            if math.gcd(m, n) == 1 and m * m + n * n <= far:
                a, b, z = m * m - n * n, 2 * m * n, m * m + n * n
                sides += [(x, y, z) for a, b in ((a, b), (b, a)) for x in (a, -a) for y in (b, -b)]
    far = int(far)
    sides += [(far, 0, far), (-far, 0, far), (0, far, far), (0, -far, far), (0, 0, 0), (0, 0, 2 * far + 5)]
    return [(x + far, y + far, z) for x, y, z in sides]


def faces(points):
    """Returns submeshes of at most 65,535 points, all of them used."""
    parts = [points[at : at + 65535] for at in range(0, len(points), 65535)]
    fan = lambda part: [(0, n, n + 1) for n in range(1, len(part) - 1, 2)]
    return llsd([{b"Position": triples(part), b"TriangleList": triples(fan(part))} for part in parts])


def convex(base, hulls=()):
    points = [point for hull in hulls for point in hull]
    block = {b"BoundingVerts": triples(base)}
    if hulls:
        block |= {b"HullList": binary(bytes(len(hull) % 256 for hull in hulls)), b"Positions": triples(points)}
    return llsd(block)


def asset(number, content):
    return member(f"assets/{UUID % (0x3E3E3E3E, number)}_mesh.llmesh".encode(), content)


def vector(name, values):
    return f"<{name}><X>{values[0]}</X><Y>{values[1]}</Y><Z>{values[2]}</Z></{name}>"


def part(number, place, offset=(0, 0, 0), shape="", scale=(1, 1, 1), more=""):
    uuid = UUID % (0x77777777, number)
    return (
        f"<SceneObjectPart><UUID><UUID>{uuid}</UUID></UUID><LocalId>{number}</LocalId><Name>a</Name>"
        + vector("GroupPosition", place) + vector("OffsetPosition", offset)
        + "<RotationOffset><X>0</X><Y>0</Y><Z>0</Z><W>1</W></RotationOffset>"
        + f"<Shape>{shape}</Shape>" + vector("Scale", scale) + more + "</SceneObjectPart>"
    )


def linkset(parts):
    return f"<SceneObjectGroup>{parts[0]}<OtherParts>{''.join(parts[1:])}</OtherParts></SceneObjectGroup>".encode()


def objects(groups):
    return b"".join(member(b"objects/%06d.xml" % n, linkset(parts)) for n, parts in enumerate(groups))


def mesh_shape(number):
    uuid = UUID % (0x3E3E3E3E, number)
    return f"<SculptEntry>true</SculptEntry><SculptTexture><UUID>{uuid}</UUID></SculptTexture><SculptType>5</SculptType>"


def linkset_on_sphere(count):
    points = [[(c - 32767.5) / 32767.5 * 20 for c in point] for point in on_sphere(count)]
    return objects([[part(n, (128, 128, 30), point) for n, point in enumerate(points)]])


def linkset_on_line(count):
    return objects([[part(n, (128, 128, 30), (n * 50 / count, 0, 0)) for n in range(count)]])


def linkset_in_circle(count):
    at = lambda n: 2 * math.pi * n / count
    return objects([[part(n, (128, 128, 30), (20 * math.cos(at(n)), 20 * math.sin(at(n)), 0)) for n in range(count)]])


def scattered(count):
    place = random.Random(7).uniform
    return objects([[part(n, (place(0, 256), place(0, 256), 30))] for n in range(count)])


def cube():
    corners = [(x, y, z) for x in (0, 65535) for y in (0, 65535) for z in (0, 65535)]
    return mesh(high_lod=faces(corners), physics_convex=convex(corners))


def many_hulls(count):
    hull = on_sphere(256)[:255]
    return asset(1, mesh(physics_convex=convex(hull, [hull] * count)))


def wrapped(count):
    """Each of `count` points is compared with a base hull of the largest number of sides."""
    inner = [tuple(c // 2 + 16384 for c in point) for point in on_sphere(count)]
    return asset(1, mesh(physics_convex=convex(on_sphere(4000)), high_lod=faces(inner)))


def circle(radius):
    """Returns points of a plane, all of them corners of their hull."""
    at = lambda n: 2 * math.pi * n / 255
    around = lambda c: round(32767.5 + radius * c)
    return [(around(math.cos(at(n))), around(math.sin(at(n))), 32767) for n in range(255)]


def decomposed(base, hull):
    """A mesh of n equal hulls that are compared with a base hull."""
    return lambda count: asset(1, mesh(physics_convex=convex(base, [hull] * count)))


def largest(count):
    """Meshes with as many hulls and points as grids allow, all outside the base hull. They compress to little."""
    points = on_sphere(256)
    small = sorted({tuple(c // 8 + 28000 for c in point) for point in points})
    whole = mesh(physics_convex=convex(small, [points] * 256))
    return b"".join(asset(n, whole) for n in range(count))


def widths(count, scale):
    """Parts with the same physics mesh, which has a hundred triangles for each part."""
    prim = "<PhysicsShapeType>0</PhysicsShapeType>"
    triangles = b"".join(struct.pack("<3H", n % 999, (n * 7 + 1) % 999, (n * 13 + 2) % 999) for n in range(100 * count))
    block = llsd([{b"Position": triples(on_sphere(999)), b"TriangleList": binary(triangles)}])
    parts = [part(n, (n % 200, n // 200 % 200, 30), shape=mesh_shape(1), scale=scale(n), more=prim) for n in range(count)]
    return objects([[part] for part in parts]) + asset(1, mesh(physics_mesh=block, high_lod=faces(on_sphere(9))))


def parcels(count):
    """Each parcel claims the whole region, and there are objects on its cells."""
    bitmap = base64.b64encode(b"\xff" * 512).decode()
    land = f"<LandData><Area>65536</Area><Bitmap>{bitmap}</Bitmap></LandData>".encode()
    claims = b"".join(member(f"landdata/{UUID % (0x9A9A9A9A, n)}.xml".encode(), land) for n in range(count))
    return claims + objects([[part(n, (n % 256, n // 256 % 256, 30))] for n in range(count)])


def regions(count):
    rows = "".join(f"<region><id>{UUID % (1, n)}</id><dir>r{n}</dir></region>" for n in range(count))
    control = f"<archive major_version=\"1\" minor_version=\"0\"><regions><row>{rows}</row></regions></archive>".encode()
    at = lambda n: member(f"regions/r{n}/objects/a.xml".encode(), linkset([part(n, (128, 128, 30))]))
    return member(b"archive.xml", control) + b"".join(at(n) for n in range(count))


def owned(count):
    """Objects of one owner that use one mesh, and meshes that all have its UUID."""
    owner = f"<OwnerID><UUID>{UUID % (0x0A0A0A0A, 1)}</UUID></OwnerID>"
    users = [[part(n, (n % 200, n // 200, 30), shape=mesh_shape(1), more=owner)] for n in range(count)]
    name = (UUID % (0x3E3E3E3E, 1)).encode()
    flat = lambda n: mesh(high_lod=faces([(0, 0, 0), (9, 0, 0), (0, 9, n)]), physics_convex=convex([(0, 0, n)]))
    return objects(users) + b"".join(member(b"assets/%d/%s_mesh.llmesh" % (n, name), flat(n)) for n in range(count))


def materials(count):
    """Faces with materials, and materials that the part itself describes."""
    # The texture and nine other properties that all faces share, then the materials.
    others = b"".join(bytes(size) + b"\0" for size in (16, 4, 4, 4, 2, 2, 2, 1, 1, 1))
    faces = b"".join(b"\x01" + UUID_BYTES(n) for n in range(count))
    entry = base64.b64encode(others + bytes(16) + faces + b"\0").decode()
    own = "<key>ID</key>" + "<uuid/>" * (3 * count)
    return objects([[part(1, (128, 128, 30), shape=f"<TextureEntry>{entry}</TextureEntry>", more=f"<DynAttrs>{own}</DynAttrs>")]])


def scattered_linksets(count):
    """Linksets that do not link: the audit searches for the smallest number that would."""
    place = random.Random(7).uniform
    some = lambda: tuple(place(-32, 32) for _ in range(3))
    return objects([[part(40 * n + m, (128, 128, 60), some() if m else (0, 0, 0)) for m in range(40)] for n in range(count)])


def rings(count):
    """Prims whose physics shape is a hull with the largest number of points, each with another form."""
    form = lambda n: (
        f"<ProfileCurve>0</ProfileCurve><PathCurve>32</PathCurve><PathRevolutions>200</PathRevolutions>"
        f"<ProfileHollow>{n}</ProfileHollow><PathTwist>100</PathTwist>"
    )
    convex = "<PhysicsShapeType>2</PhysicsShapeType>"
    return objects([[part(n, (n % 200, 128, 30), shape=form(n), scale=(60, 60, 60), more=convex)] for n in range(count)])


def appearance(count):
    """A notecard that saves an appearance of n attachments."""
    worn = lambda n: f"<map><key>item</key><uuid>{UUID % (1, n)}</uuid><key>asset</key><uuid>{UUID % (2, n)}</uuid></map>"
    saved = "".join(map(worn, range(count)))
    text = f"<llsd><map><key>wearables</key><array/><key>attachments</key><array>{saved}</array></map></llsd>"
    return member(b"assets/%s_notecard.txt" % (UUID % (3, 1)).encode(), text.encode())


def skinned(count):
    """A mesh of n vertices with weights."""
    weights = lambda part: binary(b"\0\xff\xff\xff" * len(part))
    points = lattice(count)
    parts = [points[at : at + 65535] for at in range(0, len(points), 65535)]
    triangle = triples([(0, 1, 2)])
    level = [{b"Position": triples(part), b"TriangleList": triangle, b"Weights": weights(part)} for part in parts]
    joints = [b"s" + struct.pack(">I", 7) + b"mPelvis"]
    return asset(1, mesh(skin=llsd({b"joint_names": joints}), high_lod=llsd(level)))


def long_name(count):
    return member(b"objects/a.xml", b"<SceneObjectGroup><SceneObjectPart><Name>" + b"a, " * count
                  + b"</Name></SceneObjectPart></SceneObjectGroup>")


def of_mesh(points):
    return lambda count: asset(1, mesh(physics_convex=convex(points(count)), high_lod=faces(points(count))))


def xml(pieces):
    return lambda count: member(b"objects/a.xml", pieces(count))


CASES = {
    "sphere: a linkset of n parts on a sphere": (1000, linkset_on_sphere),
    "sphere: n parts on a line": (1000, linkset_on_line),
    "sphere: n parts on a circle": (1000, linkset_in_circle),
    "hull: n points on a sphere": (8_000, of_mesh(on_sphere)),
    "hull: n points of a cubic lattice": (16_000, of_mesh(lattice)),
    "hull: n points of a paraboloid": (8_000, of_mesh(paraboloid)),
    "hull: n points of a cone and its tip": (2_000, of_mesh(cone)),
    "hulls: n hulls of 255 points": (256, many_hulls),
    "wrap: n points in a base hull of 4,000": (1_000, wrapped),
    "wrap: n hulls of 255 points on a flat base hull": (128, decomposed(circle(32767), circle(32767))),
    "wrap: n hulls of 255 points around a flat base hull": (128, decomposed(circle(8000), circle(32767))),
    "wrap: n hulls of 255 points around a solid base hull": (
        128, decomposed([tuple(c // 8 + 28000 for c in p) for p in on_sphere(255)], on_sphere(256)[:255])),
    "wrap: n meshes of 256 hulls of 256 points": (4, largest),
    "width: n parts of a mesh of 100 n triangles, at one scale": (500, lambda n: widths(n, lambda _: (1, 1, 1))),
    "width: the same, each at a scale of its own": (500, lambda n: widths(n, lambda m: (1 + m / n, 1, 1))),
    "land: n parcels that claim all, n objects": (1000, parcels),
    "land: n regions, n objects": (1000, regions),
    "materials: n in faces, n in the part": (5_000, materials),
    "split: n linksets of 40 parts that do not link": (20, scattered_linksets),
    "forms: n prims with a hull of their own": (50, rings),
    "names: one of 3 n bytes": (250_000, long_name),
    "appearance: n attachments": (20_000, appearance),
    "skin: n vertices": (250_000, skinned),
    "XML: n elements in a part": (250_000, xml(lambda n: b"<SceneObjectGroup><SceneObjectPart>" + b"<a></a>" * n)),
    "XML: n attributes": (100_000, xml(lambda n: b"<SceneObjectGroup " + b" ".join(b"a%d=''" % m for m in range(n)) + b"/>")),
    "XML: n comments in a text": (250_000, xml(lambda n: b"<SceneObjectGroup><SceneObjectPart><Name>" + b"a<!---->" * n)),
    "XML: n references in a text": (250_000, xml(lambda n: b"<SceneObjectGroup><SceneObjectPart><Name>" + b"&lt;" * n)),
    "XML: n ends that fit nothing": (250_000, xml(lambda n: b"<SceneObjectGroup>" + b"</a>" * n)),
    "XML: n beginnings of a comment": (250_000, xml(lambda n: b"<SceneObjectGroup>" + b"<!-" * n)),
    "XML: n beginnings of CDATA": (250_000, xml(lambda n: b"<SceneObjectGroup>" + b"<![CDATA[" * n)),
    "XML: n entities declared": (
        100_000, xml(lambda n: b"<!DOCTYPE a [" + b"<!ENTITY a 'b'>" * n + b"]><SceneObjectGroup>&a;</SceneObjectGroup>")),
    "matching: n parts, n meshes": (
        1000, lambda n: objects([[part(m, (m % 200, m // 200, 30), shape=mesh_shape(m))] for m in range(n)])
        + b"".join(asset(m, cube()) for m in range(n))),
    "matching: n parts of one mesh, which is there n times": (
        1000, lambda n: objects([[part(m, (m % 200, m // 200, 30), shape=mesh_shape(1))] for m in range(n)])
        + asset(1, cube()) * n),
    "matching: n parts, no mesh": (
        2000, lambda n: objects([[part(m, (m % 200, m // 200, 30), shape=mesh_shape(m))] for m in range(n)])),
    "letters: n objects of one owner, n meshes of one UUID": (1000, owned),
    "neighbours: n objects at one place": (2000, lambda n: objects([[part(m, (128, 128, 30))] for m in range(n)])),
    "neighbours: n objects all over": (2000, scattered),
    "names: n members of one name": (20_000, lambda n: member(b"assets/a_texture.jp2", b"a") * n),
    "LLSD: a map of n keys": (
        50_000, lambda n: asset(1, mesh(high_lod=llsd({b"%d" % m: 1 for m in range(n)})))),
    "LLSD: a header of n blocks": (
        20_000, lambda n: asset(1, llsd({b"%d" % m: {b"offset": m, b"size": 9} for m in range(n)}) + bytes(n))),
}


def archived(make):
    """Writes an archive of n things."""
    def write(folder, count):
        archive(folder / "a.oar", [make(count)], level=1)
        return [folder / "a.oar"]
    return write


def audited(hullmark, arguments, out):
    run = audit(hullmark, arguments, out, "--letters", out.with_name("letters"))
    shutil.rmtree(out, ignore_errors=True)
    assert run.code in (0, 3), (arguments, run)
    return run


def timed(hullmark, case, count, runs):
    """Returns processor time in seconds, the median of several runs, and peak memory in MB."""
    write, run = case
    with tempfile.TemporaryDirectory() as folder:
        inputs, out = pathlib.Path(folder) / "in", pathlib.Path(folder) / "report"
        inputs.mkdir()
        # What is written takes memory, which a child would inherit.
        apart(lambda: (inputs.with_name("arguments")).write_text("\0".join(map(str, write(inputs, count)))))
        arguments = inputs.with_name("arguments").read_text().split("\0")
        took = [run(hullmark, arguments, out) for _ in range(runs)]
        return statistics.median(run.cpu for run in took), max(run.peak for run in took)


def measured(hullmark, count, case):
    """Returns n, processor times of n, 2n, 4n and 8n things, and peak memory.

    Things that take much less than half of them exceed a limit: n stays below it.
    """
    begun = time.monotonic()
    most = timed(hullmark, case, 8 * count, 1)[0]
    for _ in range(DOUBLINGS):
        if most >= SECONDS or time.monotonic() - begun > PATIENCE:
            break
        more = timed(hullmark, case, 16 * count, 1)[0]
        if more < most / 2:
            break
        count, most = 2 * count, more
    took = [timed(hullmark, case, count * times, runs) for times, runs in ((1, 1), (2, 1), (4, 3), (8, 3))]
    return count, [cpu for cpu, _ in took], took[-1][1]


def main(hullmark, words=""):
    failures = 0
    print("| case | n | n, s | 2n, s | 4n, s | 8n, s | peak, MB | growth |\n|---|---|---|---|---|---|---|---|")
    cases = {name: (count, archived(make), audited) for name, (count, make) in CASES.items()}
    cases |= {name: (*case, audited) for name, case in (PLACES | MODELS).items()} | COPIES
    for name, (count, *case) in cases.items():
        if words not in name:
            continue
        count, seconds, peak = measured(hullmark, count, case)
        growth = math.log2(seconds[3] / max(seconds[2], 0.01))
        slow = growth > GROWTH and seconds[3] >= SECONDS
        failures += slow
        times = " | ".join(f"{cpu:.2f}" for cpu in seconds)
        mark = " **slow**" if slow else ""
        print(f"| {name}{mark} | {count:,} | {times} | {peak:.0f} | {growth:.1f} |", flush=True)
    sys.exit(f"{failures} grow too fast" if failures else 0)


def write(folder):
    """Writes an archive of the smallest size for each case, named by its number, and a list of the case names."""
    for number, (count, make) in enumerate(CASES.values()):
        archive(pathlib.Path(folder) / f"{number:03}.oar", make(count), level=9)
    (pathlib.Path(folder) / "cases").write_text("\n".join(CASES))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    if sys.argv[1] == "--write":
        write(sys.argv[2])
    else:
        main(*sys.argv[1:])
