"""Packs the page: the files of web/page, with the library and its worker as one script, into web/dist."""

import base64
import gzip
import hashlib
import json
import pathlib
import shutil

HERE = pathlib.Path(__file__).parent
PAGE, DIST, BINDINGS = HERE / "page", HERE / "dist", HERE / "target/bindings"
REPORT = HERE.parent / "src/report/html"
MOST = 3_000_000  # compressed bytes of all files


def policy():
    """The frame with the report inherits this policy, so the policy also names the report's own style and script."""
    def digest(name):
        return "'sha256-" + base64.b64encode(hashlib.sha256((REPORT / name).read_bytes()).digest()).decode() + "'"

    return "; ".join([
        "default-src 'none'",
        f"script-src 'self' 'wasm-unsafe-eval' {digest('page.js')}",
        f"style-src 'self' {digest('page.css')}",
        "worker-src 'self' blob:",
        # A link to a place of Second Life is then left to the sandbox, which ignores it. A refused frame would be empty.
        "frame-src blob: secondlife:",
        "img-src data:",
        "connect-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    ])


def engine():
    """The script with the library. As text it is loaded like any script, so the page needs no right to connect."""
    wasm = gzip.compress((BINDINGS / "hullmark_web_bg.wasm").read_bytes(), 9, mtime=0)
    worker = (BINDINGS / "hullmark_web.js").read_text() + (PAGE / "worker.js").read_text()
    content = {"wasm": base64.b64encode(wasm).decode(), "worker": worker}
    return f'"use strict";\nconst ENGINE = {json.dumps(content)};\n'


def main():
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    texts = {file.name: file.read_text() for file in PAGE.iterdir() if file.name != "worker.js"}
    texts["engine.js"] = engine()
    texts["index.html"] = texts["index.html"].replace("@POLICY@", policy())
    version = hashlib.sha256("".join(texts[name] for name in sorted(texts)).encode()).hexdigest()[:16]
    texts["offline.js"] = texts["offline.js"].replace("@VERSION@", version)
    all_packed = 0
    for name, text in sorted(texts.items()):
        (DIST / name).write_text(text)
        packed = len(gzip.compress(text.encode(), 9))
        all_packed += packed
        print(f"{name:12} {len(text.encode()):>10,} bytes, {packed:>10,} with gzip")
    print(f"{'all':12} {'':>16}  {all_packed:>10,} with gzip")
    assert all_packed < MOST, f"the page has more than {MOST:,} compressed bytes"


main()
