"""Uses the page of web/dist as a person does, and compares its tables with those of the command.

python3 tests/browser/web.py target/release/hullmark [../shared/data] [--pictures FOLDER]

The page is served on this machine. It must make no request after it has loaded.
"""

import sys

# Behind the standard library, because this folder has a file named html.py.
sys.path.append(sys.path.pop(0))

import argparse
import base64
import csv
import functools
import http.server
import io
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time
import zipfile

from chromium import Browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIST, SAMPLES = ROOT / "web/dist", ROOT / "sample_data"
# Folders of samples whose files are inputs of their own.
FOLDERS = ["across", "archives", "contents", "figures", "meshes", "objects", "regions", "viewers"]
REAL = ["blank.oar", "ElfEars.iar"]
TABLES = ["findings.csv", "objects.csv"]
FILES = {"", "index.html", "engine.js", "inputs.js", "mesh.css", "mesh-picture.js", "mesh-tables.js", "mesh.js",
         "page.css", "page.js", "session.js", "offline.js"}


class Server(http.server.ThreadingHTTPServer):
    """Serves the page and lists the paths that were asked for."""

    def __init__(self):
        self.asked = []
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=DIST))
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server_port}/"


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        self.server.asked.append(self.path)


class Page:
    """The page in a browser."""

    def __init__(self, browser, address, downloads):
        self.browser, self.downloads = browser, downloads
        browser.open(address)
        browser.send("Browser.setDownloadBehavior", session=None, behavior="allow", downloadPath=str(downloads),
                     eventsEnabled=True)

    def until(self, condition, seconds=100):
        """Waits until a condition of the page holds."""
        end = time.monotonic() + seconds
        while not self.browser.run(condition):
            assert time.monotonic() < end, (condition, self.browser.run("document.body.innerText"))
            time.sleep(0.05)

    def choose(self, paths, element="file-input"):
        found = self.browser.send("Runtime.evaluate", expression=f"document.getElementById('{element}')")
        self.browser.send("DOM.setFileInputFiles", files=[str(path) for path in paths],
                          objectId=found["result"]["objectId"])

    def audit(self, paths, element="file-input"):
        """Chooses files, and waits for the report or a message."""
        self.browser.run("at('again').click()")
        self.choose(paths, element)
        self.until("at('work').hidden && (!at('report').hidden || at('message').textContent !== '')")
        assert not self.browser.run("at('report').hidden"), self.browser.run("at('message').textContent")

    def target(self, name):
        """Chooses a target above the report."""
        self.browser.run(f"at('target').value = '{name}'; at('target').dispatchEvent(new Event('change'))")
        self.until(f"!at('target').disabled && shown.target === '{name}'")

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
        with zipfile.ZipFile(io.BytesIO(self.download("tables.zip", "tables.zip"))) as packed:
            return {name: packed.read(name) for name in TABLES}


