"""How fast a report is in Chromium: html_clicks.py PAGE"""
import statistics
import sys

from devtools import Browser

# Until the frame after a click has been drawn: what a user waits for.
CLICK = """new Promise(done => {
  const row = document.querySelectorAll(%r)[%d], begin = performance.now();
  row.click();
  requestAnimationFrame(() => { const channel = new MessageChannel(); channel.port1.onmessage = () => done(performance.now() - begin); channel.port2.postMessage(0); });
})"""


def clicks(browser, selector, rows):
    times = [browser.value(CLICK % (selector, row)) for row in rows]
    print(f"click {selector}: {statistics.median(times):.0f} ms (longest {max(times):.0f}, {len(times)} clicks)")


with Browser(sys.argv[1], limit=110) as page:
    print(f"ready: {page.value('document.documentElement.dataset.ready')} ms")
    page.wait("document.documentElement.dataset.complete !== undefined")
    print(f"time lines drawn, all ranks unpacked: {page.value('document.documentElement.dataset.complete')} ms")
    page.value("(change('view', 'difference'), [...paths.keys()].forEach(i => open_paths.add(i)), [...metrics.keys()].forEach(i => open_metrics.add(i)), draw_all())")
    clicks(page, "#metrics .row", [1, 3, 5, 0, 7, 2])
    clicks(page, "#paths .row", [1, 5, 9, 0, 3, 12])
    clicks(page, "#ranks .row", [1, 5, 9, 3])
    clicks(page, "#tabs button", [1, 2, 0, 1])
    clicks(page, "#paths .row", [0, 2, 0, 7])
    clicks(page, "#view button", [0, 1, 2, 1])
    clicks(page, "#paths .fold", [0, 0, 1])
    clicks(page, "#metrics .fold", [0, 0])
    print(f"errors: {len(page.problems)} {' '.join(page.problems)}")
