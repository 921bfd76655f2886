#!/usr/bin/env python3
"""Compares the program for Windows, under Wine, with the one for Linux, and runs the files of deploy/windows.

Usage: windows.py WINE HULLMARK_ZIP HULLMARK

HULLMARK_ZIP is an archive of a release for Windows, and HULLMARK the same program for Linux.
"""

import filecmp
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Wine 8 lacks a function that Rust's standard library needs for random numbers.
RANDOM = """
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length) {
    return SystemFunction036(buffer, (ULONG)length);
}
"""
# A program that opens a file as a spreadsheet does, until a file "close" appears: others may read it, and not write.
HOLDER = """
#include <windows.h>
int wmain(int count, wchar_t **words) {
    HANDLE file = CreateFileW(words[1], GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, 0, OPEN_EXISTING, 0, 0);
    if (file == INVALID_HANDLE_VALUE) return 1;
    CloseHandle(CreateFileW(L"opened", GENERIC_WRITE, 0, 0, CREATE_ALWAYS, 0, 0));
    while (GetFileAttributesW(L"close") == INVALID_FILE_ATTRIBUTES) Sleep(50);
    return 0;
}
"""

work = pathlib.Path(tempfile.mkdtemp(prefix="hullmark-windows-"))
environment = dict(
    os.environ, WINEPREFIX=str(work / "prefix"), WINEDEBUG="-all", WINEDLLOVERRIDES="bcryptprimitives=n;mscoree=;mshtml=",
    HULLMARK_PROFILE="")
wine = windows = linux = None


def check(is_true, words):
    if not is_true:
        sys.exit(f"FAILED: {words}")


def compiled(text, name, *options):
    source = work / f"{name}.c"
    source.write_text(text)
    made = work / name
    subprocess.run(["x86_64-w64-mingw32-gcc", *options, "-o", made, source, "-ladvapi32"], check=True)
    return made


def under_wine(*command, folder=work):
    return subprocess.run([wine, *map(str, command)], cwd=folder, env=environment, capture_output=True, check=False)


def start_wine():
    under_wine("wineboot", "-i")
    system = work / "prefix/drive_c/windows/system32"
    check(system.is_dir(), "Wine makes no prefix")
    shutil.move(compiled(RANDOM, "bcryptprimitives.dll", "-shared"), system / "bcryptprimitives.dll")
    under_wine("reg", "add", r"HKCU\Software\Wine", "/v", "Version", "/d", "win10", "/f")


def audit(folder, *words):
    return under_wine(windows, "audit", *words, folder=folder)


def same_reports():
    """The same samples give the same bytes."""
    formats = ["--format", "csv,jsonl,html,xlsx,sarif,junit", "--letters", "out/letters"]
    folders = {"linux": work / "linux", "windows": work / "windows"}
    for name, folder in folders.items():
        folder.mkdir()
        shutil.copytree(ROOT / "sample_data", folder / "sample_data")
        command = [linux] if name == "linux" else [wine, windows]
        done = subprocess.run([*map(str, command), "audit", "sample_data", "--out", "out", "--ledgers", "ledgers", *formats],
                              cwd=folder, env=environment, capture_output=True, check=False)
        check(done.returncode == 0, f"{name}: exit {done.returncode}: {done.stderr.decode(errors='replace')[-2000:]}")
        folders[name] = done
    files = sorted(path.relative_to(work / "linux/out") for path in (work / "linux/out").rglob("*") if path.is_file())
    others = sorted(path.relative_to(work / "windows/out") for path in (work / "windows/out").rglob("*") if path.is_file())
    check(files == others and len(files) > 20, f"other files: {set(files) ^ set(others)}")
    differ = [str(file) for file in files if not filecmp.cmp(work / "linux/out" / file, work / "windows/out" / file, False)]
    check(not differ, f"differ: {differ}")
    ledgers = [sorted(os.listdir(work / name / "ledgers")) for name in folders]
    check(ledgers[0] == ledgers[1], "other ledgers, or a lock file that stayed")
    text = {name: done.stdout.decode().replace("\r\n", "\n") for name, done in folders.items()}
    check(text["linux"].replace("out/", "out\\") == text["windows"].replace("out/", "out\\"), "another summary")
    print(f"{len(files)} files of the report, the names of {len(ledgers[0])} ledgers and the summary are those of Linux")


