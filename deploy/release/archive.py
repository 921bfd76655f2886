"""Packs the program of a target with all that belongs to it: tar.gz, or zip for Windows."""

import io
import shutil
import tarfile
import time
import zipfile
from pathlib import Path

import third_party
from common import DIST, LICENCES, ROOT, SHELLS, WORK, archive_name, compressed, done, epoch, program_name, run


def stage(target: str, program: Path, runnable: Path) -> Path:
    """Lays out the folder of an archive. `runnable` is the same program for this machine."""
    folder = WORK / archive_name(target).removesuffix(".zip").removesuffix(".tar.gz")
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("completions", "config"):
        (folder / name).mkdir(parents=True)
    shutil.copy(program, folder / program_name(target))
    (folder / program_name(target)).chmod(0o755)
    for name in ("README.md", "CHANGELOG.md", *LICENCES):
        shutil.copy(ROOT / name, folder)
    # In a folder of its own: a hullmark.toml in the working folder is in force.
    shutil.copy(ROOT / "config/hullmark.toml", folder / "config")
    run(runnable, "man", folder / "man", capture_output=True)
    for shell in SHELLS:
        script = run(runnable, "completions", shell, capture_output=True).stdout
        (folder / "completions" / f"hullmark.{shell}").write_bytes(script)
    shutil.copytree(ROOT / "sample_data", folder / "sample_data")
    (folder / "THIRD-PARTY.txt").write_text(third_party.text(target), encoding="utf-8", newline="\n")
    return folder


def pack(target: str, program: Path, runnable: Path) -> Path:
    """Packs the archive of a target, and returns its path."""
    folder = stage(target, program, runnable)
    archive = DIST / archive_name(target)
    if archive.suffix == ".zip":
        write_zip(folder, archive)
    else:
        archive.write_bytes(compressed(tar(folder, folder.name)))
    done(archive)
    return archive


def tar(folder: Path, name: str) -> bytes:
    """Returns a tar of a folder under a name: the same bytes for the same files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in sorted([folder, *folder.rglob("*")]):
            inside = f"{name}/{path.relative_to(folder).as_posix()}".removesuffix("/.").lstrip("/")
            if not inside or inside == ".":
                continue
            member = archive.gettarinfo(path, inside)
            member.uid = member.gid = 0
            member.uname = member.gname = "root"
            member.mtime = epoch()
            # A sticky folder for all, such as /tmp, stays one.
            sticky = member.mode & 0o1777 == 0o1777
            member.mode = 0o1777 if sticky else 0o755 if path.is_dir() or member.mode & 0o100 else 0o644
            with path.open("rb") if path.is_file() else io.BytesIO() as file:
                archive.addfile(member, file)
    return buffer.getvalue()


def write_zip(folder: Path, path: Path) -> None:
    """Writes a zip of a folder."""
    moment = time.gmtime(epoch())[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            member = zipfile.ZipInfo(f"{folder.name}/{file.relative_to(folder).as_posix()}", moment)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (0o755 if file.stat().st_mode & 0o100 else 0o644) << 16
            archive.writestr(member, file.read_bytes())
