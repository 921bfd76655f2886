"""Packs the page: the files of web/page, with the library and its worker as one script, into web/dist."""

import base64
import gzip
import hashlib
import json
import pathlib
import shutil

try:
    import brotli
except ImportError:
    brotli = None

HERE = pathlib.Path(__file__).parent
PAGE, DIST, BINDINGS = HERE / "page", HERE / "dist", HERE / "target/bindings"
REPORT = HERE.parent / "src/pages/html"
MOST = 3_000_000  # compressed bytes of all files


def policy():
    """The frame with the report inherits this policy, so the policy also names the report's own style and script."""
    def digest(*names):
        content = b"".join((REPORT / name).read_bytes() for name in names)
        return "'sha256-" + base64.b64encode(hashlib.sha256(content).digest()).decode() + "'"

    return "; ".join([
        "default-src 'none'",
        f"script-src 'self' 'wasm-unsafe-eval' {digest('page.js', 'solid.js')}",
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


def brotli_size(content):
    """Returns the size with brotli; 0 if Python has no package for it."""
    return len(brotli.compress(content)) if brotli else 0


def main():
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    texts = {file.name: file.read_text() for file in PAGE.iterdir() if file.name != "worker.js"}
    texts["engine.js"] = engine()
    texts["index.html"] = texts["index.html"].replace("@POLICY@", policy())
    version = hashlib.sha256("".join(texts[name] for name in sorted(texts)).encode()).hexdigest()[:16]
    texts["offline.js"] = texts["offline.js"].replace("@VERSION@", version)
    sizes = {"all": [0, 0, 0]}
    for name, text in sorted(texts.items()):
        (DIST / name).write_text(text)
        sizes[name] = [len(text.encode()), len(gzip.compress(text.encode(), 9)), brotli_size(text.encode())]
        sizes["all"] = [sum(pair) for pair in zip(sizes["all"], sizes[name])]
    for name, (plain, packed, with_brotli) in sorted(sizes.items(), key=lambda size: (size[0] == "all", size)):
        print(f"{name:12} {plain:>10,} bytes, {packed:>10,} with gzip"
              + (f", {with_brotli:>10,} with brotli" if brotli else ""))
    assert sizes["all"][1] < MOST, f"the page has more than {MOST:,} bytes with gzip"


main()
