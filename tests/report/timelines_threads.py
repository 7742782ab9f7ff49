"""Folds and unfolds the threads of two ranks with two threads each, in Chromium: timelines_threads.py PAGE. Prints
"0|1 DESCRIPTION" for each check; 0 passes."""
import sys

from devtools import Browser

KEY = "document.querySelector('.tl-canvas').dispatchEvent(new KeyboardEvent('keydown', {key: %r, bubbles: true}))"
# The text over a place, in pixels from the left and the top of the canvas: the pointer is moved there.
TIP = """(() => {
  const canvas = document.querySelector('.tl-canvas'), box = canvas.getBoundingClientRect();
  canvas.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + %r, clientY: box.top + %r, bubbles: true}));
  return document.querySelector('.tl-tip').textContent;
})()"""
TEXT = "document.querySelector('%s').textContent"


def check(good, what):
    print(int(not good), what)


def names(page):
    """The rows, as their texts say, from the top."""
    found = []
    for y in range(0, 700, 3):
        name = page.value(TIP % (40, y)).split("\n")[0]
        if name.startswith("rank") and (not found or found[-1] != name):
            found.append(name)
    return found


with Browser(sys.argv[1], limit=60) as page:
    page.wait("document.querySelector('.tl-side table') !== null")
    all_rows = ["rank 0", "rank 0, thread 1", "rank 1", "rank 1, thread 1"]
    check(names(page)[:4] == all_rows, f"few threads are shown from the start: {names(page)[:4]}")
    page.value("new Promise(done => setTimeout(done, 300))")
    check("4 threads" in page.value(TEXT % ".tl-side p.tl-faint"), "... and count in the table: " + page.value(TEXT % ".tl-side p.tl-faint"))
    check("Wait for Threads" in page.value(TEXT % ".tl-side table"), "... which has their waits")
    page.value(KEY % "t")
    check(names(page)[:2] == ["rank 0", "rank 1"], f"T folds them: {names(page)[:4]}")
    page.value(KEY % "t")
    check(names(page)[:4] == all_rows, "... and unfolds them again")
    check(page.problems == [], f"no errors on the console {page.problems}")
