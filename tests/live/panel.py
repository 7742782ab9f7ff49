"""The panel of what-ifs in Chromium: panel.py PAGE TRACE, or panel.py --refused PAGE. Prints "0 what" for each check that holds."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
from devtools import Browser


def check(holds, what):
    print(0 if holds else 1, what)


def refused(page):
    with Browser(page) as browser:
        check(browser.value("byid('live-panel').hidden && !byid('live-why').hidden"), "a page that does not compute says why")
        check(browser.problems == [], f"no problems on the console {browser.problems}")


def old_browser(page):
    with Browser(page, script="delete globalThis.WebAssembly") as browser:
        check("too old" in browser.value("byid('live-why').textContent"), "a browser without WebAssembly gets a sentence")
        check(browser.value("!byid('explore').hidden"), "... and the rest of the page")


def panel(page, trace_path):
    import silas
    trace = silas.open(trace_path)
    with Browser(page) as browser:
        check(browser.value("!byid('live-panel').hidden"), "the panel is there")
        check(browser.problems == [] and browser.requests == [browser.address], f"no problems, no requests {browser.problems}")
        check(browser.value("[...byid('live-panel').querySelectorAll('input, button, pre, output, [role=group]')].every(one => one.textContent || one.getAttribute('aria-label') || one.id === 'live-result' || one.hidden)"),
              "every control has a name")
        name = browser.value("[...live.regions.keys()].sort()[0]")
        browser.value(f"byid('live-search').value = {name!r}; byid('live-add').click(); 1")
        check(browser.value("document.activeElement.type === 'range' && document.activeElement.getAttribute('aria-label').startsWith('Time of')"),
              "a region that is added has the focus on its slider")
        browser.value("document.activeElement.value = 0.5; document.activeElement.dispatchEvent(new Event('input')); 1")
        browser.value("byid('live-search').value = 'rank 2'; byid('live-add').click(); 1")
        browser.value("let field = [...byid('live-changes').querySelectorAll('input.field')][1]; field.value = '1.25';"
                      "field.dispatchEvent(new Event('input')); field.dispatchEvent(new Event('change')); 1")
        browser.value("let wide = byid('live-changes').querySelectorAll('input.field')[2]; wide.value = '3';"
                      "wide.dispatchEvent(new Event('input')); wide.dispatchEvent(new Event('change')); 1")
        browser.wait("live.waiting === false")
        sections = browser.value("byid('live-config').textContent.replace(/^[^]*?\\n\\n(?=\\[scale what-if)/, '')")
        expected = trace.what_if(sections).time_after
        ticks = browser.value("live.time")
        check(ticks == round(expected * trace.ticks_per_second), f"its configuration has its T: {ticks} ticks")
        after, ours = trace.what_if(sections).pop_after, browser.value("live_factors(live.now)")
        browser.wait("document.documentElement.dataset.liveRest !== undefined")
        ours = browser.value("live_factors(live.now)")
        whole = next(row for row in after["rows"] if row["part"] == "run")["factors"]
        check(browser.value("live.has_ideal") and all(abs(whole[key] - value) < 1e-9 for key, value in ours.items()), f"POP's efficiencies are those of silas-model: {ours} {whole}")
        check("latency = 3" in sections and "speed = 1.25" in sections and "factor = 0.5" in sections, "... and all changes")
        check(browser.value("byid('live-result').textContent.includes('T ')"), "the result is in words")
        link = browser.value("location.href")
        browser.value("byid('live-keep').click(); byid('live-reset').click(); 1")
        check(browser.value("live.time === live.facts.time && location.hash === ''"), "reset")
        check(browser.value("byid('live-states').textContent.includes('kept:')"), "a state that is kept is beside the present one")
        browser.value("byid('live-undo').click(); 1")
        check(browser.value("live.time") == ticks and browser.value("location.href") == link, "undo")
        browser.value("byid('live-search').value = 'no such'; byid('live-add').click(); 1")
        check("no such" in browser.value("byid('live-note').textContent"), "an unknown region is named")
        browser.value("field = byid('live-changes').querySelector('input.field'); field.value = '-1'; field.dispatchEvent(new Event('input')); 1")
        check(browser.value("field.getAttribute('aria-invalid')") == "true" and browser.value("live.time") == ticks, "a negative factor is refused")
        check(browser.value("document.documentElement.scrollWidth <= innerWidth"), "the page fits the window")
        browser.resize(700, 1000, 1)
        check(browser.value("document.documentElement.scrollWidth <= innerWidth"), "... also a narrow one")
    with Browser(page + "#" + link.split("#")[1]) as browser:
        check(browser.value("live.time") == ticks, "a link restores the state")
    with Browser(page + "#what-if=" + "%5B%5B%22region%22%2C%22x%22%2C1%5D%5D") as browser:
        check(browser.value("live.time === live.facts.time && byid('live-note').textContent !== ''"), "a link to something unknown says so")
    old_browser(page)


if sys.argv[1] == "--refused":
    refused(sys.argv[2])
else:
    panel(*sys.argv[1:])
print(0, "all checks done")
