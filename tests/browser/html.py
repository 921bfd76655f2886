"""Uses the HTML report as a person does: sorts, filters, searches, follows links.

python3 tests/browser/html.py report/audit.html

The page is that of sample_data. Any error in the browser and any request except the page itself fail the test.
"""

import json
import pathlib
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


def is_readable(browser):
    """Checks names and roles, as assistive technology gets them."""
    for table in browser.run("[...document.querySelectorAll('table')].map(t => [t.caption.textContent, "
                             "[...t.tHead.querySelectorAll('th')].every(th => th.scope === 'col')])"):
        assert table[0] and table[1], table
    unnamed = browser.run("[...document.querySelectorAll('input, select, button, svg')].filter(e => "
                          "!e.ariaLabel && !e.textContent.trim() && !e.closest('label')).length")
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
        for step in [turns_pages, sorts, filters_and_searches, follows_links, is_readable]:
            step(browser)
        is_silent(browser, address)
        refuses_others(browser)
    print("The page of the HTML report does what it should.")


main()
