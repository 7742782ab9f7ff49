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


def drag(browser, x, y, to, shift):
    for kind, at in ("mousePressed", x), ("mouseMoved", (x + to) / 2), ("mouseMoved", to), ("mouseReleased", to):
        browser.call("Input.dispatchMouseEvent", type=kind, x=at, y=y, button="left", buttons=1, modifiers=8 * shift, clickCount=1)
    later(browser)


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
    page.value("document.querySelector('.tl-canvas').scrollIntoView({block: 'center'})")
    left, top, width, height = page.value("(() => { const box = document.querySelector('.tl-canvas').getBoundingClientRect(); return [box.left, box.top, box.width, box.height]; })()")
    drag(page, left + width / 2, top + height - 12, left + width / 2 + 60, True)
    marked = page.value(TEXT % ".tl-side p.tl-faint")
    check(marked != whole, f"Shift and drag zooms to these times: {marked}")
    page.click_at(left + width - 40, top + 8)
    later(page)
    moved = page.value(TEXT % ".tl-side p.tl-faint")
    check(moved.split(" from ")[0] == marked.split(" from ")[0] and moved != marked, "a click in the whole run at the top moves there")
    page.value(KEY % "0")
    page.value(KEY % "r")
    check(page.value("[...document.querySelectorAll('.tl-switches label')].find(one => one.textContent.includes('selected rank')).firstChild.checked"), "R chooses the messages of one rank")
    page.value(KEY % "r")
    check(search(page, "MPI_").startswith("1 of "), "search goes to the first place")
    check("MPI_" in page.value(TEXT % ".tl-selected"), "... and selects it")
    check(search(page, "no such function") == "nothing found", "a missing name is not found")
    page.value(KEY % "?")
    check(not page.value("document.querySelector('.tl-help').hidden"), "? opens the help")
    page.value(KEY % "Escape")
    check(page.value("document.querySelector('.tl-help').hidden"), "... and Escape closes it")
    page.resize(800, 500)
    later(page)
    check(page.value("(() => { const plot = document.querySelector('.tl-plot'), least = parseFloat(plot.style.minHeight); return least > 150 && plot.clientHeight >= least; })()"),
          "in a low window, all rows have room")
    page.call("Emulation.setEmulatedMedia", media="print")
    check(page.value("(() => { const one = document.querySelector('.tl-canvas'); return Math.abs(one.clientHeight / one.clientWidth * one.width / one.height - 1) < 0.05; })()"),
          "on paper, the picture has the form of that on the screen")
    page.call("Emulation.setEmulatedMedia", media="")
    check(page.problems == [], f"no errors on the console {page.problems}")
