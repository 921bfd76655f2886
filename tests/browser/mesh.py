"""Uses the view of a mesh in the page of web/dist, and compares its numbers with those of `hullmark inspect`.

python3 tests/browser/mesh.py target/release/hullmark [../shared/data] [--pictures FOLDER]
"""

import sys

# Behind the standard library, because this folder has a file named html.py.
sys.path.append(sys.path.pop(0))

import argparse
import json
import pathlib
import shutil
import subprocess
import tempfile
import time
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal

from chromium import Browser
from audit_page import FILES, SAMPLES, Server
from web import DownloadingPage, is_silent, picture

# WebGL without a graphics card.
DRAWS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
DRAWS_NOT = ["--disable-3d-apis"]
CHAIR = SAMPLES / "meshes/chair.llmesh"
SCENE = SAMPLES / "meshes/scene-of-two.slm"
OVER = SAMPLES / "meshes/decomposition-of-257-hulls.llmesh"
POINTS = SAMPLES / "meshes/base-hull-of-257-points.llmesh"
TRIANGLES = SAMPLES / "meshes/sliver-in-physics-mesh.llmesh"
DAMAGED = SAMPLES / "meshes/damaged-block.llmesh"
# An archive is read again for the mesh that is chosen.
REGION = SAMPLES / "regions/over-the-cap.oar"
REAL = ["testslm.slm", "ElfEars.iar"]
# Models with their other files: all levels, generated levels, and a buffer.
MODELS = [["stool.glb", "stool_LOD2.glb", "stool_LOD1.glb", "stool_LOD0.glb", "stool_PHYS.glb"],
          ["ramp-without-texture-coordinates.dae"],
          ["shelf-of-nine-materials.gltf", "shelf-of-nine-materials.bin"]]
# It has a worker of its own.
LARGE = "franzinha-no-textures.oar"


class MeshPage(DownloadingPage):
    def mesh(self, path, number=0):
        """Audits a file and chooses one of its meshes."""
        self.audit([path])
        self.browser.run("meshSettled = () => session.mesh('meshFacts', shown.target, shown.profile, [1, 1, 1]);"
                         "at('subject').selectedIndex = %d; at('subject').dispatchEvent(new Event('change'))" % (number + 1))
        self.until("!at('target').disabled && !at('mesh').hidden")
        self.settle()

    def settle(self):
        """Waits for the numbers: the worker answers in order."""
        self.browser.run("meshSettled().then(meshSettled).then(() => new Promise(requestAnimationFrame))")

    def size(self, sides):
        for axis, side in zip("xyz", sides):
            self.browser.run(f"at('mesh-{axis}').value = {side}; at('mesh-{axis}').dispatchEvent(new Event('input'))")
        self.settle()

    def numbers(self):
        """Returns the words of each named number, in their order."""
        cells = "[...document.querySelectorAll('#mesh-tables [data-name]')].map(cell => [cell.dataset.name, cell.textContent])"
        found = defaultdict(list)
        for name, words in self.browser.run(cells):
            found[name].append(words)
        return dict(found)

    def findings(self):
        return self.browser.run("[...document.querySelectorAll('.findings li')].map(item => item.textContent)")

    def pixels(self):
        """Returns the picture as an address of its bytes, and its number of colours."""
        self.browser.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => 1)")
        return self.browser.run("at('mesh-canvas').toDataURL()")

    def colours(self, share=0):
        """The number of colours that cover more than this share of the picture. The background is one of them."""
        return self.browser.run("""(async () => {
          const bitmap = await createImageBitmap(at('mesh-canvas'));
          const context = Object.assign(document.createElement('canvas'), bitmap).getContext('2d');
          context.canvas.width = bitmap.width; context.canvas.height = bitmap.height;
          context.drawImage(bitmap, 0, 0);
          const pixels = new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer);
          const counts = new Map();
          pixels.forEach(pixel => counts.set(pixel, (counts.get(pixel) ?? 0) + 1));
          return [...counts.values()].filter(count => count > pixels.length * SHARE).length; })()""".replace("SHARE", str(share)))

    def click(self, selector):
        self.browser.run(f"document.querySelector('{selector}').click()")

    def saved(self):
        """Presses the button of the download, and returns its name and bytes."""
        for old in self.downloads.iterdir():
            old.unlink()
        self.browser.events = [event for event in self.browser.events if event["method"] != "Browser.downloadProgress"]
        self.click("#mesh-download")
        is_end = lambda event: event["method"] == "Browser.downloadProgress" and event["params"]["state"] == "completed"
        while not any(map(is_end, self.browser.events)):
            self.browser.events.append(self.browser.message())
        done, = self.downloads.iterdir()
        return done.name, done.read_bytes()


