"""Drives Chromium by its DevTools protocol over a pipe. Only Python's standard library is needed."""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome"]
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
]
SECONDS = 120  # until a browser counts as stuck


class Browser:
    def __init__(self, *flags):
        self.flags = flags

    def __enter__(self):
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            raise SystemExit("There is no Chromium: install it (apt-get install chromium), and run again.")
        self.folder = tempfile.mkdtemp(prefix="hullmark-browser-")
        # Chromium reads commands from descriptor 3 and writes answers to 4.
        its_in, self.out = os.pipe()
        self.inn, its_out = os.pipe()
        wanted = [os.dup2(its_in, 100), os.dup2(its_out, 101)]
        redirect = f'exec "$0" "$@" 3<&{wanted[0]} 4>&{wanted[1]}'
        arguments = ["bash", "-c", redirect, program, *FLAGS, *self.flags, f"--user-data-dir={self.folder}", "about:blank"]
        self.process = subprocess.Popen(arguments, pass_fds=wanted, stderr=subprocess.DEVNULL)
        for descriptor in [its_in, its_out, *wanted]:
            os.close(descriptor)
        self.number, self.events, self.buffer, self.session = 0, [], b"", None
        return self

    def __exit__(self, *_):
        try:
            self.send("Browser.close", session=None)
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired, AssertionError):
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        end = time.monotonic() + SECONDS
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.inn], [], [], max(0, end - time.monotonic()))
            assert ready, "Chromium does not answer"
            read = os.read(self.inn, 1 << 20)
            assert read, "Chromium has ended"
            self.buffer += read
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, session=True, **params):
        """Sends a command and returns its result. Events that arrive meanwhile are added to `events`."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if session and self.session:
            command["sessionId"] = self.session
        os.write(self.out, json.dumps(command).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                assert "error" not in message, message
                return message["result"]
            self.events.append(message)

    def wait_for(self, method):
        while not any(event["method"] == method for event in self.events):
            self.events.append(self.message())

    def open(self, address):
        """Opens a page, and records its messages and requests."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.send(f"{domain}.enable")
        self.events.clear()
        self.send("Page.navigate", url=address)
        self.wait_for("Page.loadEventFired")

    def run(self, script):
        """Returns the awaited value of an expression in the page."""
        result = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def press(self, key, code, text=""):
        """Presses a key as a person does."""
        keys = {"key": key, "windowsVirtualKeyCode": code, "text": text}
        self.send("Input.dispatchKeyEvent", type="keyDown", **keys)
        self.send("Input.dispatchKeyEvent", type="keyUp", **keys)

    def choose(self, element, paths):
        """Chooses files in an input element with this identifier."""
        found = self.send("Runtime.evaluate", expression=f"document.getElementById({json.dumps(element)})")
        self.send("DOM.setFileInputFiles", files=paths, objectId=found["result"]["objectId"])

    def drop(self, paths, x=300, y=300):
        """Drags files from the desktop into the page, and drops them."""
        data = {"items": [], "files": paths, "dragOperationsMask": 1}
        for kind in ["dragEnter", "dragOver", "drop"]:
            self.send("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)

    def requests(self):
        """Returns the addresses of all requests of the page."""
        return [event["params"]["request"]["url"] for event in self.events
                if event["method"] == "Network.requestWillBeSent"]

    def complaints(self):
        """Returns the messages and errors of the page."""
        told = ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"]
        return [json.dumps(event["params"]) for event in self.events if event["method"] in told]
