"""Uses the view of a region in 3-D of the HTML report, with WebGL and without.

python3 tests/browser/solid.py report/audit.html [--picture FILE]
"""

import sys

# Behind the standard library, because this folder has a file named html.py.
sys.path.append(sys.path.pop(0))

import argparse
import base64
import pathlib

from chromium import Browser

# WebGL without a graphics card.
DRAWS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
DRAWS_NOT = ["--disable-3d-apis"]

HELPERS = """
  window.later = milliseconds => new Promise(done => setTimeout(done, milliseconds));
  window.solid = () => solids.find(solid => solid.gl);
  window.painted = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())));
  window.drawn = () => painted().then(() => solid().canvas.toDataURL());
"""


def begin(browser, address):
    browser.open(address)
    browser.run(HELPERS)
    browser.run("document.getElementById('maps').scrollIntoView(); later(1000)")


def begins_near_the_maps(browser):
    assert browser.run("solids.length > 0 && solid() === solids[0]"), "the first view is open"
    name = browser.run("solid().canvas.ariaLabel")
    assert "Arrow keys turn it" in name, name
    colours = browser.run("""painted().then(() => createImageBitmap(solid().canvas)).then(bitmap => {
      const context = Object.assign(document.createElement('canvas'), { width: bitmap.width, height: bitmap.height }).getContext('2d');
      context.drawImage(bitmap, 0, 0);
      return new Set(new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer)).size;
    })""")
    assert colours > 5, f"{colours} colours are no picture"


def names_the_heaviest(browser):
    """Labels are links to the rows of the list, in its order."""
    labels = browser.run("[...solid().labels.children].map(label => [label.getAttribute('href'), label.textContent])")
    links = browser.run("[...solid().map.querySelectorAll('.heaviest a')].map(link => [link.getAttribute('href'), link.textContent])")
    assert labels and len(labels) <= 10, labels
    for number, (address, words) in enumerate(labels, 1):
        assert [address] == [links[number - 1][0]] and words.startswith(f"{number} {links[number - 1][1][:20]}"), (labels, links)


def turns_by_keys(browser):
    before = browser.run("drawn()")
    browser.run("solid().canvas.focus()")
    browser.press("ArrowLeft", 37)
    turned = browser.run("drawn()")
    assert turned != before, "the picture turns"
    browser.press("Home", 36)
    assert browser.run("drawn()") == before, "Home shows the first view"
    browser.press("+", 187, "+")
    assert browser.run("drawn()") != before, "it zooms"
    browser.press("Home", 36)


def leads_to_rows(browser):
    """A click on a box opens the row of its object."""
    # The first box in the middle of the view, and near.
    browser.run("(() => { const view = solid(), [east, north] = view.boxOf(0).place; view.view.zoom = 30;"
                "view.view.east = east - view.size[0] / 2; view.view.north = north - view.size[1] / 2; view.draw(); })();"
                "solid().canvas.scrollIntoView({ block: 'center' }); painted()")
    x, y, row = browser.run("""(() => {
      const view = solid(), { left, top, width, height } = view.canvas.getBoundingClientRect();
      for (let step = 0; step < 10000; step++) {
        const [x, y] = [(step % 100 + 0.5) / 100 * width, (Math.floor(step / 100) + 0.5) / 100 * height];
        const row = view.rowAt(x, y);
        const seen = document.elementFromPoint(left + x, top + y);
        if (row >= 0 && seen === view.canvas) return [left + x, top + y, row];
      }
      return [0, 0, -1];
    })()""")
    assert row >= 0, "a box is under some point"
    for kind in ["mousePressed", "mouseReleased"]:
        browser.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    browser.run("later(300)")
    assert browser.run("location.hash") == f"#objects/{row}"
    assert browser.run("document.querySelector('#objects tr.open a').getAttribute('href')") == f"#objects/{row}"


def colours_by_land_impact(browser):
    before = browser.run("drawn()")
    browser.run("(() => { const select = solid().panel.querySelector('select'); select.value = 'land impact';"
                "select.dispatchEvent(new Event('change')); })()")
    assert browser.run("drawn()") != before
    assert "up to 1" in browser.run("solid().legend.textContent")


def fits_a_phone(browser):
    """On 390 px nothing overflows to the side."""
    browser.send("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    browser.run("solid().panel.scrollIntoView(); later(300)")
    assert browser.run("document.documentElement.scrollWidth") == 390
    assert browser.run("solid().canvas.clientWidth") <= 390
    small = browser.run("[...solid().panel.querySelectorAll('a, p, label, span')].map(e => parseFloat(getComputedStyle(e).fontSize))")
    assert min(small) >= 13.99, small
    browser.send("Emulation.clearDeviceMetricsOverride")


def closes_and_is_not_printed(browser):
    browser.send("Emulation.setEmulatedMedia", media="print")
    assert browser.run("getComputedStyle(solid().panel).display") == "none"
    browser.send("Emulation.setEmulatedMedia", media="")
    browser.run("solids[0].button.click()")
    assert browser.run("solids[0].panel.hidden && solids[0].button.ariaExpanded === 'false' && solid() === undefined")
    # At most six are open.
    browser.run("solids.forEach(solid => solid.toggle()); painted()")
    assert browser.run("solids.filter(solid => solid.gl).length === Math.min(solids.length, 6)")


def is_silent(browser, address):
    """There was no error, and only the page was fetched. A driver of WebGL may warn that pixels are read, as by this test."""
    browser.run("1")
    told = ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"]
    complaints = [event["params"] for event in browser.events if event["method"] in told and "ReadPixels" not in str(event)]
    assert not complaints, complaints
    sent = [event["params"]["request"]["url"] for event in browser.events if event["method"] == "Network.requestWillBeSent"]
    assert [url.split("#")[0] for url in sent if not url.startswith("data:")] == [address], sent


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("page", type=pathlib.Path)
    arguments.add_argument("--picture", type=pathlib.Path)
    given = arguments.parse_args()
    address = given.page.resolve().as_uri()
    with Browser(*DRAWS) as browser:
        begin(browser, address)
        begins_near_the_maps(browser)
        if given.picture:
            browser.run("solid().panel.scrollIntoView(); later(500)")
            given.picture.write_bytes(base64.b64decode(browser.send("Page.captureScreenshot", format="png")["data"]))
        for step in [names_the_heaviest, turns_by_keys, colours_by_land_impact, leads_to_rows, fits_a_phone, closes_and_is_not_printed]:
            step(browser)
        is_silent(browser, address)
    with Browser(*DRAWS_NOT) as browser:
        begin(browser, address)
        assert browser.run("solids.length === 0 && document.querySelector('.solid, .solid-button') === null"), "the page is as before"
        assert browser.run("document.querySelectorAll('.map svg').length > 0")
        is_silent(browser, address)
    print("The view in 3-D does what it should.")


main()
