"""Uses the page of web/dist in Chromium as a person does, and compares its tables with those of the command.

python3 tests/browser/web.py target/release/hullmark [../shared/data] [--pictures FOLDER]

The page is served on this machine. It must make no request after it has loaded.
"""

import sys

# Behind the standard library, because this folder has a file named html.py.
sys.path.append(sys.path.pop(0))

import argparse
import base64
import gzip
import io
import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
import time
import zipfile

from audit_page import (FILES, SAMPLES, TABLES, Page, Server, connects_nowhere, equals_the_command, rows_of, tables_in,
                        told_by_command, works_from_the_disk)
from chromium import Browser

# Folders of samples. Each is one choice.
FOLDERS = ["across", "archives", "contents", "databases", "figures", "meshes", "nights", "objects", "regions",
           "viewer-cache", "viewers"]
# Files that are chosen one by one.
SINGLE = ["meshes/bare-mesh.slm", "meshes/hull-of-256-points.llmesh", "objects/saved-scene.xml",
          "viewers/placeholders.oxp", "regions/over-the-cap.oar", "databases/opensim.sql"]
REAL = ["blank.oar", "ElfEars.iar", "faraway.oar", "testslm.slm", "opencollar-remote-8.0.oxp", "pathfindplayground.oar",
        "clothing-library.iar"]
REAL_FOLDERS = ["databases", "India.oar", "oar-0.2"]
LARGE = "franzinha-no-textures.oar"


class DownloadingPage(Page):
    """The page in Chromium, whose downloads are files."""

    def __init__(self, browser, address, downloads):
        super().__init__(browser, address)
        self.downloads = downloads
        browser.send("Browser.setDownloadBehavior", session=None, behavior="allow", downloadPath=str(downloads),
                     eventsEnabled=True)

    def download(self, file, name=None):
        """Presses the button of a download, and returns its bytes."""
        for old in self.downloads.iterdir():
            old.unlink()
        is_end = lambda event: event["method"] == "Browser.downloadProgress" and event["params"]["state"] == "completed"
        self.browser.events = [event for event in self.browser.events if not is_end(event)]
        self.browser.run(f"document.querySelector('[data-file=\"{file}\"]').click()")
        while not any(map(is_end, self.browser.events)):
            self.browser.events.append(self.browser.message())
        done, = self.downloads.iterdir()
        assert name is None or done.name == name, done
        return done.read_bytes()

    def tables(self):
        return tables_in(self.download("tables.zip", "tables.zip"))


def made(folder):
    """Makes inputs that are no samples. Returns them."""
    over = SAMPLES / "regions/over-the-cap.oar"
    dump, tree, backup, packed = (folder / name for name in ["opensim.sql.gz", "tree", "backup.tgz", "tree.tgz"])
    dump.write_bytes(gzip.compress((SAMPLES / "databases/opensim.sql").read_bytes()))
    tree.mkdir()
    subprocess.run(["tar", "-xzf", over, "-C", tree], check=True)
    subprocess.run(["tar", "-czf", packed, "-C", tree, "."], check=True)
    subprocess.run(["tar", "-czf", backup, "-C", SAMPLES / "regions", "over-the-cap.oar"], check=True)
    return dump, tree, backup, packed


def mixed_folder(folder, tree):
    """Makes a folder with archives, an unpacked archive in a folder, loose files and a texture."""
    mixed = folder / "mixed"
    shutil.copytree(tree, mixed / "nights/monday")
    (mixed / "nights/monday/extra.xml").write_bytes((SAMPLES / "objects/saved-scene.xml").read_bytes())
    for path in ["regions/over-the-cap.oar", "objects/saved-scene.xml", "meshes/hull-of-256-points.llmesh"]:
        shutil.copy(SAMPLES / path, mixed)
    (mixed / "notes.txt").write_text("hello")
    image = b"\xff\x4f\xff\x51" + bytes(100)
    (mixed / "00000000-1111-4222-8333-444444444444.j2c").write_bytes(image)
    return mixed


