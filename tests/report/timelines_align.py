"""Aligns two runs with a real mouse and keyboard in Chromium: timelines_align.py PAGE. Both runs have eight iterations
that begin with "work" on rank 0; in the second it takes 500 us less. What lies where is read from what the mouse
shows there, so a wrong picture fails as well as a wrong shift. Prints "0|1 DESCRIPTION" for each check; 0 passes."""
import re
import sys

from devtools import Browser

CALL, SAVED = 5, 0.5  # the call of "work" that is looked at, from 0; ms that each of them saves


def check(good, what):
    print(int(not good), what)


def mouse(page, kind, x, y, **more):
    page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)


def tip(page, x, y):
    mouse(page, "mouseMoved", x, y)
    return page.value("(() => { const tip = document.querySelector('.tl-tip'); return tip.hidden ? '' : tip.textContent; })()")


def begin(text):
    """Of the call that a tip names, in ms; None: it is not "work"."""
    found = re.search(r"main/work\nfrom ([\d.]+)\s*(ms|s|\u00b5s)", text)
    return float(found[1]) * {"s": 1e3, "ms": 1, "\u00b5s": 1e-3}[found[2]] if found else None


def lanes(page, box):
    """y of the first row of each run, and of its iterations."""
    x, rows, bands, last = box["left"] + 500, [], [], ""
    for y in range(int(box["top"]) + 2, int(box["bottom"]), 5):
        text = tip(page, x, y)
        what = "row" if text.startswith("rank 0,") else "band" if text.startswith("iteration ") else ""
        if what == "row" and last != "row":
            rows.append(y + 4)
        if what == "band" and last != "band" and len(bands) == len(rows):
            bands.append(y + 4)
        last = what
    return rows, bands


def left_edge(page, box, y, fits):
    """The first x at which the tip fits; None: nowhere. Steps are 6 pixels, then 1."""
    for x in range(int(box["left"]) + 80, int(box["right"]) - 12, 6):
        if fits(tip(page, x, y)):
            while fits(tip(page, x - 1, y)):
                x -= 1
            return x
    return None


def near(a, b, most=2):
    return a is not None and b is not None and abs(a - b) <= most


with Browser(sys.argv[1], limit=110) as page:
    page.wait("document.querySelector('.tl-side table') !== null")
    page.value("document.querySelector('.tl-root').scrollIntoView()")
    page.settle()
    box = page.value("(() => { const {left, right, top, bottom} = document.querySelector('.tl-canvas').getBoundingClientRect();"
                     "return {left, right, top, bottom}; })()")
    rows, bands = lanes(page, box)
    check(len(rows) == 2 and len(bands) == 2, f"both runs have rows and iterations: {rows} {bands}")
    times = []
    for run in 0, 1:
        seen = {begin(tip(page, x, rows[run])) for x in range(int(box["left"]) + 80, int(box["right"]) - 12, 12)}
        times.append(sorted(seen - {None}))
    check([len(each) for each in times] == [8, 8], f"eight calls of work each: {times}")
    wanted = [each[CALL] for each in times]
    check(near(wanted[0] - wanted[1], CALL * SAVED, 0.01), f"call {CALL} begins {CALL * SAVED} ms earlier: {wanted}")
    edges = lambda: [left_edge(page, box, rows[run], lambda text: begin(text) == wanted[run]) for run in (0, 1)]
    scale = (left_edge(page, box, rows[0], lambda text: begin(text) == times[0][CALL]) -
             left_edge(page, box, rows[0], lambda text: begin(text) == times[0][1])) / (times[0][CALL] - times[0][1])
    before = edges()
    check(near(before[0] - before[1], CALL * SAVED * scale, 3), f"at the start: the call is {CALL * SAVED} ms further left, at {before}")

    page.click_at(before[0] + 5, rows[0])
    check("main/work" in page.text(".tl-selected"), "a click selects the call")
    page.press("l")
    at = edges()
    check(near(*at), f"L aligns both runs at that call: {at}")
    page.press("l")
    check(edges() == before, "... and at the start again")
    page.press("i")
    for number in 4, 5:  # the middle of the window is in one of them
        at = [left_edge(page, box, bands[run], lambda text: text.startswith(f"iteration {number} of")) for run in (0, 1)]
        if near(*at):
            break
    check(near(*at), f"I aligns them by iteration: iteration {number} at {at}")
    page.press("i")

    window = page.text(".tl-side p.tl-faint")
    x = before[0] + 5
    for _ in range(3):
        mouse(page, "mouseWheel", x, rows[0], deltaX=0, deltaY=-120)
    page.settle()
    check(begin(tip(page, x, rows[0])) == wanted[0], "the wheel zooms in where the mouse is")
    edge = left_edge(page, box, rows[0], lambda text: begin(text) == wanted[0])
    check(edge is not None and edge < before[0], f"... and the rest of it moves left: {before[0]} to {edge}")
    page.value("new Promise(done => setTimeout(done, 300))")
    check(page.text(".tl-side p.tl-faint") != window, "... and the window's statistics follow")
    mouse(page, "mousePressed", x, rows[0], button="left", buttons=1, clickCount=1)
    for step in 20, 40, 60:
        mouse(page, "mouseMoved", x + step, rows[0], button="left", buttons=1)
    mouse(page, "mouseReleased", x + 60, rows[0], button="left", clickCount=1)
    page.settle()
    dragged = left_edge(page, box, rows[0], lambda text: begin(text) == wanted[0])
    check(near(dragged, edge + 60, 3), f"dragging moves both by as many pixels: {edge} to {dragged}")
    page.press("0")
    check(edges() == before, "0 shows everything again")

    middle = (box["left"] + 78 + box["right"] - 12) / 2  # of the plot (view.js)
    edge_of_call = lambda: left_edge(page, box, rows[0], lambda text: begin(text) == wanted[0])
    mouse(page, "mousePressed", before[0] - 25, rows[0], button="left", buttons=1, clickCount=1, modifiers=8)
    for step in 10, 30, 50:
        mouse(page, "mouseMoved", before[0] - 25 + step, rows[0], button="left", buttons=1, modifiers=8)
    mouse(page, "mouseReleased", before[0] + 25, rows[0], button="left", clickCount=1, modifiers=8)
    page.settle()
    check(near(edge_of_call(), middle, 25), f"Shift and drag zoom to what lies between: {edge_of_call()} is in the middle, {middle}")
    page.press("0")
    for _ in range(8):
        mouse(page, "mouseWheel", box["left"] + 90, rows[0], deltaX=0, deltaY=-120)
    page.settle()
    page.click_at(before[0], box["top"] + 4)
    check(near(edge_of_call(), middle, 15), f"a click in the strip above moves there: {edge_of_call()} is in the middle, {middle}")
    page.press("0")
    shown = page.value("[...document.querySelectorAll('.tl-switches label')].find(one => one.textContent.includes('selected rank')).querySelector('input').checked")
    page.press("r")
    check(not shown and page.value("[...document.querySelectorAll('.tl-switches label')].find(one => one.textContent.includes('selected rank')).querySelector('input').checked"),
          "R shows the messages of the selected rank only")
    check(page.problems == [], f"no errors on the console {page.problems}")
