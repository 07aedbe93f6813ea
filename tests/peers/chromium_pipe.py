"""A headless Chromium that is told what to do over a pipe (Chrome DevTools Protocol), with the
standard library alone.

    with Browser("/usr/bin/chromium") as browser:
        page = browser.open("http://127.0.0.1:8000/", 1280, 800)
        page.key("a")
        page.wait("document.title === 'x'")
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

SECONDS = 30


class Browser:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp()
        read_by_it, self.out = os.pipe()
        self.back, written_by_it = os.pipe()

        def place_pipes():  # it reads from 3 and writes to 4
            first, second = os.dup(read_by_it), os.dup(written_by_it)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             f"--user-data-dir={self.folder}", "--no-first-run", "--disable-background-networking", "about:blank"],
            preexec_fn=place_pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_by_it)
        os.close(written_by_it)
        self.number, self.held, self.events = 0, b"", []

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.process.terminate()
        self.process.wait()
        os.close(self.out)
        os.close(self.back)
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self):
        while b"\0" not in self.held:
            if not select.select([self.back], [], [], SECONDS)[0]:
                raise RuntimeError(f"Chromium says nothing for {SECONDS} s")
            piece = os.read(self.back, 1 << 20)
            if not piece:
                raise RuntimeError("Chromium has ended")
            self.held += piece
        text, self.held = self.held.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            reply = self.read()
            if reply.get("id") == self.number:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']['message']}")
                return reply["result"]
            self.events.append(reply)

    def open(self, address, width, height, dark=False, phone=False):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.size(width, height, phone)
        page.scheme(dark)
        page.call("Page.navigate", url=address)
        return page


class Page:
    def __init__(self, browser, session):
        self.browser, self.session = browser, session

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def size(self, width, height, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def scheme(self, dark):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def front(self):
        """A page that another one hides draws nothing."""
        self.call("Page.bringToFront")

    def value(self, script):
        reply = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in reply:
            raise RuntimeError(f"{script}: {reply['exceptionDetails']}")
        return reply["result"].get("value")

    def wait(self, script, seconds=20):
        end = time.time() + seconds
        while not self.value(script):
            if time.time() > end:
                raise RuntimeError(f"waited in vain for: {script}")
            time.sleep(0.01)

    def key(self, key):
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = {"Enter": 13, "ArrowLeft": 37, "ArrowRight": 39, "ArrowDown": 40, "Escape": 27}.get(key, ord(key[0].upper()))
        both = {"key": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **both)
        self.call("Input.dispatchKeyEvent", type="keyUp", **both)

    def type(self, text):
        for letter in text:
            self.key(letter)

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def messages(self):
        """What the page has complained about so far: console, log, exceptions."""
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            if event["method"] == "Log.entryAdded":
                found.append(event["params"]["entry"]["text"])
            elif event["method"] == "Runtime.exceptionThrown":
                found.append(str(event["params"]["exceptionDetails"]))
            elif event["method"] == "Runtime.consoleAPICalled":
                found.append(str(event["params"]["args"]))
        return found

    def addresses(self):
        """All addresses that the page has asked for."""
        return [event["params"]["request"]["url"] for event in self.browser.events
                if event.get("sessionId") == self.session and event["method"] == "Network.requestWillBeSent"]
