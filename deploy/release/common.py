"""What all steps of a release share: names, versions, folders and variables of the environment."""

import gzip
import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The finished files; work in progress is in `work` below it.
DIST = Path(os.environ.get("HULLMARK_DIST", ROOT / "target/dist")).resolve()
WORK = DIST / "work"

MANIFEST = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
# The keys that all packages share are those of the workspace.
PACKAGE = MANIFEST["package"] | MANIFEST["workspace"]["package"]
VERSION = PACKAGE["version"]
# Packages want the name and address of a person, which only the owner can give.
MAINTAINER = os.environ.get("HULLMARK_MAINTAINER", "hullmark <hullmark@example.org>")
LICENCES = ("LICENSE-APACHE", "LICENSE-MIT")
SHELLS = ("bash", "elvish", "fish", "powershell", "zsh")

# The architectures of Debian and of images for targets that have packages.
ARCHITECTURES = {
    "x86_64-unknown-linux-musl": "amd64",
    "aarch64-unknown-linux-musl": "arm64",
    "x86_64-unknown-linux-gnu": "amd64",
    "aarch64-unknown-linux-gnu": "arm64",
}


def features() -> list[str]:
    """Returns the features of a released program: all.

    The variable HULLMARK_FEATURES names others.
    """
    chosen = os.environ.get("HULLMARK_FEATURES")
    if chosen is not None:
        return chosen.replace(",", " ").split()
    return sorted(MANIFEST["features"].keys() - {"default"})


def repository() -> str:
    """Returns the address of the repository: only its owner can give it."""
    address = os.environ.get("HULLMARK_REPOSITORY", "").removesuffix(".git").rstrip("/")
    if not address.startswith("https://") or address.count("/") < 4:
        sys.exit(
            "The address of the repository is unknown. Set HULLMARK_REPOSITORY, for example to "
            "https://github.com/OWNER/hullmark."
        )
    return address


def program_name(target: str) -> str:
    """Returns the file name of the program."""
    return "hullmark.exe" if "windows" in target else "hullmark"


def archive_name(target: str) -> str:
    """Returns the file name of an archive, which names its only folder, too."""
    return f"hullmark-{VERSION}-{target}" + (".zip" if "windows" in target else ".tar.gz")


def epoch() -> int:
    """Returns the time of all packed files: equal sources make equal archives."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    log = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
    # The first second that a zip can hold, for sources without a history.
    return int(log.stdout or 315532800)


def run(*command, **options) -> subprocess.CompletedProcess:
    """Runs a command in the folder of the sources. The release ends where one fails."""
    command = [str(word) for word in command]
    options.setdefault("cwd", ROOT)
    try:
        done = subprocess.run(command, **options)
    except FileNotFoundError:
        sys.exit(f"There is no {command[0]}: install it.")
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed with exit code {done.returncode}.")
    return done


def compressed(data: bytes) -> bytes:
    """Returns data as gzip without a time."""
    return gzip.compress(data, 9, mtime=0)


def done(path: Path) -> None:
    """Says that a file is finished, and its size."""
    print(f"{path} ({path.stat().st_size / 1e6:.2f} MB)", file=sys.stderr)
