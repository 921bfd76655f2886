"""Uses the HTML report as a person does: sorts, filters, searches, follows links.

python3 tests/browser/html.py report/audit.html

The page is that of sample_data. Any error in the browser and any request except the page itself fail the test.
"""

import base64
import json
import pathlib
import re
import sys

from chromium import Browser

# Queries of the tests: visible cells, and the header row of a table.
HELPERS = """
  window.rows = name => [...document.querySelectorAll(`#${name} tr.row`)];
  window.cells = (name, column) => [...document.querySelectorAll(`#${name} .col-${column}`)].map(cell => cell.textContent);
  window.head = (name, column) => document.querySelector(`#${name} th[data-column=${column}]`);
  window.counted = name => document.querySelector(`#${name} [role=status]`).textContent;
  window.field = name => document.querySelector(`#${name} input[type=search]`);
  window.later = milliseconds => new Promise(done => setTimeout(done, milliseconds));
"""


def number(text):
    return float(text.replace(",", ""))


def sorts(browser):
    button = "head('objects', 'land_impact').firstChild"
    browser.run(f"{button}.focus()")
    browser.press("Enter", 13, "\r")
    assert browser.run("head('objects', 'land_impact').ariaSort") == "descending"
    falling = [number(cell) for cell in browser.run("cells('objects', 'land_impact')")]
    assert len(set(falling)) > 1 and falling == sorted(falling, reverse=True), falling
    browser.press("Enter", 13, "\r")
    assert browser.run("head('objects', 'land_impact').ariaSort") == "ascending"
    rising = [number(cell) for cell in browser.run("cells('objects', 'land_impact')") if cell]
    assert rising == sorted(rising) and rising[0] < falling[0], rising
    assert browser.run("document.activeElement.textContent") == "land impact", "the focus stays"


def sorts_the_overview(browser):
    heads = "Array.from(document.querySelectorAll('.overview thead th'))"
    errors = browser.run(f"{heads}.findIndex(head => head.textContent === 'errors')")
    column = f"Array.from(document.querySelectorAll('.overview tbody tr'), row => row.cells[{errors}].textContent)"
    before = browser.run(column)
    for direction in ["descending", "ascending"]:
        browser.run(f"{heads}[{errors}].firstChild.click()")
        assert browser.run(f"{heads}[{errors}].ariaSort") == direction
        values = [number(cell or "0") for cell in browser.run(column)]
        assert values == sorted(values, reverse=direction == "descending"), values
    assert len(set(values)) > 1 and sorted(before) == sorted(browser.run(column)), "rows are only moved"


def filters_and_searches(browser):
    everything = browser.run("counted('findings')").split(" of ")[1]
    browser.run("""(() => {
      const select = document.querySelector('#findings select');
      select.value = 'error';
      select.dispatchEvent(new Event('change'));
    })()""")
    found = browser.run("cells('findings', 'severity')")
    assert found and set(found) == {"error"}, found
    assert "filtered from" in browser.run("counted('findings')")
    message = browser.run("cells('findings', 'message')[3]")
    browser.run(f"field('findings').value = {json.dumps(message)}; field('findings').dispatchEvent(new Event('input'));"
                "later(400)")
    found = browser.run("cells('findings', 'message')")
    assert found and all(set(message.split()) <= set(words.split()) for words in found), found
    browser.run("field('findings').value = 'nothing is called this'; field('findings').dispatchEvent(new Event('input'));"
                "later(400)")
    assert browser.run("rows('findings').length") == 0
    assert browser.run("counted('findings')").startswith("0 rows")
    browser.run("[...document.querySelectorAll('#findings button')].find(b => b.textContent === 'Clear').click()")
    assert browser.run("counted('findings')").split(" of ")[1] == everything


def turns_pages(browser):
    browser.run("document.querySelector('#findings [aria-label=\"Next page\"]').click()")
    assert browser.run("counted('findings')").startswith("26 to 50 of")
    browser.run("document.querySelector('#findings [aria-label=\"Last page\"]').click()")
    assert browser.run("document.querySelector('#findings [aria-label=\"Last page\"]').disabled")