def database_with_log(folder, real):
    """Copies a database while its last changes are in its log only."""
    logged = folder / "logged"
    logged.mkdir()
    own = folder / "own.db"
    shutil.copy(real / "databases/caprica.db", own)
    connection = sqlite3.connect(own)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("UPDATE prims SET Name = 'Changed in the log'")
    connection.commit()
    for ending in ["", "-wal"]:
        shutil.copy(f"{own}{ending}", logged / f"region.db{ending}")
    connection.close()
    return logged


def equals_on_everything(page, program, folder, real):
    """Chooses and drops samples and real exports. Returns the numbers of inputs, findings and objects."""
    dump, tree, backup, packed = made(folder)
    mixed = mixed_folder(folder, tree)
    choices = [([SAMPLES / name], "folder-input") for name in FOLDERS]
    choices += [([SAMPLES / name], "drop") for name in ["objects", "regions"]]
    choices += [([SAMPLES / name], "file-input") for name in SINGLE]
    choices += [([path], "file-input") for path in [dump, backup, packed]]
    choices += [([SAMPLES / "objects/saved-scene.xml", SAMPLES / "objects/decimal-comma.xml"], "drop")]
    choices += [([tree], "folder-input"), ([mixed], "folder-input"), ([mixed, dump], "drop")]
    if real:
        choices += [([real / name], "drop") for name in [*REAL, LARGE]]
        choices += [([real / name], "folder-input") for name in REAL_FOLDERS]
        choices += [([real / "databases/caprica.db"], "file-input"), ([database_with_log(folder, real)], "drop")]
    counts = []
    for paths, element in choices:
        if all(path.exists() for path in paths):
            counts.append(equals_the_command(page, program, paths, element))
    return counts


def workers_do_not_matter(page, program, folder):
    """One worker and four give the same tables. Four are only started for several large archives."""
    several = folder / "several"
    several.mkdir()
    # Archives of this many bytes are worth a worker.
    for number, name in enumerate(["over-the-cap", "many-faults", "over-the-cap", "over-the-cap", "over-the-cap"]):
        source = SAMPLES / f"regions/{name}.oar"
        source = source if source.exists() else SAMPLES / "regions/over-the-cap.oar"
        padding = bytes(1 << 20) if number else b""
        (several / f"{number}.oar").write_bytes(gzip.compress(gzip.decompress(source.read_bytes()) + padding, 0))
    shutil.copy(SAMPLES / "objects/saved-scene.xml", several)
    page.browser.run("globalThis.made = 0; globalThis.Worker = class extends Worker {"
                     "constructor(...given) { super(...given); made++; } }; 1")
    told = {}
    for workers in [1, 4]:
        page.browser.run(f"Object.defineProperty(navigator, 'hardwareConcurrency', {{ value: {workers},"
                         "configurable: true }); made = 0")
        page.audits([several], "folder-input")
        assert page.browser.run("made") == workers
        told[workers] = page.tables()
    assert told[1] == told[4]
    expected = told_by_command(program, [several])
    assert all(rows_of(told[4], name) == rows_of(expected, name) for name in TABLES)
    page.browser.run("made = 0")
    page.audits([SAMPLES / "objects"], "folder-input")
    assert page.browser.run("made") == 1, "small files need one worker"


def judges_again(page, program, path, folder):
    """Another target evaluates again from the ledger. The bytes are not read again."""
    page.audits([path])
    first = page.tables()
    page.target("opensim-ubode")
    second = page.tables()
    assert second == told_by_command(program, [path], "--profile", "opensim-ubode") and second != first
    profile = folder / "mine.toml"
    profile.write_text('base = "second-life"\ndescription = "A test"\n[linkability]\nmax_prims = 1\n')
    page.choose([profile], "profile-input")
    page.until("!at('target').disabled && shown.target === 'mine.toml'")
    assert page.tables() == told_by_command(program, [path], "--profile", str(profile))
    (folder / "broken.toml").write_text("base = 3\n")
    page.choose([folder / "broken.toml"], "profile-input")
    page.until("at('message').className === 'error'")
    assert not page.browser.run("at('report').hidden") and page.browser.run("shown.target") == "mine.toml"
    page.target("none")
    assert page.tables() == first


