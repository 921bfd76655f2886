"""Checks files of a release that need no other program:

release.py image FOLDER         the layout of an image: digests, sizes, user, and files
release.py manifests FOLDER     the manifests of package managers, against the files of the release
release.py binstall FOLDER      where cargo binstall looks for the program, against the archives of the release
release.py workflow FILE        the workflow of releases: pinned actions and few permissions
"""

import gzip
import hashlib
import io
import json
import re
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 40_000_000


def blob(folder: Path, descriptor: dict) -> bytes:
    """Returns a blob, whose name and size must be those of its content."""
    data = (folder / "blobs" / descriptor["digest"].replace(":", "/")).read_bytes()
    assert len(data) == descriptor["size"], descriptor
    assert descriptor["digest"] == f"sha256:{hashlib.sha256(data).hexdigest()}", descriptor
    return data


def image(folder: Path) -> None:
    """Checks a layout with one image."""
    assert json.loads((folder / "oci-layout").read_text()) == {"imageLayoutVersion": "1.0.0"}
    (top,) = json.loads((folder / "index.json").read_text())["manifests"]
    manifest = json.loads(blob(folder, top))
    config = json.loads(blob(folder, manifest["config"]))
    (layer,) = manifest["layers"]
    plain = gzip.decompress(blob(folder, layer))
    assert config["rootfs"]["diff_ids"] == [f"sha256:{hashlib.sha256(plain).hexdigest()}"]
    assert config["config"]["User"] == "65532:65532" and config["config"]["Entrypoint"] == ["/usr/local/bin/hullmark"]
    assert config["config"]["Labels"]["org.opencontainers.image.licenses"] == "MIT OR Apache-2.0"

    files = {member.name: member for member in tarfile.open(fileobj=io.BytesIO(plain))}
    assert files["usr/local/bin/hullmark"].mode == 0o755 and files["tmp"].mode == 0o1777, files
    assert files["etc/ssl/certs/ca-certificates.crt"].size > 100_000
    assert all(member.uid == member.gid == 0 for member in files.values())
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert size < LIMIT, f"the image has {size} bytes"
    print(f"image: {size / 1e6:.1f} MB in its layout, {len(plain) / 1e6:.1f} MB unpacked:")
    for member in sorted(files.values(), key=lambda member: -member.size)[:4]:
        print(f"  {member.size / 1e6:8.2f} MB  {member.name}")


def manifests(folder: Path) -> None:
    """Checks the manifests: nothing is left of a template, and checksums are those of the files."""
    sums = dict(reversed(line.split()) for line in (folder / "SHA256SUMS").read_text().splitlines())
    files = [path for path in (folder / "manifests").rglob("*") if path.is_file()]
    files += [folder / "install.sh", folder / "install.ps1"]
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"@[A-Z]+[:@]", text), f"{file} has a name of its template"
        for address in re.findall(r"https://example\.org/owner/hullmark/releases/download/[\w./$-]+", text):
            # Scoop puts later versions in.
            if "$" in address:
                continue
            assert address.rsplit("/", 1)[1] in sums, f"{file}: {address} is no file of the release"
        for checksum in re.findall(r"(?<!sha256:)\b[0-9a-f]{64}\b", text):
            assert checksum in sums.values(), f"{file}: {checksum} is the checksum of no file"
        if file.suffix == ".json":
            json.loads(text)
        if file.suffix == ".yaml":
            assert yaml.safe_load(text)
    definitions = {"plan.json", "scan.json", "report.json", "lake.json"}
    assert {path.name for path in (folder / "manifests/aws-batch").iterdir()} == definitions
    names = {file.relative_to(folder).as_posix() for file in files}
    assert len(names) == 9 + len(definitions), names

    zipped = f"hullmark-{version(folder)}-x86_64-pc-windows-gnu.zip"
    scoop = json.loads((folder / "manifests/scoop.json").read_text())
    assert scoop["architecture"]["64bit"]["hash"] == sums[zipped]
    winget = yaml.safe_load((folder / "manifests/winget/owner.hullmark.installer.yaml").read_text())
    assert winget["Installers"][0]["InstallerSha256"] == sums[zipped] and str(winget["PackageVersion"]) in zipped
    digest = (folder / "image-digest.txt").read_text().strip()
    kubernetes = yaml.safe_load((folder / "manifests/kubernetes/image.yaml").read_text())
    assert kubernetes["images"][0]["digest"] == digest
    for name in definitions:
        batch = json.loads((folder / "manifests/aws-batch" / name).read_text())
        assert batch["containerProperties"]["image"] == f"example.org/owner/hullmark@{digest}"


def version(folder: Path) -> str:
    """Returns the version of a release."""
    return json.loads((folder / "manifests/scoop.json").read_text())["version"]


def binstall(folder: Path) -> None:
    """Checks that cargo binstall finds an archive for each system, with the program in it."""
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    found = manifest["package"]["metadata"]["binstall"]
    number = manifest["workspace"]["package"]["version"]
    systems = {archive.name.removeprefix(f"hullmark-{number}-").removesuffix(ending)
               for ending in [".tar.gz", ".zip"] for archive in folder.glob(f"hullmark-*-*-*{ending}")}
    systems.add("x86_64-pc-windows-msvc")
    assert len(systems) == 6 and set(found["overrides"]) == {name for name in systems if "windows" in name}, systems
    opened = 0
    for target in sorted(systems):
        keys = found | found["overrides"].get(target, {})
        values = {"repo": "https://example.org", "version": number, "target": target, "bin": "hullmark",
                  "binary-ext": ".exe" if "windows" in target else ""}
        address, program = (re.sub(r"\{ ([\w-]+) \}", lambda name: values[name[1]], keys[key])
                            for key in ["pkg-url", "bin-dir"])
        archive = folder / address.rsplit("/", 1)[1]
        assert f"/releases/download/v{number}/" in address and archive.is_file(), address
        # Archives of systems that cannot be built here are empty names.
        if archive.stat().st_size < 1000:
            continue
        names = zipfile.ZipFile(archive).namelist() if keys["pkg-fmt"] == "zip" else tarfile.open(archive).getnames()
        assert program in names, (archive, program)
        opened += 1
    assert opened == 3, opened
    print("binstall: it finds an archive for each system, with the program in it.")


def workflow(file: Path) -> None:
    """Checks that a workflow runs only actions of fixed commits, with permissions that are named for each job."""
    text = file.read_text(encoding="utf-8")
    found = yaml.safe_load(text)
    assert found["permissions"] == {}, "the workflow as a whole has permissions"
    for name, job in found["jobs"].items():
        assert "permissions" in job and job["permissions"] != "write-all", f"{name} has no permissions of its own"
        for step in job["steps"]:
            action = step.get("uses", "")
            assert not action or re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), f"{name}: {action} is not pinned"
            # What a person can choose must not become a part of a script.
            assert "${{" not in step.get("run", ""), f"{name}: an expression is in a script"
    print(f"workflow: {len(found['jobs'])} jobs, and each action has a fixed commit.")


if __name__ == "__main__":
    {"image": image, "manifests": manifests, "binstall": binstall, "workflow": workflow}[sys.argv[1]](Path(sys.argv[2]))
