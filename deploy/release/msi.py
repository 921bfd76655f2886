"""Makes the installer package for Windows with `wixl` and `msibuild` of msitools, which run on Linux."""

import re
import shutil
import tempfile
from pathlib import Path
from xml.sax.saxutils import quoteattr

from common import DIST, VERSION, done, run

# wixl knows no variables of the environment, so the entry of PATH is added to its package. `=` sets, `-` removes when
# hullmark is removed, `*` is for all users, and `[~]` is the old value.
PATH_ENTRY = (
    "CREATE TABLE `Environment` (`Environment` CHAR(72) NOT NULL, `Name` CHAR(255) NOT NULL LOCALIZABLE, "
    "`Value` CHAR(255) LOCALIZABLE, `Component_` CHAR(72) NOT NULL PRIMARY KEY `Environment`)",
    "INSERT INTO `Environment` (`Environment`, `Name`, `Value`, `Component_`) "
    "VALUES ('E_path', '=-*PATH', '[~];[INSTALLDIR]', 'C_program')",
    "INSERT INTO `InstallExecuteSequence` (`Action`, `Sequence`) VALUES ('RemoveEnvironmentStrings', 3300)",
    "INSERT INTO `InstallExecuteSequence` (`Action`, `Sequence`) VALUES ('WriteEnvironmentStrings', 5200)",
)
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
                f"<File Id={quoteattr('F_' + name)} Source={quoteattr(Path(*names, path.name).as_posix())} KeyPath='yes'/></Component>"
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
        source = source.replace("@VERSION@", VERSION).replace("@PROGRAM@", "hullmark.exe")
        source = source.replace("<!-- files -->", files)
        references = "\n".join(f"<ComponentRef Id={quoteattr(name)}/>" for name in components)
        source = source.replace("<!-- components -->", references)
        description = Path(place) / "hullmark.wxs"
        description.write_text(source, encoding="utf-8")
        file = DIST / f"hullmark-{VERSION}-{target}.msi"
        # It takes paths from its folder only.
        run("wixl", "--arch", "x64", "--output", file, description, cwd=tree)
    for query in PATH_ENTRY:
        run("msibuild", file, "-q", query)
    done(file)
    return file