def follows_links(browser):
    browser.run("location.hash = '#findings?code=LNK001'; later(200)")
    assert set(browser.run("cells('findings', 'code')")) == {"LNK001"}
    name = browser.run("cells('findings', 'object_name')[0]")
    # From a finding to its object, and from there to the other findings about it.
    browser.run("document.querySelector('#findings .col-object_name a').click(); later(200)")
    assert browser.run("location.hash").startswith("#objects/")
    assert browser.run("document.querySelector('#objects tr.open .col-name').textContent") == name
    assert browser.run("document.activeElement.closest('tr').className") == "row open", "the focus follows"
    assert "LNK001" in browser.run("document.querySelector('#objects tr.more ul').textContent")
    browser.run("document.querySelector('#objects tr.open .col-findings a').click(); later(200)")
    assert "LNK001" in browser.run("cells('findings', 'code')")
    # From a code to the page of its rule.
    browser.run("document.querySelector('#findings .col-code a').click(); later(200)")
    assert browser.run("document.getElementById(location.hash.slice(1)).open")
    # From a map to an object.
    link = browser.run("document.querySelector('#maps a[href^=\"#objects/\"]').getAttribute('href')")
    browser.run(f"location.hash = {json.dumps(link)}; later(200)")
    assert browser.run("document.querySelector('#objects tr.open a').getAttribute('href')") == link


def maps_show_the_ground(browser):
    """A sample has terrain and two parcels. The list of heaviest objects leads to their rows, by keyboard."""
    has = "map.textContent.includes('water at 20 m') && map.querySelector('path.deep') && map.querySelector('path.border')"
    ground = f"[...document.querySelectorAll('.map')].find(map => {has})"
    assert browser.run(f"{ground}.querySelector('path.deep').getBBox().width") == 256
    assert browser.run(f"{ground}.querySelector('path.border').getBoundingClientRect().height > 100")
    assert browser.run(f"{ground}.querySelectorAll('svg text').length") == browser.run(f"{ground}.querySelectorAll('li').length")
    name = browser.run(f"{ground}.querySelector('li a').textContent")
    browser.run(f"{ground}.querySelector('li a').focus()")
    browser.press("Enter", 13, "\r")
    browser.run("later(200)")
    assert browser.run("document.querySelector('#objects tr.open .col-name').textContent") == name


def pictures_lead_to_rows(browser):
    """A sample has a thin triangle, and a picture of it leads to the mesh."""
    fence = "[...document.querySelectorAll('.mesh')].find(mesh => mesh.textContent.includes('1 thin'))"
    assert browser.run(f"getComputedStyle({fence}.querySelector('.thin')).stroke") != browser.run(
        f"getComputedStyle({fence}.querySelector('.wire')).stroke")
    assert browser.run(f"{fence}.querySelector('.thin').getBoundingClientRect().width > 50")
    link = browser.run(f"{fence}.querySelector('a[href^=\"#meshes/\"]').getAttribute('href')")
    browser.run(f"location.hash = {json.dumps(link)}; later(200)")
    assert browser.run("document.querySelector('#meshes tr.open a').getAttribute('href')") == link


def objects_are_apart(browser):
    """Objects of regions come first, and the others are one click away."""
    browser.run("tables.get('objects').show({})")
    groups = "[...document.querySelectorAll('#objects .groups button')]"
    roles = "[...new Set(tables.get('objects').rows.map(row => tables.get('objects').value('role', row)))]"
    titles = browser.run(f"{groups}.map(button => button.textContent)")
    assert titles[0].startswith("Rezzed in regions (") and titles[-1].startswith("All ("), titles
    counts = [number(re.search(r"\((.*)\)", title)[1]) for title in titles]
    assert sum(counts[:-1]) == counts[-1], titles
    for index, title in enumerate(titles):
        browser.run(f"{groups}[{index}].focus()")
        browser.press("Enter", 13, "\r")
        assert browser.run(f"{groups}.map(button => button.ariaPressed === 'true')") == [title == other for other in titles]
        assert browser.run("tables.get('objects').rows.length") == counts[index], title
        found = browser.run(roles)
        assert (found == ["rezzed"]) == (index == 0), (title, found)


