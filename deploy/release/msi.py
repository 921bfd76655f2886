"""Makes the installer package for Windows with `wixl` of msitools, which runs on Linux."""

import re
import shutil
import tempfile
from pathlib import Path
from xml.sax.saxutils import quoteattr

from common import DIST, VERSION, done, run

TEMPLATE = Path(__file__).parent / "hullmark.wxs"


def folder_elements(folder: Path, names: list[str], components: list[str]) -> str:
    """Returns the elements of a folder's files and folders, and notes the names of their components."""
    lines = []
    for path in sorted(folder.iterdir()):
        name = "_".join(re.sub(r"[^A-Za-z0-9]", "_", part) for part in (*names, path.name))
        # Names of a database are limited to 72 characters, and must differ.
        name = f"{name[-50:].lstrip('_')}_{len(components)}"
        if path.is_dir():
            inside = folder_elements(path, [*names, path.name], components)
            lines.append(f"<Directory Id={quoteattr('D_' + name)} Name={quoteattr(path.name)}>{inside}</Directory>")
        elif path.name != "hullmark.exe":
            components.append(f"C_{name}")
            lines.append(
                f"<Component Id={quoteattr('C_' + name)} Guid='*'>"
                f"<File Id={quoteattr('F_' + name)} Source={quoteattr(str(path))} KeyPath='yes'/></Component>"
            )
    return "\n".join(lines)


def package(target: str, staged: Path) -> Path:
    """Makes the package of an archive's folder, and returns its path."""
    components: list[str] = []
    with tempfile.TemporaryDirectory() as place:
        # The manual pages are for other systems.
        tree = Path(place) / "tree"
        shutil.copytree(staged, tree, ignore=shutil.ignore_patterns("man", "*.bash", "*.elvish", "*.fish", "*.zsh"))
        files = folder_elements(tree, [], components)
        source = TEMPLATE.read_text(encoding="utf-8")
        source = source.replace("@VERSION@", VERSION).replace("@PROGRAM@", str(tree / "hullmark.exe"))
        source = source.replace("<!-- files -->", files)
        references = "\n".join(f"<ComponentRef Id={quoteattr(name)}/>" for name in components)
        source = source.replace("<!-- components -->", references)
        description = Path(place) / "hullmark.wxs"
        description.write_text(source, encoding="utf-8")
        file = DIST / f"hullmark-{VERSION}-{target}.msi"
        run("wixl", "--arch", "x64", "--output", file, description)
    done(file)
    return file