def inspected(program, path, name, target, sides, *options):
    """Returns the facts that the command prints."""
    scale = ",".join(map(str, sides))
    command = [program, "inspect", path.name, "--object", name, "--profile", target, "--scale", scale, "--json", *options]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True)
    assert done.returncode in (0, 1, 3), (path, done.stderr)
    mesh, = json.loads(done.stdout)["meshes"]
    return mesh


def formatted(facts, name):
    value = facts[name]
    if value is None:
        return "–"
    digits = 4 if 0 < value < 0.01 else 0 if name == "land_impact" and value == int(value) else 3
    number = Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return ("≥ " if facts[f"{name}_basis"].startswith("lower bound") else "") + f"{number:f}"


def expected(facts):
    """Returns the words that the page must show."""
    numbers = {}
    for name in ["land_impact", "physics_cost", "physics_cost_dynamic"]:
        numbers[name] = [formatted(part, name) for part in facts["parts_set_to"]]
    for name in ["streaming_cost", "server_weight"]:
        numbers[name] = [formatted(facts, name)] * 2
    for name in ["decomposition_cost", "base_hull_cost", "triangle_cost"]:
        numbers[name] = [formatted(facts, name)]
    for level in facts["levels_of_detail"]:
        numbers[level["name"]] = ["–" if level["triangles"] is None else f"{level['triangles']:,}"]
    numbers["hulls"] = ["–" if facts["hulls"] is None else f"{facts['hulls']:,} hulls"]
    return numbers


def equals_the_command(page, program, path, number=0):
    """The numbers at several sizes and for each target are those of the command, and so are the findings."""
    page.mesh(path, number)
    name = page.browser.run("at('mesh-name').textContent")
    compared = 0
    for target in ["second-life", "opensim-ubode"]:
        page.target(target)
        for sides in [(1, 1, 1), (0.25, 3, 40), (10, 10, 10)]:
            page.size(sides)
            facts = inspected(program, path, name, target, sides)
            shown = page.numbers()
            caps = shown.pop("physical_cap")
            assert shown == expected(facts), (path, target, sides, shown, expected(facts))
            verdicts = {"allowed": "yes", "exceeded": "no", "not_applicable": "no cap"}
            parts = facts["parts_set_to"]
            assert caps == [verdicts.get(part["physical_cap"], "unknown") for part in parts], (caps, parts)
            told = page.findings()
            assert len(told) == len(facts["findings"]), (told, facts["findings"])
            for words, finding in zip(told, facts["findings"]):
                assert finding["code"] in words and finding["message"] in words and finding["advice"] in words
            compared += sum(map(len, shown.values()))
    page.target("second-life")
    return compared


def turns(page):
    """Keys and the pointer turn the picture, and boxes choose its parts."""
    page.mesh(CHAIR)
    first = page.pixels()
    # Noise of derivatives makes more colours, on some processors. None covers so much.
    assert page.colours(0.001) > 6, ("the picture shows three sides, hulls and the background", page.colours(0.001))
    page.browser.run("at('mesh-canvas').focus()")
    seen = {first}
    for key, code, text in [("ArrowLeft", 37, ""), ("ArrowUp", 38, ""), ("+", 187, "+"), ("-", 189, "-"), ("-", 189, "-")]:
        page.browser.press(key, code, text)
        now = page.pixels()
        assert now not in seen or key == "-", f"{key} changes the picture"
        seen.add(now)
    assert len(seen) >= 5
    page.browser.press("Home", 36)
    assert page.pixels() == first, "Home shows the first view again"
    box = page.browser.run("(({ x, y, width, height }) => [x + width / 2, y + height / 2])(at('mesh-canvas').getBoundingClientRect())")
    mouse = lambda kind, dx=0, dy=0, **more: page.browser.send(
        "Input.dispatchMouseEvent", type=kind, x=box[0] + dx, y=box[1] + dy, **more)
    mouse("mousePressed", button="left", clickCount=1)
    mouse("mouseMoved", 60, 25, button="left", buttons=1)
    mouse("mouseReleased", 60, 25, button="left", clickCount=1)
    dragged = page.pixels()
    assert dragged != first, "dragging turns it"
    mouse("mouseWheel", deltaX=0, deltaY=-240)
    # A wheel's event comes with the next frame.
    page.until("at('mesh-canvas').toDataURL() !== %s" % json.dumps(dragged), 10)
    page.browser.press("Home", 36)
    shown = {page.pixels()}
    for part in ["[data-group=\"hulls\"]", "[data-group=\"base hull\"]", "#mesh-edges"]:
        page.click(part)
        shown.add(page.pixels())
    page.browser.run("at('mesh-level').value = ''; at('mesh-level').dispatchEvent(new Event('change'))")
    shown.add(page.pixels())
    assert len(shown) == 5, len(shown)
    page.size((1, 1, 3))
    assert page.pixels() not in shown, "the size changes the proportions"


