"""Writes the manifests of package managers, and the installers, from templates and the files of a release.

A template has names between @ signs: @VERSION@, @REPOSITORY@, and @FILE:TARGET@ and @SHA:TARGET@ for the archive of a
target and its checksum.
"""

import hashlib
import json
import os
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import urlparse

from common import DIST, MAINTAINER, PACKAGE, ROOT, VERSION, archive_name, done, repository

TEMPLATES = Path(__file__).parent / "templates"
INSTALLERS = ("install.sh", "install.ps1")
NAME = re.compile(r"@([A-Z]+)(?::([^@\s]+))?@")


def values() -> dict[str, str]:
    """Returns what templates may name."""
    address = repository()
    owner = urlparse(address).path.split("/")[1]
    return {
        "VERSION": VERSION,
        "REPOSITORY": address,
        "DOWNLOAD": f"{address}/releases/download/v{VERSION}",
        "OWNER": owner,
        "DESCRIPTION": PACKAGE["description"],
        "MAINTAINER": MAINTAINER,
    }


def fill(template: str, known: dict[str, str]) -> str:
    """Returns a template with all names replaced. An unknown name, or a file that is absent, ends the release."""

    def value(found: re.Match) -> str:
        name, target = found.groups()
        if target:
            file = DIST / archive_name(target)
            if name == "FILE":
                return file.name
            if not file.is_file():
                sys.exit(f"There is no {file}, and its checksum is wanted: build {target} first.")
            return hashlib.sha256(file.read_bytes()).hexdigest()
        if name not in known:
            sys.exit(f"A template has an unknown name: @{name}@.")
        return known[name]

    return NAME.sub(value, template)


def image_by_digest(folder: Path, registry: str) -> None:
    """Writes the entries of Kubernetes and AWS Batch that name the image by its digest."""
    digest = (DIST / "image-digest.txt").read_text().strip()
    (folder / "kubernetes").mkdir()
    (folder / "kubernetes/image.yaml").write_text(
        "# Put this in the place of `images` in kustomization.yaml.\n"
        f"images:\n  - name: hullmark\n    newName: {registry}\n    digest: {digest}\n"
    )
    (folder / "aws-batch").mkdir()
    for file in (ROOT / "deploy/aws-batch").glob("*.json"):
        definition = json.loads(file.read_text(encoding="utf-8"))
        # The state machine and its schedule are in the same folder, and run no image.
        if "containerProperties" not in definition:
            continue
        definition["containerProperties"]["image"] = f"{registry}@{digest}"
        (folder / "aws-batch" / file.name).write_text(json.dumps(definition, indent=2) + "\n")


def write() -> None:
    """Writes all manifests of the files in the folder of the release."""
    known = values()
    folder = DIST / "manifests"
    shutil.rmtree(folder, ignore_errors=True)
    for template in sorted(path for path in TEMPLATES.rglob("*") if path.is_file()):
        file = folder / fill(str(template.relative_to(TEMPLATES)), known)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(fill(template.read_text(encoding="utf-8"), known), encoding="utf-8", newline="\n")
        done(file)
    for name in INSTALLERS:
        file = DIST / name
        file.write_text(fill((ROOT / "deploy" / name).read_text(encoding="utf-8"), known), encoding="utf-8", newline="\n")
        done(file)
    if (DIST / "image-digest.txt").is_file():
        place = urlparse(known["REPOSITORY"])
        default = f"ghcr.io{place.path}" if place.hostname == "github.com" else f"{place.hostname}{place.path}"
        image_by_digest(folder, os.environ.get("HULLMARK_IMAGE", default).lower())
