"""Zooms, searches and clicks in the time lines of a report in Chromium: timelines_page.py PAGE RUNS. Prints
"0|1 DESCRIPTION" for each check; 0 passes."""
import sys

from devtools import Browser

KEY = "document.querySelector('.tl-canvas').dispatchEvent(new KeyboardEvent('keydown', {key: %r, bubbles: true}))"
TEXT = "document.querySelector('%s').textContent"


def check(good, what):
    print(int(not good), what)


def later(browser):
    browser.value("new Promise(done => setTimeout(done, 300))")


def search(browser, text):
    browser.value(f"(() => {{ const box = document.querySelector('.tl-toolbar input'); box.value = {text!r};"
                  "box.dispatchEvent(new Event('input')); box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'})); })()")
    later(browser)
    return browser.value(TEXT % ".tl-toolbar [role=status]")


with Browser(sys.argv[1], limit=60) as page:
    page.wait("document.querySelector('.tl-side table') !== null")
    heads = page.value("[...document.querySelectorAll('.tl-side thead th')].map(th => th.textContent)")
    check(heads[1:] == (["before", "after", "change"] if sys.argv[2] == "2" else ["time", "share"]), f"columns of the window: {heads}")
    check("Late Sender" in page.value(TEXT % ".tl-side table"), "kinds of waits are in the table")
    whole = page.value(TEXT % ".tl-side p.tl-faint")
    for _ in range(5):
        page.value(KEY % "w")
    later(page)
    check(page.value(TEXT % ".tl-side p.tl-faint") != whole, "zooming changes the window")
    page.value(KEY % "0")
    later(page)
    check(page.value(TEXT % ".tl-side p.tl-faint") == whole, "... and 0 shows everything again")
    check(search(page, "MPI_").startswith("1 of "), "search goes to the first place")
    check("MPI_" in page.value(TEXT % ".tl-selected"), "... and selects it")
    check(search(page, "no such function") == "nothing found", "a missing name is not found")
    page.value(KEY % "?")
    check(not page.value("document.querySelector('.tl-help').hidden"), "? opens the help")
    page.value(KEY % "Escape")
    check(page.value("document.querySelector('.tl-help').hidden"), "... and Escape closes it")
    check(page.problems == [], f"no errors on the console {page.problems}")