def has_a_slider(page):
    """The slider is logarithmic, keeps the proportions and shows metres."""
    page.mesh(CHAIR)
    page.size((1, 2, 0.5))
    page.browser.run("at('mesh-size').value = 1; at('mesh-size').dispatchEvent(new Event('input'))")
    page.settle()
    assert page.browser.run("['x', 'y', 'z'].map(side => at('mesh-' + side).valueAsNumber)") == [5, 10, 2.5]
    page.browser.run("at('mesh-size').value = -2; at('mesh-size').dispatchEvent(new Event('input'))")
    page.browser.run("at('mesh-size').value = 0; at('mesh-size').dispatchEvent(new Event('input'))")
    page.settle()
    assert page.browser.run("['x', 'y', 'z'].map(side => at('mesh-' + side).valueAsNumber)") == [0.5, 1, 0.25]
    # A side that is no length changes nothing.
    before = page.numbers()
    page.browser.run("at('mesh-x').value = '-1'; at('mesh-x').dispatchEvent(new Event('input'))")
    page.settle()
    assert page.numbers() == before and page.browser.run("at('message').textContent") == ""


def gives_the_file(page, program, folder):
    """The button gives the file that the command writes."""
    for path, number, name in [(CHAIR, 0, CHAIR.name), (SCENE, 1, f"{SCENE.name}#1")]:
        page.mesh(path, number)
        page.size((2, 1, 0.5))
        saved_name, saved = page.saved()
        assert saved_name == f"{name}.glb", saved_name
        glb = folder / "command.glb"
        inspected(program, path, name, "second-life", (2, 1, 0.5), "--glb", str(glb))
        assert saved == glb.read_bytes(), name


def is_read_from_any_input(page, paths):
    """Other workers read large archives. The view reads a mesh of each input, and lists them in one order."""
    page.audit(paths)
    names = page.browser.run("[...at('subject').options].slice(1).map(option => option.title)")
    firsts = {names.index(name): name for name in
              [next(name for name in names if is_of(name)) for is_of in
               [lambda name: name.startswith(f"{SCENE.name}#"), lambda name: name == CHAIR.name,
                lambda name: name.startswith("assets/")]]}
    assert len(firsts) == 3, names
    for number, name in firsts.items():
        page.browser.run(f"at('subject').selectedIndex = {number + 1}; at('subject').dispatchEvent(new Event('change'))")
        page.until("!at('target').disabled && !at('mesh').hidden && at('mesh-name').textContent === %s" % json.dumps(name))
        page.settle()
        assert page.browser.run("!at('mesh-download').disabled"), name
        assert page.numbers()["land_impact"] != [], name
    return names


def shows_models(page, program):
    """A model is shown at once, at its own size. Its numbers are those of the command, and the origin of its levels is told."""
    origins = []
    for files in MODELS:
        paths = [SAMPLES / "models" / file for file in files]
        page.begin(paths)
        page.until("!at('target').disabled && !at('mesh').hidden && at('mesh-tables').childElementCount > 0")
        page.settle()
        name = page.browser.run("at('mesh-name').textContent")
        assert name.startswith(f"{files[0]}#"), name
        sides = page.browser.run("['x', 'y', 'z'].map(side => at('mesh-' + side).valueAsNumber)")
        page.target("second-life")
        page.settle()
        facts = inspected(program, paths[0], name, "second-life", sides)
        assert all(abs(own - side) < 1e-5 * side for own, side in zip(facts["model"]["size_m"], sides)), (sides, facts["model"])
        told = [finding["code"] for finding in facts["findings"]]
        assert [words.split()[1] for words in page.findings()] == told, (told, page.findings())
        assert bool(told) == (files != MODELS[0]), told
        shown = page.numbers()
        shown.pop("physical_cap")
        assert shown == expected(facts), (name, shown, expected(facts))
        text = page.browser.run("at('mesh-tables').innerText")
        assert "The upload may make other levels" in text, text
        origins += page.browser.run("[...document.querySelectorAll('[data-name$=_lod]')].map(cell => cell.nextSibling.textContent)")
        assert page.saved()[0] == f"{name}.glb"
        page.pixels()
        # A body of flat faces has few colours: those of the three sides that are seen.
        assert page.colours(0.001) > 3, ("the picture shows three sides", name, page.colours(0.001))
        page.target("none")
    assert set(origins) == {"file", "generated"} and origins[:4] == ["file"] * 4, origins
    # With another file beside it, the report comes first.
    page.audits([SAMPLES / "models/stool.glb", CHAIR])


