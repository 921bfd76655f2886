"""Makes the package for Debian of an archive's folder, with `dpkg-deb`.

The package needs no other if the program is static. It brings a timer, which the administrator enables.
"""

import hashlib
import os
import shutil
import subprocess
from email.utils import formatdate
from pathlib import Path

from common import ARCHITECTURES, DIST, MAINTAINER, ROOT, VERSION, WORK, compressed, done, epoch, run
from image import static

SOURCES = Path(__file__).parent / "debian"
COMPLETIONS = {
    "bash": "usr/share/bash-completion/completions/hullmark",
    "fish": "usr/share/fish/vendor_completions.d/hullmark.fish",
    "zsh": "usr/share/zsh/vendor-completions/_hullmark",
}


def put(tree: Path, name: str, data: bytes | str, mode: int = 0o644) -> None:
    """Writes a file of the package."""
    path = tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    path.chmod(mode)


def lay_out(tree: Path, staged: Path) -> None:
    """Lays out the files of the package from the folder of an archive."""
    put(tree, "usr/bin/hullmark", (staged / "hullmark").read_bytes(), 0o755)
    for page in (staged / "man").iterdir():
        put(tree, f"usr/share/man/man1/{page.name}.gz", compressed(page.read_bytes()))
    for shell, name in COMPLETIONS.items():
        put(tree, name, (staged / f"completions/hullmark.{shell}").read_bytes())
    for unit in (ROOT / "deploy/systemd").iterdir():
        words = unit.read_text(encoding="utf-8").replace("/usr/local/bin/hullmark", "/usr/bin/hullmark")
        put(tree, f"usr/lib/systemd/system/{unit.name}", words)
    put(tree, "etc/hullmark/hullmark.toml", (staged / "config/hullmark.toml").read_bytes())
    shutil.copytree(staged / "sample_data", tree / "usr/share/hullmark/sample_data")

    documents = "usr/share/doc/hullmark"
    put(tree, f"{documents}/README.md", (staged / "README.md").read_bytes())
    put(tree, f"{documents}/changelog.Debian.gz", compressed(changelog().encode()))
    put(tree, f"{documents}/changelog.gz", compressed((staged / "CHANGELOG.md").read_bytes()))
    put(tree, f"{documents}/THIRD-PARTY.txt.gz", compressed((staged / "THIRD-PARTY.txt").read_bytes()))
    put(tree, f"{documents}/copyright", copyright_file())
    put(tree, f"{documents}/examples/hullmark.cron", (ROOT / "deploy/cron/hullmark").read_bytes())
    put(tree, f"{documents}/examples/hullmark-autobackup", (ROOT / "deploy/autobackup/hullmark-autobackup").read_bytes())


def changelog() -> str:
    """Returns the history of the package, whose only news is the release."""
    return (
        f"hullmark ({VERSION}-1) unstable; urgency=medium\n\n  * Release {VERSION}: see changelog.gz.\n\n"
        f" -- {MAINTAINER}  {formatdate(epoch())}\n"
    )


def copyright_file() -> str:
    """Returns the file with the licence. Debian has the text of Apache-2.0 on every machine."""
    mit = (ROOT / "LICENSE-MIT").read_text(encoding="utf-8")
    holder = next(line for line in mit.splitlines() if line.startswith("Copyright"))
    body = "\n".join(f" {line or '.'}" for line in mit.split(holder, 1)[1].strip().splitlines())
    return (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        f"Upstream-Name: hullmark\n\nFiles: *\n{holder.replace('Copyright (c)', 'Copyright:')}\n"
        f"License: Expat or Apache-2.0\n\nLicense: Expat\n{body}\n\n"
        "License: Apache-2.0\n /usr/share/common-licenses/Apache-2.0 has the text.\n"
        "Comment:\n THIRD-PARTY.txt.gz lists the packages that are built in, with their licences.\n"
    )


def depends(program: Path) -> str:
    """Returns what a program needs: the C library it was built with, or nothing if it is static."""
    needed = "passwd"
    if not static(program):
        needed += f", libc6 (>= {os.confstr('CS_GNU_LIBC_VERSION').split()[1]}), libgcc-s1"
    return needed


def control(tree: Path, target: str) -> str:
    """Returns the description of the package."""
    files = [path for path in tree.rglob("*") if path.is_file() and "DEBIAN" not in path.parts]
    lines = [
        "Package: hullmark",
        f"Version: {VERSION}-1",
        f"Architecture: {ARCHITECTURES[target]}",
        f"Maintainer: {MAINTAINER}",
        f"Installed-Size: {sum(-(-path.stat().st_size // 1024) for path in files)}",
        f"Depends: {depends(tree / 'usr/bin/hullmark')}",
        "Section: utils",
        "Priority: optional",
    ]
    if "HULLMARK_REPOSITORY" in os.environ:
        lines.append(f"Homepage: {os.environ['HULLMARK_REPOSITORY']}")
    return "\n".join(lines) + "\n" + (SOURCES / "description").read_text(encoding="utf-8")


def package(target: str, staged: Path) -> Path:
    """Makes the package, and returns its path."""
    tree = WORK / f"deb-{target}"
    shutil.rmtree(tree, ignore_errors=True)
    lay_out(tree, staged)
    sums = sorted(
        f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n"
        for path in tree.rglob("*")
        if path.is_file() and "etc" not in path.relative_to(tree).parts[:1]
    )
    put(tree, "DEBIAN/control", control(tree, target))
    put(tree, "DEBIAN/md5sums", "".join(sums))
    put(tree, "DEBIAN/conffiles", "/etc/hullmark/hullmark.toml\n")
    for name in ("postinst", "prerm", "postrm"):
        put(tree, f"DEBIAN/{name}", (SOURCES / name).read_bytes(), 0o755)
    for path in (tree, *tree.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)
    file = DIST / f"hullmark_{VERSION}-1_{ARCHITECTURES[target]}.deb"
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(epoch())}
    run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree, file, env=environment, stdout=subprocess.DEVNULL)
    done(file)
    return file
