#!/usr/bin/env python3
"""review_client.py CASE DIR [...] - talks to `jensen review DIR` as a browser, and as somebody who means harm.

The program is $JENSEN, its further options $REVIEW_OPTIONS. Each case starts servers of its own and prints what is wrong; the exit code says whether
anything was. `decide DIR N DECISION [LABEL]` is a tool for scripts.
"""
import concurrent.futures
import contextlib
import csv
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

JENSEN = os.environ["JENSEN"]
OPTIONS = os.environ.get("REVIEW_OPTIONS", "").split()
PATIENCE = 15  # seconds; SECONDS of review_server.c
problems = []


def check(is_right, sentence):
    if not is_right:
        problems.append(sentence)
        print("FAILED:", sentence)


class Server:
    def __init__(self, folder):
        self.process = subprocess.Popen([JENSEN, "review", folder, *OPTIONS], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise SystemExit(f"no server: {self.process.stderr.read()}")
        self.place, _, rest = self.address[len("http://"):].partition("/")
        self.port = int(self.place.rpartition(":")[2])
        self.token = rest.strip("/")

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.stop()

    def stop(self, how=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(how)
        out, err = self.process.communicate(timeout=60)
        if how == signal.SIGINT and not problems:
            check(self.process.returncode == 0, f"ended with {self.process.returncode}: {err}")
        return out + err

    def ask(self, path, body=None, method=None, headers=None, token=None):
        """Status, headers, bytes. A path that begins with / is sent as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        full = path if path.startswith("/") else f"/{token or self.token}/{path}"
        sent = {"Content-Type": "application/json"} if body is not None else {}
        sent.update(headers or {})
        sent = {name: value for name, value in sent.items() if value is not None}
        connection.putrequest(method or ("GET" if body is None else "POST"), full, skip_host="Host" in sent,
                              skip_accept_encoding=True)
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if data is not None:
            sent.setdefault("Content-Length", str(len(data)))
        for name, value in sent.items():
            connection.putheader(name, value)
        connection.endheaders(data)
        reply = connection.getresponse()
        result = reply.status, reply.headers, reply.read()
        connection.close()
        return result

    def status(self, *args, **named):
        return self.ask(*args, **named)[0]

    def json(self, path):
        return json.loads(self.ask(path)[2])

    def decide(self, samples, decision, label=-1, seen=None):
        if seen is None:
            seen = self.json("news?seen=0")["seen"]
        status, _, body = self.ask("decide", {"samples": samples, "decision": decision, "label": label, "seen": seen})
        return status, body


def rows_of(folder):
    path = pathlib.Path(folder, "decisions.csv")
    return list(csv.DictReader(path.open(newline=""))) if path.exists() else []


def own_addresses():
    """Addresses of this machine but its loopback; perhaps none. Nothing is sent."""
    found = set()
    try:
        found |= {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    except socket.gaierror:
        pass  # the machine's name resolves nowhere, as in many containers
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))
            found.add(probe.getsockname()[0])
    except OSError:
        pass  # no way out
    return sorted(address for address in found if not address.startswith("127."))


def case_strangers(folder):
    """Those who do not know the token, or come from another page."""
    with Server(folder) as server, Server(folder) as second:
        status, headers, body = server.ask("")
        check(status == 200 and b"<title>Review" in body, "the page is there")
        policy = headers["Content-Security-Policy"]
        check("default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy, policy)
        check(headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer", "headers")
        for path in ("", "review.js", "review.css", "data", "news?seen=0", "thumb/0"):
            status, headers, _ = server.ask(path)
            check(status == 200, f"{path}: {status}")
            check("Set-Cookie" not in headers and "Access-Control-Allow-Origin" not in headers, f"{path}: {headers}")
        check(len(server.token) == 32 and server.token != second.token, "tokens are drawn")
        check(server.status("data", token=second.token) == 403, "another server's token")
        for token in ("0" * 32, server.token[:-1], server.token + "0", server.token.upper() + "x"):
            check(server.status("data", token=token) == 403, f"token {token}")
        for path in ("/", "/data", "/favicon.ico", "/" + server.token, "//data", "/%s" % ("a" * 3000)):
            check(server.status(path) == 403, f"{path[:40]} without a token")
        for host in ("evil.example", "127.0.0.1.evil.example", "127.0.0.1:80@evil.example", "localhost:", "127.0.0.1:123456",
                     "127.0.0.2", "localhost:80x", ""):
            check(server.status("data", headers={"Host": host}) == 403, f"Host: {host}")
        for host in ("localhost", "localhost:8000", "127.0.0.1:9", "[::1]:8000"):
            check(server.status("data", headers={"Host": host}) == 200, f"through a tunnel, Host: {host}")
        own = f"http://{server.place}"
        body = {"samples": [0], "decision": "keep", "label": -1, "seen": 0}
        for origin in ("http://evil.example", "null", "https://" + server.place, own + ".evil.example", "", own + "/"):
            check(server.status("data", headers={"Origin": origin}) == 403, f"GET, Origin: {origin}")
            check(server.status("decide", body, headers={"Origin": origin}) == 403, f"POST, Origin: {origin}")
        for site in ("cross-site", "same-site", "none"):
            check(server.status("decide", body, headers={"Sec-Fetch-Site": site}) == 403, f"POST, Sec-Fetch-Site: {site}")
        check(server.status("data", headers={"Sec-Fetch-Site": "cross-site"}) == 403, "GET of another site")
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonx", None):
            check(server.status("decide", body, headers={"Content-Type": kind}) == 415, f"Content-Type: {kind}")
        for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "NONSENSE"):
            check(server.status("decide", body, method=method) == 405, method)
        check(rows_of(folder) == [], "nobody has decided anything")
        check(server.status("data", headers={"Origin": own, "Sec-Fetch-Site": "same-origin"}) == 200, "the page itself")
        with socket.create_connection(("127.0.0.1", server.port)) as raw:  # no Host at all
            raw.sendall(f"GET /{server.token}/data HTTP/1.0\r\n\r\n".encode())
            check(b" 403 " in raw.recv(100), "HTTP/1.0 without Host")
        for name in own_addresses():
            try:
                socket.create_connection((name, server.port), timeout=2).close()
                check(False, f"it listens on {name}")
            except OSError:
                pass


def case_paths(folder, data):
    """Images that are not of the data set, and paths that lead away. `data` has a link and names with HTML."""
    with Server(folder) as server:
        body = server.json("data")
        count = body["images"]
        for path in ("thumb/../../etc/passwd", "thumb/%2e%2e/%2e%2e/etc/passwd", "../", "..%2f..%2fetc/passwd", "thumb/-1",
                     "thumb/1e0", "thumb/0x1", "thumb/%201", "thumb/", "thumb/1/", "picture/99999999999999999999", "whole/+1",
                     f"thumb/{count}", f"about/{count}", "review.c", "review.js/", "decisions.csv", "news?seen=-1", "decide"):
            status, _, reply = server.ask(path)
            check(status in (400, 403, 404) and b"root:" not in reply, f"{path}: {status}")
        paths = dict(zip(body["suspects"]["path"], body["suspects"]["sample"]))
        secret = pathlib.Path(data, "..", "secret.ppm").read_bytes()
        linked = [sample for path, sample in paths.items() if "link" in path]
        check(len(linked) == 1, "the link is a suspect")
        for kind in ("thumb", "picture", "whole"):
            status, _, reply = server.ask(f"{kind}/{linked[0]}")
            check(status == 404 and secret[-300:] not in reply, f"{kind} of a link: {status}")
        # A file and a folder that become links while the server runs.
        path, sample = next((p, s) for p, s in paths.items() if "link" not in p)
        check(server.status(f"picture/{sample}") == 200, "a picture of the data")
        file = pathlib.Path(data, path)
        kept = file.read_bytes()
        file.unlink()
        file.symlink_to("../../secret.ppm")
        check(server.status(f"picture/{sample}") == 404, "a file that became a link")
        file.unlink()
        os.mkfifo(file)
        check(server.status(f"picture/{sample}") == 404, "a file that became a pipe")
        file.unlink()
        file.write_bytes(kept)
        file.parent.rename(f"{data}/../moved")
        file.parent.symlink_to("../moved")
        check(server.status(f"picture/{sample}") == 404, "a folder that became a link")
        file.parent.unlink()
        pathlib.Path(data, "..", "moved").rename(file.parent)
        check(server.status(f"picture/{sample}") == 200, "the picture is back")
        # Names with HTML come as JSON, never as HTML.
        status, headers, reply = server.ask("data")
        check("<b>" in "".join(body["classes"]) and any("<script>" in path for path in paths), "names with HTML")
        check(headers["Content-Type"] == "application/json", headers["Content-Type"])
        check(b"<script>alert" not in server.ask("")[2], "the page has no names in it")


def case_load(folder):
    """Requests that are too large, too slow, too many."""
    with Server(folder) as server:
        head = f"POST /{server.token}/decide HTTP/1.1\r\nHost: {server.place}\r\nContent-Type: application/json\r\n"
        status = server.status("decide", b"", headers={"Content-Length": str(10**12)})
        check(status == 413, f"a terabyte: {status}")
        status = server.status("decide", b"x", headers={"Content-Length": "99999999999999999999999"})
        check(status in (400, 413), f"a length beyond numbers: {status}")
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
            raw.sendall((head + "Transfer-Encoding: chunked\r\n\r\n").encode())
            ended = False
            try:
                for _ in range(200):
                    raw.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
                ended = raw.recv(1) in (b"", b"H")
            except OSError:
                ended = True
            check(ended, "a body without an end")
        for text in (f"GET /{server.token}/{'a' * 200000} HTTP/1.1\r\nHost: {server.place}\r\n\r\n",
                     f"GET /{server.token}/data HTTP/1.1\r\nHost: {server.place}\r\nX: {'a' * 200000}\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
                try:
                    raw.sendall(text.encode())
                    check(b" 200 " not in raw.recv(100), "a header of 200 kB")
                except OSError:
                    pass
        check(server.status("data") == 200, "it still answers")
        # Slow clients hold nobody up. A busy machine may be slower than the server's patience with them.
        begun = time.monotonic()
        slow = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(200)]
        for raw in slow:
            raw.sendall(f"GET /{server.token}/news?seen=0 HTTP/1.1\r\nHo".encode())
        status, _, _ = server.ask("data")
        check(status == 200, "beside 200 slow clients")
        for raw in slow:
            with contextlib.suppress(OSError):
                raw.sendall(f"st: {server.place}\r\nConnection: close\r\n\r\n".encode())
        answers = []
        for raw in slow:
            answers.append(b"")
            with contextlib.suppress(OSError):
                answers[-1] = raw.recv(4096)
        late = time.monotonic() - begun > PATIENCE - 1
        check(all(b" 200 " in answer or (late and not answer) for answer in answers),
              "each of the 200 gets its answer in the end")
        for raw in slow:
            raw.close()
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            answers = list(pool.map(lambda i: server.status(f"thumb/{i % 20}"), range(400)))
        check(set(answers) == {200}, f"400 pictures at once: {set(answers)}")


def case_decisions(folder):
    """What was answered is in the file; windows and processes do not lose each other's."""
    with Server(folder) as server:
        classes = server.json("data")["classes"]
        suspects = server.json("data")["suspects"]["sample"]
        paths = server.json("data")["suspects"]["path"]
        for n, (decision, label) in enumerate([("keep", -1), ("relabel", 1), ("unsure", -1), ("remove", -1)]):
            status, body = server.decide([suspects[n]], decision, label)
            check(status == 200, f"{decision}: {status} {body}")
            row = rows_of(folder)[-1]
            check(row["path"] == paths[n] and row["decision"] == decision, f"{row}")
            check(row["label"] == (classes[label] if decision == "relabel" else ""), f"{row}")
        # A window that has not seen the last decision on an image is told, and changes nothing.
        before = rows_of(folder)
        status, body = server.decide([suspects[1]], "keep", seen=0)
        check(status == 409 and len(json.loads(body)["rows"]) == 4, f"conflict: {status} {body}")
        check(rows_of(folder) == before, "a conflict adds nothing")
        status, _ = server.decide([suspects[10], suspects[11]], "keep", seen=0)
        check(status == 200, "other images are no conflict")
        status, _ = server.decide([suspects[10]], "undo")
        check(status == 200, "undo")
        for body in (b"", b"{", b"[]", b'{"samples":[]}', b"null", b"[" * 100000,
                     {"samples": [], "decision": "keep", "seen": 9}, {"samples": [-1], "decision": "keep", "seen": 9},
                     {"samples": [10**9], "decision": "keep", "seen": 9}, {"samples": ["1"], "decision": "keep", "seen": 9},
                     {"samples": [20], "decision": "perhaps", "seen": 9}, {"samples": [20], "decision": "relabel", "seen": 9},
                     {"samples": [20], "decision": "relabel", "label": 10**6, "seen": 9},
                     {"samples": [20], "decision": "keep"}, {"samples": [20.5], "decision": "keep", "seen": 9},
                     {"samples": {"0": 1}, "decision": "keep", "seen": 9}):
            status = server.status("decide", body)
            check(status == 400, f"{str(body)[:60]}: {status}")
        check(len(rows_of(folder)) == 7, "nonsense adds nothing")
    # Two processes on one folder, and several windows each.
    with Server(folder) as one, Server(folder) as two:
        def decide(n):
            return (one, two)[n % 2].decide([suspects[12 + n]], "keep")[0]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(decide, range(20)))
        check(set(answers) == {200}, f"{answers}")
        check(len(rows_of(folder)) == 27, "all rows of both")
        check(one.json("news?seen=0")["seen"] == two.json("news?seen=0")["seen"] == 27, "both know all")


def case_killed(folder):
    """Killed in the middle of decisions: what was answered is there, and the next one goes on."""
    answered, start = [], len(rows_of(folder))
    for turn in range(3):
        server = Server(folder)
        suspects = server.json("data")["suspects"]["sample"]
        seen = server.json("news?seen=0")["seen"]
        check(seen == len(rows_of(folder)), f"turn {turn} knows {seen} rows")
        for n in range(5):
            sample = suspects[5 * turn + n]
            if server.decide([sample], "keep", seen=10**6)[0] == 200:
                answered.append(sample)
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.communicate()
        rows = rows_of(folder)
        check(len(rows) == start + len(answered) and len(answered) == 5 * (turn + 1), f"turn {turn}: {len(rows)} rows")
        # What a power failure may leave: half a row.
        with open(f"{folder}/decisions.csv", "a") as file:
            file.write('"half a ro' if turn % 2 else "half/a/row.png,ke")
    with Server(folder) as server:
        check(server.json("news?seen=0")["seen"] == start + 15, "half a row is cut off")
        check(server.decide([suspects[30]], "remove")[0] == 200, "and it goes on")
    check([row["decision"] for row in rows_of(folder)[-2:]] == ["keep", "remove"], "behind the last whole row")


def main():
    name, folder, *rest = sys.argv[1:]
    if name == "decide":
        with Server(folder) as server:
            suspects = server.json("data")["suspects"]
            classes = server.json("data")["classes"]
            label = classes.index(rest[2]) if len(rest) > 2 else -1
            status, body = server.decide([suspects["sample"][int(rest[0])]], rest[1], label)
            print(status, body.decode().strip())
            return status != 200
    globals()[f"case_{name}"](folder, *rest)
    return bool(problems)


sys.exit(main())
