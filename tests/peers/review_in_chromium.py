"""review_in_chromium.py JENSEN CHROMIUM DIR [SHOTS] - goes through the suspects of an audit (at least 10,000) in a real
browser, by keys: 500 decisions with a kill in the middle, undo, other class, filters, groups, two windows, phone width.
Prints how long it takes from a key to the next picture. SHOTS: a folder for pictures of the page."""
import csv
import os
import pathlib
import signal
import subprocess
import sys

from chromium_pipe import Browser

jensen, chromium, folder = sys.argv[1:4]
shots = sys.argv[4] if len(sys.argv) > 4 else None
problems = []


def check(is_right, sentence):
    if not is_right:
        problems.append(sentence)
        print("review_in_chromium: FAILED:", sentence)


def serve():
    process = subprocess.Popen([jensen, "review", folder], stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def rows():
    return list(csv.DictReader(pathlib.Path(folder, "decisions.csv").open(newline="")))


SHOWN = "document.getElementById('picture')?.dataset.sample >= 0 && document.getElementById('picture').complete"
NOW = "document.getElementById('picture').dataset.sample"


def shot(page, name):
    if shots:
        page.wait("document.querySelectorAll('#like img').length > 0")
        page.value("new Promise(done => setTimeout(done, 400))")
        page.picture(f"{shots}/{name}.png")


def press(page, key):
    """Waits until another picture is shown; milliseconds from the key until it was drawn."""
    page.front()
    return page.value("""new Promise(done => {
        const picture = document.getElementById('picture'), before = picture.dataset.sample, start = performance.now();
        const look = () => picture.dataset.sample !== before && picture.complete
            ? requestAnimationFrame(() => done(performance.now() - start)) : setTimeout(look, 0);
        dispatchEvent(new KeyboardEvent('keydown', {key: %r}));
        look();
    })""" % key)


def decide_many(page, count):
    times, keys = [], "aakau"
    for n in range(count):
        times.append(press(page, keys[n % len(keys)]))
    return times


with Browser(chromium) as browser:
    server, address = serve()
    page = browser.open(address, 1280, 800)
    page.wait(SHOWN)
    shot(page, "desktop")
    check(page.value("document.getElementById('count').textContent").endswith("of 10,000"), "10,000 suspects")
    times = decide_many(page, 250)
    check(len(rows()) == 250, f"{len(rows())} rows of 250")

    # Killed: the page says so, nothing goes on, and the next server has all of it.
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    now = page.value(NOW)
    page.key("k")
    page.wait("document.getElementById('note').className === 'note bad' && !document.getElementById('note').hidden")
    check(page.value(NOW) == now, "no other picture without a server")
    server, address = serve()
    page = browser.open(address, 1280, 800)
    page.wait(SHOWN)
    check(page.value(NOW) == now, "goes on where it was")
    times += decide_many(page, 250)
    check(len(rows()) == 500, f"{len(rows())} rows of 500")
    times.sort()
    print(f"review_in_chromium: key to next picture, 500 of 10,000: median {times[250]:.0f} ms, 95% {times[475]:.0f} ms, "
          f"longest {times[-1]:.0f} ms")

    # Undo goes back, also over what was decided before the kill.
    last = rows()[-1]["path"]
    press(page, "z")
    check(page.value("document.getElementById('path').textContent") == last, "undo shows what was undone")
    check(rows()[-1]["decision"] == "undo" and rows()[-1]["path"] == last, "undo is in the file")
    for _ in range(3):
        press(page, "z")
    check([row["decision"] for row in rows()[-4:]] == ["undo"] * 4, "more of them")

    # Another class, by some of its letters.
    path = page.value("document.getElementById('path').textContent")
    wanted = page.value("""import('./review_state.js').then(m => m.state.classes.find(
        name => !['given', 'suggested'].some(id => document.getElementById(id).textContent === name)))""")
    page.key("o")
    page.wait("document.getElementById('other-class').open")
    page.type(wanted)
    page.key("Enter")
    page.wait(f"document.getElementById('path').textContent !== {path!r}")
    check(rows()[-1]["path"] == path and rows()[-1]["label"] == wanted, f"other class: {rows()[-1]}")

    # Filters: by class and by what is decided.
    page.value("""(() => { const by = document.getElementById('by-class'); by.selectedIndex = 1; by.onchange(); })()""")
    page.wait("document.getElementById('given').textContent !== ''")
    given = page.value("document.getElementById('given').textContent")
    for _ in range(5):
        press(page, "ArrowRight")
        check(page.value("document.getElementById('given').textContent") == given, "the filter by class")
    page.value("""(() => { for (const id of ['by-class', 'by-kind']) document.getElementById(id).selectedIndex = 0;
        const by = document.getElementById('by-state'); by.value = 'done'; by.onchange(); })()""")
    page.wait("document.getElementById('decided').textContent !== ''")
    page.value("(() => { const by = document.getElementById('by-state'); by.value = 'open'; by.onchange(); })()")

    # A group: looked at, one taken out, decided about, taken back at once.
    before = len(rows())
    page.key("g")
    page.wait("document.getElementById('groups').open && document.querySelectorAll('#members button').length > 2")
    if shots:
        page.value("new Promise(done => setTimeout(done, 1500))")
        page.picture(f"{shots}/groups.png")
    members = page.value("document.querySelectorAll('#members button').length")
    page.value("document.querySelector('#members button').click()")
    page.value("document.getElementById('group-accept').click()")
    page.wait("document.getElementById('note').textContent.includes('decided')")
    check(len(rows()) == before + members - 1, f"{len(rows()) - before} rows of a group of {members}, one taken out")
    check(len({row["time"] for row in rows()[before:]}) == 1, "a group is one decision")
    page.key("z")
    page.wait("import('./review_state.js').then(m => m.state.seen === %d)" % (before + 2 * (members - 1)))
    check(all(row["decision"] == "undo" for row in rows()[before + members - 1:]), "a group is undone whole")

    # Two windows: the second one does not undo what the first one decided meanwhile.
    second = browser.open(address, 1280, 800, dark=True)
    second.wait(SHOWN)
    shot(second, "desktop-dark")
    page.call("Page.reload")
    page.wait(f"{SHOWN} && {NOW} === '{second.value(NOW)}'")
    press(page, "k")
    decided = rows()[-1]
    second.key("r")
    second.wait("document.getElementById('note').textContent.includes('Another window')")
    check(rows()[-1] == decided, "the second window's decision waits")
    press(second, "r")
    check(rows()[-1]["decision"] == "remove" and rows()[-1]["path"] == decided["path"], "and is taken when it is meant")

    # A phone: nothing is wider than the window, the buttons are in sight.
    for dark in (False, True):
        phone = browser.open(address, 390, 844, dark=dark, phone=True)
        phone.wait(SHOWN)
        shot(phone, "phone-dark" if dark else "phone")
        check(phone.value("document.scrollingElement.scrollWidth") <= 390, "wider than a phone")
        check(phone.value("""[...document.querySelectorAll('.keys button')].every(button => {
            const box = button.getBoundingClientRect(); return box.left >= 0 && box.right <= 390 && box.bottom <= 844; })"""),
            "all buttons are in sight")
        check(phone.value("getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)'") != dark, "light and dark")
    for name, one in (("page", page), ("second", second), ("phone", phone)):
        loud = [text for text in one.messages() if "409" not in text]
        check(not loud, f"{name} on the console: {loud}")
        foreign = [url for url in one.addresses() if not url.startswith(address)]
        check(not foreign, f"{name} asks elsewhere: {foreign}")
    server.send_signal(signal.SIGINT)
    check(server.wait(timeout=30) == 0, "ends by Ctrl-C")
print(f"review_in_chromium: {len(problems)} problems")
sys.exit(bool(problems))