def an_open_workbook():
    """A report is replaced whole or not at all."""
    holder = compiled(HOLDER, "holder.exe", "-municode")
    folder = work / "locked"
    shutil.copytree(ROOT / "sample_data/regions", folder / "oars")
    check(audit(folder, "oars", "--out", "out", "--format", "csv,xlsx,html").returncode in (0, 3), "the first report")
    before = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}
    next((folder / "oars").rglob("*.oar")).unlink()
    program = subprocess.Popen([wine, holder, "out\\audit.xlsx"], cwd=folder, env=environment)
    for _ in range(200):
        if (folder / "opened").exists():
            break
        subprocess.run(["sleep", "0.05"], check=True)
    check((folder / "opened").exists(), "the workbook cannot be opened")
    done = audit(folder, "oars", "--out", "out", "--format", "csv,xlsx,html")
    (folder / "close").touch()
    program.wait()
    words = done.stderr.decode()
    check(done.returncode == 2 and "audit.xlsx cannot be written; close it in the program" in words, words)
    check({path.name: path.read_bytes() for path in (folder / "out").iterdir()} == before, "the old report has changed")
    check(audit(folder, "oars", "--out", "out", "--format", "csv,xlsx,html").returncode in (0, 3), "the next report")
    check((folder / "out/audit.xlsx").read_bytes() != before["audit.xlsx"], "the next report is the old one")
    print("An open workbook leaves all of the old report")


def paths():
    """Patterns, long paths, letters beyond ASCII, and a file with the name of a device."""
    folder = work / "paths"
    deep = folder / "oars" / "/".join(["a long name of a folder"] * 14)
    deep.mkdir(parents=True)
    sample = next((ROOT / "sample_data").rglob("*.oar"))
    shutil.copy(sample, deep / "Grüße 東京.oar")
    shutil.copy(sample, folder / "one.oar")
    with __import__("zipfile").ZipFile(folder / "NULs.zip", "w") as archive:
        archive.write(sample, "NUL.oar")
    done = audit(folder, "oars", ".\\*.oar", "NULs.zip", "--out", "out", "--ledgers", "ledgers")
    check(done.returncode in (0, 3), done.stderr.decode(errors="replace"))
    table = (folder / "out/archives.csv").read_text(encoding="utf-8")
    for name in ["Grüße 東京.oar", "one.oar", "NULs.zip/NUL.oar"]:
        check(name in table, f"{name} is not in the report: {table}")
    check("\\" not in table, "names have slashes")
    check(any(name.startswith("_NUL.oar-") for name in os.listdir(folder / "ledgers")), os.listdir(folder / "ledgers"))
    print(f"A path of {len(str(deep))} characters, patterns, and names of devices are read")


def nightly():
    """The script of the nightly task, as it is but for its exports, and the registration of the task."""
    folder = work / "prefix/drive_c/hullmark"
    folder.mkdir()
    shutil.copytree(ROOT / "deploy/windows", work / "deploy")
    shutil.copytree(ROOT / "sample_data/regions", work / "prefix/drive_c/oars")
    script = work / "deploy/audit.cmd"
    text = script.read_text()
    changed = text.replace(r"C:\DreamGrid\OutworldzFiles\AutoBackup", r"C:\oars")
    check(changed != text, "the line of the exports is another one")
    script.write_bytes(changed.replace("\n", "\r\n").encode())
    installer = work / "deploy/install-task.cmd"
    installer.write_bytes(installer.read_text().replace("\n", "\r\n").encode())
    missing = under_wine("cmd", "/c", "install-task.cmd", folder=work / "deploy")
    check(missing.returncode == 2 and b"does not exist" in missing.stderr, missing)
    shutil.copy(windows, folder / "hullmark.exe")
    done = under_wine("cmd", "/c", "install-task.cmd", folder=work / "deploy")
    check(done.returncode == 0 and (folder / "audit.cmd").exists(), done)
    for night in ["first", "second"]:
        done = under_wine("cmd", "/c", r"C:\hullmark\audit.cmd", folder=work)
        log = (folder / "audit.log").read_text(errors="replace")
        check(done.returncode == 0 and "No new errors" in log, f"{night} night: {done} {log}")
    check((folder / "report/audit.html").exists(), "there is no report")
    print("Two nights by audit.cmd, and the task is registered")


def main(*programs):
    global wine, windows, linux
    wine, linux = programs[0], pathlib.Path(programs[2]).resolve()
    shutil.unpack_archive(programs[1], work / "unpacked")
    (windows,) = (work / "unpacked").glob("*/hullmark.exe")
    start_wine()
    for test in [same_reports, an_open_workbook, paths, nightly]:
        test()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    finally:
        subprocess.run([str(pathlib.Path(sys.argv[1]).with_name("wineserver64")), "-k"], env=environment, check=False,
                       stderr=subprocess.DEVNULL)
        os.environ.get("KEEP") or shutil.rmtree(work, ignore_errors=True)
