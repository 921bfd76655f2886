"""Validates what `inspect --glb` and `audit --scene` write with the validator of Khronos: no error and no warning.

    python3 tests/scripts/gltf.py target/release/hullmark [FOLDER WITH REAL ARCHIVES]

The meshes are those of the samples, and those in the archives of the folder. Scenes are of the same archives. npm installs the validator, in the version
that is named here.
"""

import argparse
import json
import pathlib
import subprocess
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = HERE.parent.parent / "target/tools/gltf"
SAMPLES = HERE.parent.parent / "sample_data"
VALIDATOR = "gltf-validator@2.0.0-dev.3.10"

# The meshes that are taken of each archive, spread over all of them.
MOST = 150

# The largest file of a scene.
MOST_BYTES = 20_000_000

# Prints a line for each file: the report of the validator.
VALIDATE = """
const fs = require("fs"), validator = require("gltf-validator");
// Texture coordinates without a texture are meant, and of triangles without area an asset may have thousands. Rigged
// levels lie below the root, whose scale and rotation reach them through their joints.
const IGNORED = ["UNUSED_OBJECT", "ACCESSOR_INDEX_TRIANGLE_DEGENERATE", "NODE_SKINNED_MESH_NON_ROOT"];
const OPTIONS = { maxIssues: 0, ignoredIssues: IGNORED };
(async () => {
  for (const name of fs.readdirSync(".").filter(name => name.endsWith(".glb")).sort()) {
    const { issues, info } = await validator.validateBytes(new Uint8Array(fs.readFileSync(name)), OPTIONS);
    console.log(JSON.stringify({ name, issues, triangles: info.totalTriangleCount }));
  }
})();
"""

def archived(path, folder):
    """Unpacks meshes of an archive into a folder, and returns their paths."""
    with tarfile.open(path) as archive:
        members = [member for member in archive if member.name.endswith("_mesh.llmesh")]
        for number, member in enumerate(members[::max(1, len(members) // MOST)]):
            target = folder / f"{path.stem}-{number}.llmesh"
            target.write_bytes(archive.extractfile(member).read())
            yield target


def meshes_of(program, path):
    """Returns the names of the meshes of a file."""
    done = subprocess.run([program, "inspect", "--json", path], capture_output=True, text=True)
    assert done.returncode in (0, 1, 3), (path, done.stderr)
    return [mesh["name"] for mesh in json.loads(done.stdout)["meshes"]]


def write(program, path, name, to):
    """Writes a mesh as glTF."""
    command = [program, "inspect", path, "--object", name, "--glb", to, "--scale", "2,1,0.5"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in (0, 1, 3), (path, done.stderr)


def write_scenes(program, archives, folder):
    """Writes each archive as a scene in each kind of colours, and an object. Returns the number of files."""
    written = 0
    for path in archives:
        for by in ["faces", "land-impact", "physics-cost", "findings"]:
            to = folder / f"{path.name}-{by}.glb"
            command = [program, "audit", path, "--scene", to, "--color-by", by]
            done = subprocess.run(command, capture_output=True, text=True)
            # An archive without objects and ground has nothing to draw.
            assert to.exists() or "no object has a place" in done.stderr, (path, done.stderr)
            written += to.exists()
            assert not to.exists() or to.stat().st_size < MOST_BYTES, (path, to.stat().st_size)
    to = folder / "object.glb"
    command = [program, "inspect", SAMPLES / "first-region.oar", "--object", "Lighthouse", "--glb", to]
    subprocess.run(command, capture_output=True, check=True)
    return written + 1


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("real", type=pathlib.Path, nargs="?")
    given = arguments.parse_args()
    program = given.program.resolve()
    TOOLS.mkdir(parents=True, exist_ok=True)
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", TOOLS, VALIDATOR], check=True)
    with tempfile.TemporaryDirectory(prefix="hullmark-gltf-") as folder:
        folder = pathlib.Path(folder)
        paths = sorted(path for path in (SAMPLES / "meshes").iterdir())
        if given.real and given.real.exists():
            paths += sorted(given.real.glob("*.slm"))
            for archive in sorted(path for path in given.real.iterdir() if path.suffix in {".oar", ".iar"} and path.is_file()):
                paths += archived(archive, folder)
        written = 0
        for path in paths:
            for number, name in enumerate(meshes_of(program, path)):
                write(program, path, name, folder / f"{path.name}-{number}.glb")
                written += 1
        archives = [SAMPLES / "first-region.oar", *sorted((SAMPLES / "regions").glob("*.oar"))]
        if given.real and given.real.exists():
            archives += sorted(path for path in given.real.glob("*.oar"))
        written += write_scenes(program, archives, folder)
        environment = {"NODE_PATH": str(TOOLS / "node_modules"), "PATH": "/usr/local/bin:/usr/bin:/bin"}
        told = subprocess.run(["node", "-e", VALIDATE], cwd=folder, env=environment, capture_output=True, text=True)
        assert told.returncode == 0, told.stderr
        reports = [json.loads(line) for line in told.stdout.splitlines()]
        assert len(reports) == written, (len(reports), written)
        wrong = [report for report in reports if report["issues"]["numErrors"] or report["issues"]["numWarnings"]]
        assert not wrong, json.dumps(wrong[:3], indent=1)
        triangles = sum(report["triangles"] for report in reports)
        print(f"{written} files of glTF are valid, without a warning: {triangles:,} triangles.")


main()