def is_over_limits(page):
    """Hulls over a limit are told and red."""
    page.mesh(OVER)
    assert any("HUL002" in finding for finding in page.findings())
    assert page.browser.run("document.querySelectorAll('#mesh-tables .wrong').length") >= 2
    page.mesh(POINTS)
    assert any("HUL001" in finding for finding in page.findings()), page.findings()


def is_still_without_webgl(page):
    page.mesh(CHAIR)
    assert page.browser.run("at('mesh-canvas').hidden && !at('mesh-still').hidden")
    page.until("at('mesh-still').complete && at('mesh-still').naturalWidth > 100", 10)
    assert "no WebGL" in page.browser.run("at('mesh-no-picture').textContent")
    assert page.numbers()["land_impact"] != []
    page.browser.run("at('subject').value = ''; at('subject').dispatchEvent(new Event('change'))")
    page.until("at('mesh').hidden && !at('report').hidden")


def pictures(page, folder):
    if folder is None:
        return
    for path, name in [(SAMPLES / "models/glove-with-a-bone.glb", "mesh-model"), (CHAIR, "mesh"), (OVER, "mesh-over"), (TRIANGLES, "mesh-triangles")]:
        for width, height in [(1400, 900), (390, 844)]:
            page.begin([path]) if name == "mesh-model" else page.mesh(path)
            page.until("!at('target').disabled && !at('mesh').hidden && at('mesh-tables').childElementCount > 0")
            page.browser.run("at('mesh-edges').checked = false; at('mesh-edges').onchange()")
            picture(page, folder, name, width, height)
    page.browser.send("Emulation.clearDeviceMetricsOverride")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("real", type=pathlib.Path, nargs="?")
    arguments.add_argument("--pictures", type=pathlib.Path)
    given = arguments.parse_args()
    program = given.program.resolve()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hullmark-mesh-"))
    (folder / "downloads").mkdir()
    server = Server()
    try:
        with Browser(*DRAWS) as browser:
            page = MeshPage(browser, server.address, folder / "downloads")
            page.until("navigator.serviceWorker.ready.then(() => true)")
            time.sleep(1)
            before = list(server.asked)
            assert all(path.lstrip("/") in FILES for path in before), before
            compared = equals_the_command(page, program, SCENE, 1)
            real = [given.real.resolve() / name for name in REAL] if given.real else []
            for path in [CHAIR, OVER, POINTS, TRIANGLES, DAMAGED, REGION] + [path for path in real if path.exists()]:
                compared += equals_the_command(page, program, path)
            if given.real and (large := given.real.resolve() / LARGE).exists():
                page.browser.run("Object.defineProperty(navigator, 'hardwareConcurrency', { value: 1, configurable: true })")
                names = is_read_from_any_input(page, [SCENE, CHAIR, large])
                page.browser.run("Object.defineProperty(navigator, 'hardwareConcurrency', { value: 4 })")
                assert is_read_from_any_input(page, [SCENE, CHAIR, large]) == names
            shows_models(page, program)
            is_over_limits(page)
            has_a_slider(page)
            gives_the_file(page, program, folder)
            # WebGL without a graphics card is slow, and Chromium tells so.
            browser.events = [event for event in browser.events if "GPU stall" not in json.dumps(event)]
            is_silent(page)
            turns(page)
            pictures(page, given.pictures)
            assert server.asked == before, server.asked[len(before):]
        with Browser(*DRAWS_NOT) as browser:
            page = MeshPage(browser, server.address, folder / "downloads")
            is_still_without_webgl(page)
            if given.pictures:
                page.mesh(CHAIR)
                picture(page, given.pictures, "mesh-still", 1400, 900)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"The view of a mesh equals the command in {compared} numbers.")


if __name__ == "__main__":
    main()
