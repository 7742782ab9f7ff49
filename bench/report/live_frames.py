"""Times of the panel "What if" in Chromium: live_frames.py PAGE"""
import statistics
import sys

from devtools import Browser, Engine

DRAGS = 100
READY_RUNS = 5 # each in a new browser
# One movement of the first slider, until its picture has been handed to the browser.
DRAG = """new Promise(done => {
  const slider = byid("live-changes").querySelector("input[type=range]"), begin = performance.now();
  slider.value = %r;
  slider.dispatchEvent(new Event("input"));
  requestAnimationFrame(() => { const channel = new MessageChannel(); channel.port1.onmessage = () => done(performance.now() - begin); channel.port2.postMessage(0); });
})"""
PARTS = """(() => {
  const measure = work => { const begin = performance.now(); work(); return performance.now() - begin; }, state = live_copy(live.state);
  live.computation = live.network = null;
  return {"computation and network": measure(() => live_set(state)), "T and picture": measure(() => live.engine.module_time()),
          "profile": measure(live_profile), "computation of ranks": measure(live_measure), "drawing": measure(() => { draw_live_picture(); draw_live_pop(); }), "drawing of the profile": measure(draw_live_profile)};
})()"""


def show(name, times, digits=1, unit="ms"):
    print(f"live.{name}: {statistics.median(times):.{digits}f} {unit} ({min(times):.{digits}f} .. {max(times):.{digits}f}, {len(times)} runs)")


def ready():
    with Browser(sys.argv[1], limit=100) as page:
        seconds = page.value("Number(document.documentElement.dataset.ready)") / 1e3
    Engine.get().close()
    return seconds


show("ready", [ready() for run in range(READY_RUNS)], 2, "s")
with Browser(sys.argv[1], limit=280) as page:
    if page.value("byid('live-panel').hidden"):
        sys.exit("no panel: " + page.value("byid('live-why').textContent"))
    page.value("byid('live').scrollIntoView()")
    page.wait("document.documentElement.dataset.complete !== undefined")
    busy = page.value("live_profile_changes().sort((a, b) => b.before - a.before).map(one => live.facts.regions[live.facts.paths[one.path][0]]).find(name => live.regions.has(name))")
    for what, add in ((f"drag of a region ({busy})", f"live_add({{kind: 'region', name: {busy!r}, value: 1}})"),
                      ("drag of a rank", "live_add({kind: 'rank', rank: 1, value: 1})"),
                      ("drag of the latency", "1")):
        page.value("live.state = LIVE_UNCHANGED(); live_show(); 1")
        page.value(add + "; 1")
        page.settle()
        show(what, [page.value(DRAG % (0.3 + 0.01 * drag)) for drag in range(DRAGS)])
    parts = [page.value(PARTS) for _ in range(10)]
    for name in parts[0]:
        show("  " + name, [part[name] for part in parts])
    print(f"errors: {len(page.problems)} {' '.join(page.problems)}")
