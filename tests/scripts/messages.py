#!/usr/bin/env python3
"""Tests messages over TLS: to HTTPS and SMTP servers of this script, with certificates of an authority of its own.

Usage: messages.py HULLMARK

The program needs the feature `notify`, and the script needs `openssl`.
"""

import base64
import json
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading

SECRET = "s3cr3t"
SENT, NOT_SENT = 0, 2
ENCRYPTION = "the connection could not be encrypted. Check the certificate of the server"

work = pathlib.Path(tempfile.mkdtemp(prefix="hullmark-messages-"))
hullmark = pathlib.Path(sys.argv[1]).resolve()


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], cwd=work, check=True, capture_output=True)


def authority(name):
    """Makes an authority: NAME.pem and NAME.key."""
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", 2,
            "-subj", f"/CN={name}", "-addext", "basicConstraints=critical,CA:TRUE")


def certificate(name, host, signed_by="ours", days=2):
    """Makes the certificate of a server: NAME.crt and NAME.key."""
    (work / "names").write_text(f"subjectAltName={host}\n")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", "request", "-subj", "/CN=server")
    openssl("x509", "-req", "-in", "request", "-CA", f"{signed_by}.pem", "-CAkey", f"{signed_by}.key", "-CAcreateserial",
            "-days", days, "-extfile", "names", "-out", f"{name}.crt")


class Server(threading.Thread):
    """A server for one channel. It takes connections until `end`, and lists what it got with and without encryption."""

    def __init__(self, name=None):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.encrypted, self.plain = [], []
        self.context = None
        if name:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(work / f"{name}.crt", work / f"{name}.key")
        self.start()

    def run(self):
        while True:
            try:
                stream, _ = self.listener.accept()
            except OSError:
                return
            try:
                stream.settimeout(10)
                self.serve(stream)
            except OSError:
                pass  # The client refused the certificate.
            finally:
                stream.close()

    def end(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.join()

    def encrypt(self, stream):
        return self.context.wrap_socket(stream, server_side=True)


class Https(Server):
    url = "https"

    def serve(self, stream):
        with self.encrypt(stream) as stream, stream.makefile("rb") as lines:
            begin, length = lines.readline().decode(), 0
            while (line := lines.readline().strip()):
                name, _, value = line.decode().partition(": ")
                self.encrypted.append(line.decode())
                length = int(value) if name.lower() == "content-length" else length
            self.encrypted += [begin, lines.read(length).decode()]
            stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


class Smtps(Server):
    """SMTP with encryption from the start."""

    url = "smtps"
    offers_tls = False

    def serve(self, stream):
        with self.encrypt(stream) as stream:
            self.talk(stream, self.encrypted)

    def talk(self, stream, got, is_new=True):
        if is_new:
            stream.sendall(b"220 here\r\n")
        in_data = False
        for line in iter(stream.makefile("rb", buffering=0).readline, b""):
            line = line.decode().rstrip("\r\n")
            got.append(line)
            verb = line.split(" ")[0].upper()
            if in_data and line != ".":
                continue
            in_data = verb == "DATA"
            if verb == "STARTTLS":
                stream.sendall(b"220 go on\r\n")
                with self.encrypt(stream) as encrypted:
                    return self.talk(encrypted, self.encrypted, is_new=False)
            offer = "250-STARTTLS\r\n" if self.offers_tls and got is self.plain else ""
            answers = {"EHLO": f"250-here\r\n{offer}250 AUTH PLAIN LOGIN", "AUTH": "235 welcome", "DATA": "354 go on",
                       "QUIT": "221 bye"}
            stream.sendall(f"{answers.get(verb, '250 fine')}\r\n".encode())


class StartTls(Smtps):
    """SMTP with encryption after the first lines."""

    url = "smtp"
    offers_tls = True

    def serve(self, stream):
        self.talk(stream, self.plain)


class NoTls(StartTls):
    """SMTP that cannot encrypt."""

    offers_tls = False


def settings(server, host, authorities):
    """Returns the settings of a channel to this server."""
    lines = ["[notify]", "timeout_seconds = 20"]
    if authorities:
        lines.append(f"certificates = {json.dumps(str(work / f'{authorities}.pem'))}")
    address = f"{server.url}://{host}:{server.port}"
    if isinstance(server, Https):
        lines += ["[notify.matrix]", f'server = "{address}"', 'room = "!ops:example.org"', f'token = "{SECRET}"']
    else:
        lines += ["[notify.email]", 'to = ["ops@example.org"]', 'from = "grid@example.org"', f'smtp = "{address}"',
                  'user = "ops"', f'password = "{SECRET}"']
    return "\n".join(lines) + "\n"


def notify(server, host="localhost", authorities="ours"):
    """Sends a test message. Returns the exit code and what was said."""
    (work / "mine.toml").write_text(settings(server, host, authorities))
    environment = {**os.environ, "NO_PROXY": "localhost,127.0.0.1"}
    done = subprocess.run([hullmark, "notify", "--config", "mine.toml"], cwd=work, capture_output=True, text=True,
                          env=environment, timeout=60)
    server.end()
    said = done.stdout + done.stderr
    assert SECRET not in said, said
    return done.returncode, said


def arrives(kind, host):
    """The message arrives, and nothing that matters is sent before the encryption."""
    server = kind("good")
    code, said = notify(server, host)
    assert code == SENT and "sent" in said, (kind, host, said)
    got = "\n".join(server.encrypted)
    if kind is Https:
        assert f"Bearer {SECRET}" in got and "hullmark: test message" in got, got
    else:
        account = base64.b64encode(f"\0ops\0{SECRET}".encode()).decode()
        assert account in got and "RCPT TO:<ops@example.org>" in got and "Subject: hullmark: test message" in got, got
    before = [line.split(" ")[0] for line in server.plain]
    assert before == (["EHLO", "STARTTLS"] if kind is StartTls else []), server.plain


def is_refused(kind, certificate, words=ENCRYPTION, **settings):
    """Nothing is sent, and the sentence says why."""
    server = kind(certificate)
    code, said = notify(server, **settings)
    assert code == NOT_SENT and words in said, (kind, certificate, code, said)
    sent = "\n".join(server.plain + server.encrypted)
    assert "AUTH" not in sent and "Bearer" not in sent and "MAIL" not in sent and "test message" not in sent, sent


def main():
    authority("ours")
    authority("theirs")
    certificate("good", "DNS:localhost,IP:127.0.0.1")
    certificate("other-host", "DNS:mail.example.org")
    certificate("foreign", "DNS:localhost", signed_by="theirs")
    certificate("expired", "DNS:localhost", days=-1)
    for kind in [Https, Smtps, StartTls]:
        arrives(kind, "localhost")
        arrives(kind, "127.0.0.1")
        is_refused(kind, "good", authorities=None)
        for name in ["other-host", "foreign", "expired"]:
            is_refused(kind, name)
    is_refused(NoTls, None, "the server lacks what the message needs: STARTTLS")
    print("Messages arrive over TLS, and are refused without a valid certificate.")


try:
    main()
finally:
    shutil.rmtree(work, ignore_errors=True)