def shows_the_report(page, path):
    """The frame has the report, its script runs, and it is apart from the page."""
    page.audits([path])
    frame = page.browser.run("at('report').sandbox.value")
    assert frame == "allow-scripts", frame
    own = page.browser.session
    # A sandboxed frame has a process of its own.
    frames = lambda: [target["targetId"] for target in page.browser.send("Target.getTargets")["targetInfos"]
                      if target["type"] == "iframe"]
    end = time.monotonic() + 10
    while not (found := frames()):
        assert time.monotonic() < end, "there is no frame"
    frame = page.browser.send("Target.attachToTarget", targetId=found[0], flatten=True)["sessionId"]

    def inside(script):
        page.browser.session = frame
        try:
            return page.browser.run(script)
        finally:
            page.browser.session = own

    while not inside("document.querySelectorAll('#findings tr.row').length"):
        assert time.monotonic() < end, "the script of the report does not run"
    assert inside("getComputedStyle(document.querySelector('nav')).position") == "sticky", "its style applies"
    assert inside("try { parent.document.title } catch (error) { error.name }") == "SecurityError"
    assert inside("fetch('https://example.invalid/').then(() => 'sent', () => 'refused')") == "refused"
    # A link to a place does nothing in the frame. The viewer opens it from the downloaded page.
    inside("document.querySelector('a[href^=\"secondlife:\"]').click()")
    time.sleep(0.5)
    assert inside("document.querySelectorAll('#findings tr.row').length") > 0
    html = page.download("audit.html", "audit.html")
    assert html.startswith(b"<!doctype html>") and b"Content-Security-Policy" in html
    workbook = zipfile.ZipFile(io.BytesIO(page.download("audit.xlsx", "audit.xlsx")))
    assert "xl/workbook.xml" in workbook.namelist()


def gives_a_ledger(page, program, path):
    """The command reports from the ledger of the page what it reports from the file."""
    page.audits([path])
    ledger = page.download("ledger")
    name = next(page.downloads.iterdir()).name
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "ledgers").mkdir()
        (folder / "ledgers" / name).write_bytes(ledger)
        done = subprocess.run([program, "report", "ledgers", "--out", "out", "--format", "csv"], cwd=folder,
                              capture_output=True, text=True)
        assert done.returncode in (0, 1, 3), done.stderr
        told = told_by_command(program, [path])
        for table in TABLES:
            assert (folder / "out" / table).read_bytes() == told[table], table


def stops_and_lives_on(page, path, large):
    """Stop ends the work at once, also in the middle of a large file."""
    page.browser.run("at('again').click()")
    page.browser.run("at('file-input').addEventListener('change', () => at('stop').click(), { once: true }); 1")
    page.choose([path])
    page.until("at('message').textContent !== ''")
    assert page.browser.run("at('message').textContent") == "Stopped. Nothing was evaluated."
    page.audits([path])
    if large and large.exists():
        page.begin([large], "drop")
        page.until("at('progress').value > 5e6")
        assert page.browser.run("at('progress').value < at('progress').max / 2 && !at('work').hidden")
        page.browser.run("at('stop').click()")
        assert page.browser.run("at('message').textContent") == "Stopped. Nothing was evaluated."
        assert page.browser.run("!at('choose').hidden && session === undefined")
        page.audits([path])


def refuses_with_a_sentence(page, folder):
    """No export, no file, and two files of one path."""
    (folder / "words.txt").write_text("hello")
    told = page.audit([folder / "words.txt"])
    assert told.startswith("words.txt is not an export: it looks like text"), told
    (folder / "empty").mkdir()
    assert page.audit([folder / "empty"], "drop").startswith("There is no file."), "an empty folder"
    for name in ["one", "other"]:
        (folder / name).mkdir()
        shutil.copy(SAMPLES / "regions/over-the-cap.oar", folder / name / "region.oar")
    told = page.audit([folder / "one/region.oar", folder / "other/region.oar"])
    assert told.startswith("There are two files region.oar."), told


