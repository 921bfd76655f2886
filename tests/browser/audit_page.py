"""The page of web/dist in a browser, and the command that it is compared with."""

import base64
import csv
import functools
import http.server
import io
import json
import pathlib
import subprocess
import tempfile
import threading
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIST, SAMPLES = ROOT / "web/dist", ROOT / "sample_data"
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

    def __init__(self, browser, address):
        self.browser = browser
        browser.open(address)

    def until(self, condition, seconds=100):
        """Waits until a condition of the page holds."""
        end = time.monotonic() + seconds
        while not self.browser.run(condition):
            assert time.monotonic() < end, (condition, self.browser.run("document.body.innerText"))
            time.sleep(0.05)

    def choose(self, paths, element="file-input"):
        self.browser.choose(element, [str(path) for path in paths])

    def begin(self, paths, element="file-input"):
        """Chooses files. A folder is chosen as one, or dropped."""
        self.browser.run("at('again').click()")
        if element == "drop":
            # What lies under the mouse is only known after the next picture.
            self.browser.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 200))))")
            self.browser.drop([str(path) for path in paths])
        else:
            self.choose(paths, element)

    def audit(self, paths, element="file-input", seconds=100):
        """Chooses files, and waits for the report or a sentence. Returns the sentence."""
        self.begin(paths, element)
        self.until("at('work').hidden && (!at('report').hidden || at('message').textContent !== '')", seconds)
        return self.browser.run("at('message').textContent")

    def audits(self, paths, element="file-input", seconds=100):
        """Chooses files, and waits for the report."""
        told = self.audit(paths, element, seconds)
        assert not self.browser.run("at('report').hidden"), told

    def target(self, name):
        """Chooses a target above the report."""
        self.browser.run(f"at('target').value = '{name}'; at('target').dispatchEvent(new Event('change'))")
        self.until(f"!at('target').disabled && shown.target === '{name}'")

    def tables(self):
        """Returns the tables of the shown report, without a download."""
        script = "session.report(shown.target, shown.profile, 'tables.zip').then(bytes => new Promise(done => {" \
            "const reader = new FileReader(); reader.onload = () => done(reader.result.split(',')[1]);" \
            "reader.readAsDataURL(new Blob([bytes])); }))"
        return tables_in(base64.b64decode(self.browser.run(script)))


def tables_in(packed):
    with zipfile.ZipFile(io.BytesIO(packed)) as packed:
        return {name: packed.read(name) for name in TABLES}


def told_by_command(program, paths, *options):
    """Returns the tables of the command about inputs of one folder, which it finds by the same names."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "audit", *(path.name for path in paths), "--out", folder, "--format", "csv",
                   "--threads", "1", *options]
        done = subprocess.run(command, cwd=paths[0].parent, capture_output=True, text=True)
        assert done.returncode in (0, 1, 3), (paths, done.stderr)
        return {name: (pathlib.Path(folder) / name).read_bytes() for name in TABLES}


def rows_of(tables, name):
    return list(csv.DictReader(io.StringIO(tables[name].decode())))


def equals_the_command(page, program, paths, element="file-input"):
    """Chooses files, and compares both tables row for row. Returns the numbers of rows."""
    page.audits(paths, element)
    ours, told = page.tables(), told_by_command(program, paths)
    counts = []
    for name in TABLES:
        rows, expected = rows_of(ours, name), rows_of(told, name)
        different = [{key: (row[key], its.get(key)) for key in row if row[key] != its.get(key)}
                     for row, its in zip(rows, expected) if row != its][:3]
        assert rows == expected, (paths, name, len(rows), len(expected), different)
        counts.append(len(rows))
    return counts


def works_from_the_disk(browser, program):
    """The page needs no server."""
    page = Page(browser, (DIST / "index.html").as_uri())
    equals_the_command(page, program, [SAMPLES / "regions" / "over-the-cap.oar"])


def connects_nowhere(page, server, before):
    """No request after load: at the server, in the browser, and by the policy in the page and its workers."""
    assert server.asked == before, server.asked[len(before):]
    foreign = [url for url in page.browser.requests() if not url.startswith(("blob:", "data:", server.address))]
    assert not foreign, foreign
    refused = "fetch(%s).then(() => 'sent', () => 'refused')" % json.dumps(server.address + "engine.js?again")
    assert page.browser.run(refused) == "refused"
    worker = f"{refused}.then(postMessage)"
    assert page.browser.run("new Promise(done => { const worker = new Worker(URL.createObjectURL(new Blob(["
                            f"{json.dumps(worker)}]))); worker.onmessage = event => done(event.data); }})") == "refused"
    assert server.asked == before, server.asked[len(before):]
