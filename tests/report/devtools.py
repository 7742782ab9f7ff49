"""A page in Chromium, driven by the DevTools protocol over a pipe: no library is needed."""
import atexit
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--no-first-run", "--disable-extensions", "--disable-background-networking", "--remote-debugging-pipe"]


class Engine:
    """The Chromium that all pages of this process share, because its start takes longer than most pages. The pages share nothing
    else."""
    running = None

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="silas-browser.")
        self.number, self.answers, self.buffer, self.pages = 0, {}, b"", {}
        down, self.to_browser = os.pipe()
        self.from_browser, up = os.pipe()
        command = ["bash", "-c", 'exec "$@" 3<&%d 4>&%d' % (down, up), "bash", "chromium", *FLAGS,
                   "--user-data-dir=" + self.folder, "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(down, up), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        start_new_session=True)
        os.close(down)
        os.close(up)
        atexit.register(self.close)

    @classmethod
    def get(cls):
        if cls.running is None:
            cls.running = Engine()
        return cls.running

    def close(self):
        Engine.running = None
        atexit.unregister(self.close)
        try:
            self.call(None, time.monotonic() + 10, "Browser.close", {})
        except (OSError, TimeoutError):
            pass
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self, deadline):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self.from_browser], [], [], left)[0]:
            raise TimeoutError("the browser does not answer")
        data = os.read(self.from_browser, 1 << 20)
        if not data:
            raise OSError("the browser has ended")
        *whole, self.buffer = (self.buffer + data).split(b"\0")
        for one in whole:
            message = json.loads(one)
            if "id" in message:
                self.answers[message["id"]] = message
            elif message.get("sessionId") in self.pages:
                self.pages[message["sessionId"]].note(message)

    def call(self, session, deadline, method, values):
        self.number += 1
        number, message = self.number, {"id": self.number, "method": method, "params": values}
        if session and not method.startswith(("Target.", "Browser.")):
            message["sessionId"] = session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while number not in self.answers:
            self.read(deadline)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise OSError(f"{method}: {answer['error']['message']}")
        return answer["result"]


class Browser:
    """Opens one page; `script` runs before its own. `problems` are errors of its console; `requests` are addresses it asked for.
    Each answer may take `limit` seconds."""

    def __init__(self, path, width=1400, height=1000, dark=False, limit=60, scale=1, script=None):
        self.address = "file://" + os.path.abspath(path)
        self.limit, self.engine = limit, Engine.get()
        self.problems, self.requests, self.session = [], [], None
        self.context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.engine.pages[self.session] = self
        for domain in "Page", "Runtime", "Network", "Log":
            self.call(domain + ".enable")
        self.resize(width, height, scale)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        if script:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=script)
        self.call("Page.navigate", url=self.address)
        self.wait("document.documentElement && document.documentElement.dataset.ready !== undefined")

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.engine.pages.pop(self.session, None)
        try:
            self.call("Target.disposeBrowserContext", browserContextId=self.context)
        except (OSError, TimeoutError):
            self.engine.close()

    def note(self, message):
        method, values = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(one.get("value", one.get("description"))) for one in values["args"]))
        elif method == "Log.entryAdded" and values["entry"]["level"] == "error":
            self.problems.append(values["entry"]["text"])

    def call(self, method, **values):
        return self.engine.call(self.session, time.monotonic() + self.limit, method, values)

    def value(self, expression):
        """Of a JavaScript expression, awaited if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise OSError(f"{expression}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def wait(self, expression):
        end = time.monotonic() + self.limit
        while not self.value(expression) and not self.problems:
            if time.monotonic() > end:
                raise TimeoutError("timed out waiting for " + expression)
            time.sleep(0.02)

    def resize(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def settle(self):
        """Until what the last input has changed is drawn."""
        self.value("new Promise(done => requestAnimationFrame(() => setTimeout(done, 30)))")

    def click_at(self, x, y):
        for kind in "mouseMoved", "mousePressed", "mouseReleased":
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if kind != "mouseMoved" else "none", clickCount=1)
        self.settle()

    def click(self, selector, which=0):
        spot = self.value(f"(() => {{ const one = document.querySelectorAll({json.dumps(selector)})[{which}]; if (!one) return null;"
                          "one.scrollIntoView({block: 'nearest'}); const box = one.getBoundingClientRect();"
                          "return [box.left + Math.min(box.width / 2, 90), box.top + box.height / 2]; })()")
        if spot is None:
            raise OSError(f"nothing to click: {selector} {which}")
        self.click_at(*spot)

    def press(self, key):
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
                "Home": 36, "End": 35, "PageDown": 34}.get(key, ord(key.upper()) if len(key) == 1 else 0)
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, windowsVirtualKeyCode=code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)
        self.settle()

    def type(self, text):
        for key in text:
            self.press(key)

    def text(self, selector):
        return self.value(f"(document.querySelector({json.dumps(selector)}) || {{}}).innerText || ''")

    def rows(self, box):
        """Texts of the rows that a panel has made: [[value, name], ...] from top to bottom."""
        return self.value(f"[...document.querySelectorAll('#{box} .row')].sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))"
                          ".map(row => [row.querySelector('.value').innerText, row.querySelector('.name').innerText])")

    def screenshot(self, path, whole=False):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        extra = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}, "captureBeyondViewport": True} if whole else {}
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png", **extra)["data"]))
