"""Slow models: n nodes, instances, triangles around one point, pieces, elements."""

import json
import struct


def gltf(nodes, positions, triangles, **more):
    """Returns a binary glTF with one mesh."""
    points = struct.pack(f"<{3 * len(positions)}f", *[part for point in positions for part in point])
    corners = struct.pack(f"<{3 * len(triangles)}I", *[corner for triangle in triangles for corner in triangle])
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(range(len(nodes)))}], "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(positions), "type": "VEC3"},
            {"bufferView": 1, "componentType": 5125, "count": 3 * len(triangles), "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": len(points)},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(corners)},
        ],
        "buffers": [{"byteLength": len(points) + len(corners)}], **more,
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(points) + len(corners), b"BIN\0") + points + corners
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def fan(count):
    """Returns triangles around one point."""
    points = [(0, 0, 0)] + [(n % 1000, n // 1000, 1) for n in range(count + 1)]
    return points, [(0, n + 1, n + 2) for n in range(count)]


def ground(count):
    """Returns rough ground of this many triangles."""
    side = max(1, int((count / 2) ** 0.5))
    points = [(x, y, (x * 7 + y * 13) % 5) for y in range(side + 1) for x in range(side + 1)]
    cells = [y * (side + 1) + x for y in range(side) for x in range(side)]
    return points, [t for a in cells for t in ((a, a + 1, a + side + 2), (a, a + side + 2, a + side + 1))]


def tetrahedra(count):
    """Returns pieces that do not touch."""
    points, triangles = [], []
    for n in range(count):
        x, first = 3 * n, len(points)
        points += [(x, 0, 0), (x + 1, 0, 0), (x, 1, 0), (x, 0, 1)]
        triangles += [tuple(first + at for at in side) for side in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))]
    return points, triangles


def model(make, name="a.glb"):
    def write(folder, count):
        (folder / name).write_bytes(make(count))
        return [folder]
    return write


def collada(geometry="", nodes=""):
    return (f"""<COLLADA version="1.4.1"><library_geometries><geometry id="g" name="g"><mesh>
<source id="s"><float_array id="a" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="1" material="m"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 {geometry}</p></triangles>
</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="w">{nodes or INSTANCE}</visual_scene>
</library_visual_scenes></COLLADA>""").encode()


INSTANCE = '<node name="n"><instance_geometry url="#g"/></node>'
ONE = ([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
SEAT = {"name": "seat", "mesh": 0}

# Smallest n, and what writes the files of n things and returns the arguments of the audit.
MODELS = {
    "model: n nodes": (1_000, model(lambda n: gltf([SEAT] * n, *ONE))),
    "model: n empty nodes": (10_000, model(lambda n: gltf([SEAT] + [{}] * n, *ONE))),
    "model: n nodes below each other": (5_000, model(lambda n: gltf(
        [{"mesh": 0, "children": [m + 1]} for m in range(n)] + [SEAT], *ONE, scenes=[{"nodes": [0]}]))),
    "model: n triangles around a point": (5_000, model(lambda n: gltf([SEAT], *fan(n)))),
    "model: rough ground of n triangles": (5_000, model(lambda n: gltf([SEAT], *ground(n)))),
    "model: n pieces of physics": (1_000, model(lambda n: gltf([SEAT, {"name": "seat_PHYS", "mesh": 0}], *tetrahedra(n)))),
    "model: n levels without a part": (1_000, model(lambda n: gltf(
        [SEAT] + [{"name": f"b{m}_LOD1", "mesh": 0} for m in range(n)], *ONE))),
    "model: COLLADA with n nodes": (1_000, model(lambda n: collada(nodes=INSTANCE * n), "a.dae")),
    "model: COLLADA with n empty nodes": (10_000, model(lambda n: collada(nodes=INSTANCE + "<node/>" * n), "a.dae")),
    "model: COLLADA with n indices": (30_000, model(lambda n: collada("0 1 3 " * n), "a.dae")),
}
