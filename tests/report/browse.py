"""Opens a page in Chromium: browse.py PAGE DARK [EXPRESSION...]. Prints in one line: problems on the console, requests that leave the page,
what a name from a trace has executed, whether the page fits the window; then the value of each expression. DARK: 1 or 0."""
import sys

from devtools import Browser

with Browser(sys.argv[1], dark=sys.argv[2] == "1") as browser:
    print(browser.problems, [one for one in browser.requests if one != browser.address], browser.value("typeof window.hacked"),
          browser.value("document.documentElement.scrollWidth <= innerWidth"), *(browser.value(one) for one in sys.argv[3:]), sep="|")
