"""A web server on a free port of this machine for cli_data.sh: writes the port to a file,
serves the folder it is started in. Under /range/ it honours Range requests, under /cut/ it
breaks off after 1000 bytes, elsewhere it sends whole files."""
import http.server, os, sys


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        _, mode, *rest = self.path.split("/")
        path = rest[0] if rest else mode
        if not os.path.isfile(path):
            return self.send_error(404)
        data, start = open(path, "rb").read(), 0
        if mode == "range" and self.headers.get("Range"):
            start = int(self.headers["Range"].split("=")[1].rstrip("-"))
            if start >= len(data):
                return self.send_error(416)
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
            open("ranges.txt", "a").write(f"{start}\n")
        elif mode == "away":
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        self.wfile.write(data[start:start + 1000] if mode == "cut" else data[start:])

    def log_message(self, *args):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
open("port.new", "w").write(str(server.server_port))
os.rename("port.new", "port.txt")
server.serve_forever()
