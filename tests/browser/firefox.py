"""Drives Firefox by WebDriver BiDi over a WebSocket. Only Python's standard library is needed."""

import base64
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import time

NAMES = ["firefox-esr", "firefox"]
SECONDS = 120  # until a browser counts as stuck
# Requests of the browser itself would not tell pages apart.
PREFERENCES = {
    "app.update.enabled": False, "browser.newtabpage.enabled": False, "browser.safebrowsing.downloads.enabled": False,
    "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "toolkit.telemetry.enabled": False, "browser.startup.page": 0,
}


class Socket:
    """The client of a WebSocket that carries texts."""

    def __init__(self, host, port, path):
        self.socket = socket.create_connection((host, port), SECONDS)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}:{port}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""]
        self.socket.sendall("\r\n".join(lines).encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.receive()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        assert b" 101 " in head, head

    def receive(self):
        read = self.socket.recv(1 << 20)
        assert read, "Firefox has ended"
        self.buffer += read

    def bytes(self, count):
        while len(self.buffer) < count:
            self.receive()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def frame(self, kind, content):
        size = len(content)
        length = bytes([0x80 | size]) if size < 126 else struct.pack(">BH", 0xFE, size) if size < 1 << 16 else \
            struct.pack(">BQ", 0xFF, size)
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(content))
        self.socket.sendall(bytes([0x80 | kind]) + length + mask + masked)

    def send(self, text):
        self.frame(1, text.encode())

    def text(self):
        """Returns the next text."""
        whole = b""
        while True:
            first, length = self.bytes(2)
            if length == 126:
                length, = struct.unpack(">H", self.bytes(2))
            elif length == 127:
                length, = struct.unpack(">Q", self.bytes(8))
            content, kind = self.bytes(length), first & 15
            assert kind != 8, "Firefox has closed the connection"
            if kind == 9:
                self.frame(10, content)
            elif kind < 3:
                whole += content
                if first & 0x80:
                    return whole.decode()


class Browser:
    def __enter__(self):
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            raise SystemExit("There is no Firefox: install it (apt-get install firefox-esr), and run again.")
        self.folder = tempfile.mkdtemp(prefix="hullmark-firefox-")
        with open(f"{self.folder}/user.js", "w") as settings:
            for name, value in PREFERENCES.items():
                settings.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        arguments = [program, "--headless", "--no-remote", "--profile", self.folder, "--remote-debugging-port", "0"]
        # A home of another user would be refused.
        environment = {**os.environ, "HOME": self.folder, "MOZ_HEADLESS": "1"}
        with open(f"{self.folder}/messages", "w") as messages:
            self.process = subprocess.Popen(arguments, env=environment, stdout=messages, stderr=messages)
        self.socket = Socket("127.0.0.1", self.port(), "/session")
        self.number, self.events = 0, []
        self.send("session.new", capabilities={})
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def port(self):
        end = time.monotonic() + SECONDS
        while True:
            with open(f"{self.folder}/messages") as messages:
                text = messages.read()
            if found := re.search(r"ws://127\.0\.0\.1:(\d+)", text):
                return int(found[1])
            assert time.monotonic() < end and self.process.poll() is None, text
            time.sleep(0.1)

    def send(self, method, **params):
        """Sends a command and returns its result. Events that arrive meanwhile are added to `events`."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.text())
            if message.get("id") == self.number:
                assert message["type"] == "success", message
                return message["result"]
            self.events.append(message)

    def open(self, address):
        """Opens a page, and records its messages and requests."""
        self.context = self.send("browsingContext.create", type="tab")["context"]
        self.send("session.subscribe", events=["network.beforeRequestSent", "log.entryAdded"])
        self.events.clear()
        self.send("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def evaluate(self, expression):
        result = self.send("script.evaluate", expression=expression, target={"context": self.context}, awaitPromise=True)
        assert result["type"] == "success", result
        return result["result"]

    def run(self, script):
        """Returns the awaited value of a script in the page: a text, a number, or whether."""
        return self.evaluate(script).get("value")

    def choose(self, element, paths):
        """Chooses files in an input element with this identifier."""
        shared = self.evaluate(f"document.getElementById({json.dumps(element)})")["sharedId"]
        self.send("input.setFiles", context=self.context, element={"sharedId": shared}, files=paths)

    def requests(self):
        """Returns the addresses of all requests of pages."""
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "network.beforeRequestSent"]

    def complaints(self):
        """Returns the errors and warnings of pages."""
        return [event["params"]["text"] for event in self.events
                if event.get("method") == "log.entryAdded" and event["params"]["level"] in ("error", "warn")]
