"""Names, versions and licences of all that is built into the program of a target, with the texts of the licences."""

import json
import re
from pathlib import Path

from common import VERSION, features, run

TEXTS = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)


def packages(target: str) -> list[dict]:
    """Returns what cargo knows of each package that is linked into the program."""
    selected = ["--locked", "--no-default-features", "--features", ",".join(features())]
    tree = run(
        "cargo", "tree", "--package", "hullmark", *selected, "--target", target, "--edges", "normal", "--prefix", "none", "--format", "{p}",
        capture_output=True, text=True,
    ).stdout
    # `name v1.2.3`, perhaps with more behind it.
    linked = {tuple(line.split()[:2]) for line in tree.splitlines() if line.strip()}
    known = run("cargo", "metadata", "--format-version", "1", *selected, capture_output=True, text=True).stdout
    found = [one for one in json.loads(known)["packages"] if (one["name"], f"v{one['version']}") in linked]
    return sorted((one for one in found if not one["name"].startswith("hullmark")), key=lambda one: (one["name"], one["version"]))


def text(target: str) -> str:
    """Returns the file of an archive: a list, then each text of a licence once."""
    linked = packages(target)
    texts: dict[str, list[str]] = {}
    for one in linked:
        folder = Path(one["manifest_path"]).parent
        for file in sorted(folder.iterdir()):
            if file.is_file() and TEXTS.match(file.name):
                words = file.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").strip()
                texts.setdefault(words, []).append(f"{one['name']} {one['version']}")
    lines = [f"hullmark {VERSION} for {target} contains {len(linked)} packages of others.", ""]
    lines += [f"{one['name']} {one['version']}: {one['license'] or one['license_file']}" for one in linked]
    for words, users in texts.items():
        lines += ["", "=" * 80, ", ".join(users), "-" * 80, words]
    return "\n".join(lines) + "\n"
