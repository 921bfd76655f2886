"""Lays out an image for containers as files, without a network and without another program.

The image has nothing but the static program, certificates, an empty /tmp and the names of its user. Its layout is that
of the Open Container Initiative, version 1.1. `skopeo copy --all --preserve-digests` takes it to a registry.
"""

import hashlib
import json
import os
import shutil
import sys
import time
from pathlib import Path

from archive import tar
from common import ARCHITECTURES, DIST, LICENCES, PACKAGE, VERSION, WORK, compressed, done, epoch

USER = 65532
CERTIFICATES = Path(os.environ.get("SSL_CERT_FILE", "/etc/ssl/certs/ca-certificates.crt"))
KINDS = "application/vnd.oci.image"


def static(program: Path) -> bool:
    """Tells whether a program of Linux needs no loader: its ELF has no segment that names one."""
    data = program.read_bytes()
    table, size, count = (
        int.from_bytes(data[32:40], "little"), int.from_bytes(data[54:56], "little"), int.from_bytes(data[56:58], "little")
    )
    kinds = [int.from_bytes(data[at : at + 4], "little") for at in range(table, table + size * count, size)]
    return data[:4] == b"\x7fELF" and 3 not in kinds


def root(target: str, staged: Path) -> Path:
    """Lays out the files of the image from the folder of an archive."""
    folder = WORK / f"image-{target}"
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("etc/ssl/certs", "tmp", "usr/local/bin", "usr/share/doc/hullmark", "work"):
        (folder / name).mkdir(parents=True)
    (folder / "tmp").chmod(0o1777)
    shutil.copy(staged / "hullmark", folder / "usr/local/bin/hullmark")
    (folder / "usr/local/bin/hullmark").chmod(0o755)
    if not CERTIFICATES.is_file():
        sys.exit(f"There is no {CERTIFICATES}: install ca-certificates, or set SSL_CERT_FILE.")
    shutil.copyfile(CERTIFICATES, folder / "etc/ssl/certs/ca-certificates.crt")
    (folder / "etc/passwd").write_text(f"hullmark:x:{USER}:{USER}::/work:/sbin/nologin\n")
    (folder / "etc/group").write_text(f"hullmark:x:{USER}:\n")
    for name in (*LICENCES, "THIRD-PARTY.txt"):
        shutil.copy(staged / name, folder / "usr/share/doc/hullmark")
    return folder


class Layout:
    """A folder of blobs, each named by its digest."""

    def __init__(self, folder: Path):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "blobs/sha256").mkdir(parents=True)
        (folder / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}')

    def add(self, kind: str, content: bytes | dict) -> dict:
        """Writes a blob, and returns its descriptor."""
        if isinstance(content, dict):
            content = json.dumps(content, separators=(",", ":")).encode()
        digest = hashlib.sha256(content).hexdigest()
        (self.folder / "blobs/sha256" / digest).write_bytes(content)
        return {"mediaType": f"{KINDS}.{kind}", "digest": f"sha256:{digest}", "size": len(content)}


def labels() -> dict:
    """Returns the annotations of the image. Its source is there if its address is known."""
    name = "org.opencontainers.image"
    all_labels = {
        f"{name}.title": "hullmark",
        f"{name}.description": PACKAGE["description"],
        f"{name}.licenses": PACKAGE["license"],
        f"{name}.version": VERSION,
        f"{name}.created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch())),
    }
    if "HULLMARK_REPOSITORY" in os.environ:
        all_labels[f"{name}.source"] = os.environ["HULLMARK_REPOSITORY"]
    return all_labels


def image(layout: Layout, target: str, staged: Path) -> dict:
    """Adds the image of a target, and returns its descriptor."""
    if not static(staged / "hullmark"):
        sys.exit(f"{staged / 'hullmark'} is not static, and an image without a C library cannot run it. Build for …-linux-musl.")
    plain = tar(root(target, staged), "")
    layer = layout.add("layer.v1.tar+gzip", compressed(plain))
    created = labels()["org.opencontainers.image.created"]
    config = layout.add(
        "config.v1+json",
        {
            "created": created,
            "architecture": ARCHITECTURES[target],
            "os": "linux",
            "config": {
                "User": f"{USER}:{USER}",
                "Env": ["PATH=/usr/local/bin", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"],
                "Entrypoint": ["/usr/local/bin/hullmark"],
                "Cmd": ["--help"],
                "WorkingDir": "/work",
                "Labels": labels(),
            },
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(plain).hexdigest()}"]},
            "history": [{"created": created, "created_by": "deploy/release/image.py"}],
        },
    )
    manifest = {
        "schemaVersion": 2,
        "mediaType": f"{KINDS}.manifest.v1+json",
        "config": config,
        "layers": [layer],
        "annotations": labels(),
    }
    platform = {"architecture": ARCHITECTURES[target], "os": "linux"}
    return layout.add("manifest.v1+json", manifest) | {"platform": platform}


def lay_out(targets: dict[str, Path]) -> Path:
    """Writes the layout with an image for each target and its folder, packs it, and returns its folder."""
    layout = Layout(DIST / "work/image")
    entries = [image(layout, target, staged) for target, staged in sorted(targets.items())]
    top = entries[0]
    if len(entries) > 1:
        kind = "index.v1+json"
        index = {"schemaVersion": 2, "mediaType": f"{KINDS}.{kind}", "manifests": entries, "annotations": labels()}
        top = layout.add(kind, index)
    tagged = top | {"annotations": {"org.opencontainers.image.ref.name": VERSION}}
    index = {"schemaVersion": 2, "mediaType": f"{KINDS}.index.v1+json", "manifests": [tagged]}
    (layout.folder / "index.json").write_text(json.dumps(index))
    (DIST / "image-digest.txt").write_text(top["digest"] + "\n")
    packed = DIST / f"hullmark-{VERSION}-image.tar"
    packed.write_bytes(tar(layout.folder, ""))
    done(packed)
    print(f"The digest of the image is {top['digest']}.", file=sys.stderr)
    return layout.folder