# What the end of a worker is made of. The test puts it behind the code of the page's own workers.
ENDS = {
    # A true panic of the library: it may not be called while it reports its progress.
    "hullmark has met an error of its own (panicked": "self.reportProgress = () =>"
        "wasm_bindgen.archives(['a/archive.xml'], [new Blob(['<archive/>'])]);",
    # A true end of memory: almost all of it is taken before the library starts.
    "The work ended early": "const start = wasm_bindgen.initSync; wasm_bindgen.initSync = given => {"
        "const { memory } = start(given); const pages = memory.buffer.byteLength / 65536;"
        "for (let more = 65536 - pages - 8; more > 0; more >>= 1) try { memory.grow(more); } catch {} };",
    # An error in the code around the library.
    "The work ended early (TypeError": "CALLS.read = () => null.nothing;",
}


def survives_the_end_of_a_worker(page, path):
    """A panic, an end of memory, and an error become sentences. The next audit works."""
    for words, script in ENDS.items():
        page.browser.run("globalThis.Whole ??= globalThis.Worker; globalThis.Worker = class { constructor() {"
                         "return new Whole(URL.createObjectURL(new Blob([ENGINE.worker, %s]))); } }; 1" % json.dumps(script))
        told = page.audit([path])
        page.browser.run("globalThis.Worker = Whole; 1")
        assert told.startswith(words), (words, told)
        assert page.browser.run("at('message').className") == "error" and page.browser.run("!at('choose').hidden")
        page.audits([path])


def works_offline(page, server, path):
    """With the server gone, the page loads from the service worker and audits."""
    server.shutdown()
    server.server_close()
    page.browser.events.clear()
    page.browser.send("Page.navigate", url=server.address)
    page.browser.wait_for("Page.loadEventFired")
    page.audits([path])


def is_silent(page):
    # The link to a place, which this test follows.
    complaints = [told for told in page.browser.complaints() if "external protocol blocked by sandbox" not in told]
    assert not complaints, complaints


def picture(page, folder, name, width, height):
    if folder is None:
        return
    page.browser.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                      mobile=width < 500)
    time.sleep(1)
    shot = base64.b64decode(page.browser.send("Page.captureScreenshot")["data"])
    (folder / f"{name}-{width}.png").write_bytes(shot)
    assert page.browser.run("document.documentElement.scrollWidth") <= width, (name, width)


def pictures(page, folder, path, large):
    for width, height in [(1400, 900), (390, 844)]:
        page.browser.run("at('again').click()")
        picture(page, folder, "choose", width, height)
        if folder and large and large.exists():
            page.begin([large])
            page.until("at('progress').value > 1e6")
            picture(page, folder, "work", width, height)
            page.browser.run("at('stop').click()")
            picture(page, folder, "stopped", width, height)
        page.audits([path])
        picture(page, folder, "report", width, height)
    page.browser.send("Emulation.clearDeviceMetricsOverride")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("real", type=pathlib.Path, nargs="?")
    arguments.add_argument("--pictures", type=pathlib.Path)
    given = arguments.parse_args()
    program = given.program.resolve()
    real = given.real.resolve() if given.real and given.real.exists() else None
    large = real / LARGE if real else None
    over = SAMPLES / "regions/over-the-cap.oar"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hullmark-web-"))
    (folder / "downloads").mkdir()
    server = Server()
    try:
        with Browser() as browser:
            page = DownloadingPage(browser, server.address, folder / "downloads")
            page.until("navigator.serviceWorker.ready.then(() => true)")
            time.sleep(1)
            before = list(server.asked)
            assert all(path.lstrip("/") in FILES for path in before), before
            shows_the_report(page, over)
            judges_again(page, program, over, folder)
            gives_a_ledger(page, program, over)
            counts = equals_on_everything(page, program, folder, real)
            is_silent(page)
            workers_do_not_matter(page, program, folder)
            refuses_with_a_sentence(page, folder)
            stops_and_lives_on(page, over, large)
            survives_the_end_of_a_worker(page, over)
            connects_nowhere(page, server, before)
            pictures(page, given.pictures, over, large)
            works_offline(page, server, over)
            works_from_the_disk(browser, program)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    findings, objects = (sum(column) for column in zip(*counts))
    print(f"The page equals the command on {len(counts)} choices: {findings} findings, {objects} objects.")


if __name__ == "__main__":
    main()