def told_by_command(program, path, *options):
    """Returns the tables of the command about an input, which it finds by the same name."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "audit", path.name, "--out", folder, "--format", "csv", "--threads", "1", *options]
        done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True)
        assert done.returncode in (0, 1, 3), (path, done.stderr)
        return {name: (pathlib.Path(folder) / name).read_bytes() for name in TABLES}


def equals_the_command(page, program, path):
    page.audit([path])
    ours, told = page.tables(), told_by_command(program, path)
    counts = []
    for name in TABLES:
        rows, expected = (list(csv.DictReader(io.StringIO(tables[name].decode()))) for tables in [ours, told])
        # The command takes loose files for the folder that they are in. Fingerprints have the name of the input.
        for row in expected:
            if row["archive"] == ".":
                row.update((key, path.name) for key in ["archive", "identity"] if row.get(key) == ".")
                for other in rows + [row]:
                    other.pop("fingerprint", None)
                    other.pop("old_fingerprint", None)
        # The command also looks back, and tells that it cannot where an input was not read to its end.
        for row in rows + expected:
            if row.get("code") == "RUN003":
                row["message"], row["measured"] = re.sub(r" HIS\d+ \(1\),?", "", row["message"]), ""
        different = [{key: (row[key], its.get(key)) for key in row if row[key] != its.get(key)}
                     for row, its in zip(rows, expected) if row != its][:3]
        assert rows == expected, (path, name, len(rows), len(expected), different)
        counts.append(len(rows))
    return counts


def equals_the_command_for_folders(page, program, folder):
    """An unpacked archive has the objects of the archive, and its kind and its bytes are those of a tar."""
    unpacked = folder / "tree"
    unpacked.mkdir()
    subprocess.run(["tar", "-xzf", SAMPLES / "regions/over-the-cap.oar", "-C", unpacked], check=True)
    page.audit([unpacked], "folder-input")
    ours, told = page.tables(), told_by_command(program, unpacked)
    codes = {name: [line.split(b",") for line in tables["findings.csv"].splitlines()] for name, tables in
             [("page", ours), ("command", told)]}
    column = codes["page"][0].index(b"code")
    found = {name: sorted(row[column] for row in rows[1:] if len(row) > column) for name, rows in codes.items()}
    assert found["page"] == found["command"] != [], found
    assert len(ours["objects.csv"].splitlines()) == len(told["objects.csv"].splitlines()) > 1


def judges_again(page, program, path, folder):
    """Another target evaluates again from the ledger. The bytes are not read again."""
    page.audit([path])
    first = page.tables()
    page.target("opensim-ubode")
    second = page.tables()
    assert second == told_by_command(program, path, "--profile", "opensim-ubode") and second != first
    profile = folder / "mine.toml"
    profile.write_text('base = "second-life"\ndescription = "A test"\n[linkability]\nmax_prims = 1\n')
    page.choose([profile], "profile-input")
    page.until("!at('target').disabled && shown.target === 'mine.toml'")
    assert page.tables() == told_by_command(program, path, "--profile", str(profile))
    (folder / "broken.toml").write_text("base = 3\n")
    page.choose([folder / "broken.toml"], "profile-input")
    page.until("at('message').className === 'error'")
    assert not page.browser.run("at('report').hidden") and page.browser.run("shown.target") == "mine.toml"
    page.target("second-life")
    assert page.tables() == first


def shows_the_report(page, path):
    """The frame has the report, its script runs, and it is apart from the page."""
    page.audit([path])
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
    page.audit([path])
    ledger = page.download("ledger")
    name = next(page.downloads.iterdir()).name
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "ledgers").mkdir()
        (folder / "ledgers" / name).write_bytes(ledger)
        done = subprocess.run([program, "report", "ledgers", "--out", "out", "--format", "csv"], cwd=folder,
                              capture_output=True, text=True)
        assert done.returncode in (0, 1, 3), done.stderr
        told = told_by_command(program, path)
        for table in TABLES:
            assert (folder / "out" / table).read_bytes() == told[table], table


def stops_and_lives_on(page, path):
    page.browser.run("at('again').click()")
    page.browser.run("at('file-input').addEventListener('change', () => at('stop').click(), { once: true }); 1")
    page.choose([path])
    page.until("at('message').textContent !== ''")
    assert page.browser.run("at('message').textContent") == "Stopped. Nothing was evaluated."
    page.audit([path])
    # The end of the worker becomes a sentence.
    page.browser.run("session.read({ files: [], trees: [{ name: 'a', names: [3], files: [] }] }).catch(error => { fail(error); })")
    page.until("at('message').className === 'error'")
    assert "ended early" in page.browser.run("at('message').textContent")
    assert page.browser.run("!at('choose').hidden")
    page.audit([path])


def connects_nowhere(page, server, before):
    """No request after load: at the server, in the browser, and by the policy in the page and its workers."""
    assert server.asked == before, server.asked[len(before):]
    sent = [event["params"]["request"]["url"] for event in page.browser.events
            if event["method"] == "Network.requestWillBeSent"]
    foreign = [url for url in sent if not url.startswith(("blob:", "data:", server.address))]
    assert not foreign, foreign
    refused = "fetch(%s).then(() => 'sent', () => 'refused')" % json.dumps(server.address + "engine.js?again")
    assert page.browser.run(refused) == "refused"
    worker = f"{refused}.then(postMessage)"
    assert page.browser.run("new Promise(done => { const worker = new Worker(URL.createObjectURL(new Blob(["
                            f"{json.dumps(worker)}]))); worker.onmessage = event => done(event.data); }})") == "refused"
    assert server.asked == before, server.asked[len(before):]


def works_offline(page, server, path):
    """With the server gone, the page loads from the service worker and audits."""
    server.shutdown()
    server.server_close()
    page.browser.events.clear()
    page.browser.send("Page.navigate", url=server.address)
    page.browser.wait_for("Page.loadEventFired")
    page.audit([path])


def is_silent(page):
    told = ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"]
    complaints = [event["params"] for event in page.browser.events if event["method"] in told]
    # The link to a place, which this test follows.
    complaints = [told for told in complaints if "external protocol blocked by sandbox" not in json.dumps(told)]
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


def pictures(page, folder, path):
    for width, height in [(1400, 900), (390, 844)]:
        page.browser.run("at('again').click()")
        picture(page, folder, "choose", width, height)
        page.audit([path])
        picture(page, folder, "report", width, height)
    page.browser.send("Emulation.clearDeviceMetricsOverride")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("real", type=pathlib.Path, nargs="?")
    arguments.add_argument("--pictures", type=pathlib.Path)
    given = arguments.parse_args()
    program = given.program.resolve()
    over = SAMPLES / "regions/over-the-cap.oar"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hullmark-web-"))
    (folder / "downloads").mkdir()
    server = Server()
    try:
        with Browser() as browser:
            page = Page(browser, server.address, folder / "downloads")
            page.until("navigator.serviceWorker.ready.then(() => true)")
            time.sleep(1)
            before = list(server.asked)
            assert all(path.lstrip("/") in FILES for path in before), before
            shows_the_report(page, over)
            judges_again(page, program, over, folder)
            gives_a_ledger(page, program, over)
            equals_the_command_for_folders(page, program, folder)
            files = [path for name in FOLDERS for path in sorted((SAMPLES / name).iterdir()) if path.is_file()]
            real = [given.real.resolve() / name for name in REAL] if given.real else []
            counts = [equals_the_command(page, program, path) for path in files + [path for path in real if path.exists()]]
            is_silent(page)
            connects_nowhere(page, server, before)
            stops_and_lives_on(page, over)
            pictures(page, given.pictures, over)
            works_offline(page, server, over)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    findings, objects = (sum(column) for column in zip(*counts))
    print(f"The page equals the command on {len(counts)} inputs: {findings} findings, {objects} objects.")


if __name__ == "__main__":
    main()
