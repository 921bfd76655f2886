#!/usr/bin/env python3
"""Makes the files of a release in target/dist (HULLMARK_DIST). docs/releasing.md has the order of the steps.

  build TARGET              build the program of a target with all features, and pack its archive
  pack TARGET PROGRAM       pack a program that was already built
  deb TARGET                package for Debian, from the files of `build` or `pack`
  msi TARGET                package for Windows, from the same
  image TARGET...           image for containers, with an architecture for each target
  sbom                      list of all dependencies, in the format of CycloneDX
  manifests                 winget, Scoop, Homebrew, AUR, and the installers; needs HULLMARK_REPOSITORY
  checksums                 SHA256SUMS of all files

HULLMARK_CARGO is the command of cargo that builds (`zigbuild`, `auditable build`). HULLMARK_RUNNABLE is the same
program for this machine, which writes manual pages and completions. It is needed if the built one cannot run here.
"""

import argparse
import hashlib
import os
import shutil
import sys
from pathlib import Path

import archive
import debian
import image
import manifests
import msi
from common import DIST, MANIFEST, ROOT, VERSION, WORK, archive_name, done, features, program_name, run


def built(target: str) -> Path:
    """Returns the path of the built program."""
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / target / "release" / program_name(target)


def staged(target: str) -> Path:
    """Returns the folder that was packed, from its archive if need be: another machine may have built it."""
    packed = DIST / archive_name(target)
    folder = WORK / archive_name(target).removesuffix(".zip").removesuffix(".tar.gz")
    if not packed.is_file():
        sys.exit(f"There is no {packed}: run build {target} first.")
    if not folder.is_dir():
        shutil.unpack_archive(packed, WORK)
    return folder


def build(target: str) -> None:
    """Builds the program of a target, and packs it."""
    command = os.environ.get("HULLMARK_CARGO", "build").split()
    default = MANIFEST["features"]["default"]
    wanted = ["--features", ",".join(features())] if features() else []
    if set(default) - set(features()):
        wanted.append("--no-default-features")
    # Names of functions are a tenth of the program, and only a debugger reads them.
    strip = ["--config", 'profile.release.strip="symbols"']
    run("cargo", *command, *strip, "--release", "--locked", "--target", target, *wanted)
    pack(target, built(target))


def pack(target: str, program: Path) -> None:
    """Packs a program."""
    archive.pack(target, program, Path(os.environ.get("HULLMARK_RUNNABLE", program)).resolve())


def sbom() -> None:
    """Writes the list of dependencies of the program."""
    run(
        "cargo", "cyclonedx", "--format", "json", "--target", "all", "--spec-version", "1.5",
        "--no-default-features", "--features", ",".join(features()), "--override-filename", "hullmark-sbom",
    )
    written = ROOT / "hullmark-sbom.json"
    file = DIST / f"hullmark-{VERSION}.cdx.json"
    written.replace(file)
    done(file)


def checksums() -> None:
    """Writes the checksums of all files, in the format of sha256sum."""
    files = sorted(path for path in DIST.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (DIST / "SHA256SUMS").write_text("".join(lines), newline="\n")
    done(DIST / "SHA256SUMS")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    for name in ("build", "pack", "deb", "msi"):
        step = steps.add_parser(name)
        step.add_argument("target")
        if name == "pack":
            step.add_argument("program", type=Path)
    steps.add_parser("image").add_argument("targets", nargs="+")
    for name in ("sbom", "manifests", "checksums"):
        steps.add_parser(name)
    chosen = parser.parse_args()

    WORK.mkdir(parents=True, exist_ok=True)
    match chosen.step:
        case "build":
            build(chosen.target)
        case "pack":
            pack(chosen.target, chosen.program.resolve())
        case "deb":
            debian.package(chosen.target, staged(chosen.target))
        case "msi":
            msi.package(chosen.target, staged(chosen.target))
        case "image":
            image.lay_out({target: staged(target) for target in chosen.targets})
        case "sbom":
            sbom()
        case "manifests":
            manifests.write()
        case "checksums":
            checksums()


if __name__ == "__main__":
    main()