def opens_rows_by_keyboard(browser):
    browser.run("tables.get('findings').show({}); document.querySelector('#findings tr.row a').focus()")
    browser.press("Enter", 13, "\r")
    browser.run("later(200)")
    assert browser.run("document.querySelectorAll('#findings tr.more').length") == 1
    outline = browser.run("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", outline
    browser.press("Enter", 13, "\r")
    assert browser.run("document.querySelectorAll('#findings tr.more').length") == 0


def text_is_large_enough(browser):
    """No text is smaller than 14 px. Numbers on maps are in the units of the map."""
    small = browser.run("""(() => {
      const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
      const small = new Set();
      while (texts.nextNode()) {
        const element = texts.currentNode.parentElement;
        if (!texts.currentNode.data.trim() || element.closest('script, option, title') || !element.checkVisibility()) continue;
        const map = element.closest('.map svg');
        const scale = map ? map.clientWidth / map.viewBox.baseVal.width : 1;
        const size = scale * parseFloat(getComputedStyle(element).fontSize);
        if (size < 13.99) small.add(`${element.tagName}.${element.className} ${size}`);
      }
      return [...small];
    })()""")
    assert small == [], small


def fits_a_phone(browser, address):
    """On 390 px nothing overflows to the side, and tables are cards."""
    browser.send("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    browser.events.clear()
    browser.send("Page.navigate", url=address + "?phone")
    browser.wait_for("Page.loadEventFired")
    browser.run(HELPERS)
    assert browser.run("document.documentElement.scrollWidth") == 390
    wide = browser.run("""[...document.querySelectorAll('main *')].filter(e => e.checkVisibility() && !e.closest('svg') &&
      (e.getBoundingClientRect().right > 390 || e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible'))
      .map(e => `${e.tagName}.${e.className}`)""")
    assert wide == [], wide
    message = browser.run("(({left, right}) => [left, right])(document.querySelector('td.col-message').getBoundingClientRect())")
    assert 0 <= message[0] and message[1] - message[0] > 300, message
    text_is_large_enough(browser)
    browser.run("document.querySelector('#objects tr.row a').click(); later(200)")
    assert browser.run("document.documentElement.scrollWidth") == 390, "with open details"


def prints_on_three_pages(browser):
    pdf = base64.b64decode(browser.send("Page.printToPDF", preferCSSPageSize=True)["data"])
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    assert 0 < pages <= 3, pages


def is_readable(browser):
    """Checks names and roles, as assistive technology gets them."""
    for table in browser.run("[...document.querySelectorAll('table')].map(t => [t.caption.textContent, "
                             "[...t.tHead.querySelectorAll('th')].every(th => th.scope === 'col')])"):
        assert table[0] and table[1], table
    unnamed = browser.run("[...document.querySelectorAll('input, select, button, svg')].filter(e => "
                          "!e.ariaLabel && !e.ariaHidden && !e.textContent.trim() && !e.closest('label')).length")
    assert unnamed == 0
    browser.run("document.body.tabIndex = -1; document.body.focus(); scrollTo(0, 0)")
    browser.press("Tab", 9)
    assert browser.run("document.activeElement.className") == "skip", "the first stop skips to the findings"


def is_silent(browser, address):
    """There was no error, and only the page was fetched."""
    browser.run("1")
    told = ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"]
    complaints = [event["params"] for event in browser.events if event["method"] in told]
    assert not complaints, complaints
    sent = [event["params"]["request"]["url"] for event in browser.events
            if event["method"] == "Network.requestWillBeSent"]
    assert [url.split("#")[0] for url in sent] == [address], sent


def refuses_others(browser):
    """The page refuses foreign scripts and requests."""
    for attempt in [
        "const own = document.createElement('script'); own.append('window.ran = 1'); document.body.append(own)",
        "document.body.setAttribute('onclick', 'window.ran = 1'); document.body.click()",
        "const link = document.createElement('a'); link.href = 'javascript:window.ran = 1'; link.click()",
        "document.body.insertAdjacentHTML('beforeend', '<p id=made>words</p>')",
    ]:
        # Some are refused silently, others with an exception.
        browser.run("try { %s } catch { }" % attempt)
        assert browser.run("window.ran ?? document.getElementById('made')") is None, attempt
    assert browser.run("fetch('https://example.invalid/').then(() => 'sent', () => 'refused')") == "refused"
    refused = [event for event in browser.events if event["method"] == "Log.entryAdded"]
    assert any("connect-src" in event["params"]["entry"]["text"] or "default-src" in event["params"]["entry"]["text"]
               for event in refused), refused


def main():
    address = pathlib.Path(sys.argv[1]).resolve().as_uri()
    with Browser() as browser:
        browser.open(address)
        browser.run(HELPERS)
        for step in [turns_pages, sorts, sorts_the_overview, filters_and_searches, follows_links, maps_show_the_ground, pictures_lead_to_rows,
                     objects_are_apart, opens_rows_by_keyboard, text_is_large_enough, prints_on_three_pages, is_readable]:
            step(browser)
        is_silent(browser, address)
        fits_a_phone(browser, address)
        refuses_others(browser)
    print("The page of the HTML report does what it should.")


main()
