"""Times of the pictures of time lines in Chromium: timeline_frames.py PAGE"""
import statistics
import sys

from devtools import Browser

# One picture: a key moves the view, the next frame draws it.
PICTURE = """new Promise(done => {
  const canvas = document.querySelector(".tl-canvas"), begin = performance.now();
  canvas.dispatchEvent(new KeyboardEvent("keydown", {key: %r, bubbles: true}));
  requestAnimationFrame(() => { const channel = new MessageChannel(); channel.port1.onmessage = () => done(performance.now() - begin); channel.port2.postMessage(0); });
})"""

with Browser(sys.argv[1], limit=110) as page:
    page.wait("document.querySelector('.tl-side table') !== null")
    page.value("document.querySelector('.tl-root').scrollIntoView()")
    for what, keys in (("everything", ""), ("zoomed in", "wwwwwwww"), ("further", "wwwwwwwwwwww")):
        for key in keys:
            page.value(PICTURE % key)
        times = [page.value(PICTURE % key) for key in "adadadadad"]
        print(f"timeline.frame, {what}: {statistics.median(times):.0f} ms (longest {max(times):.0f}, {len(times)} pictures)")
    print(f"errors: {len(page.problems)} {' '.join(page.problems)}")
