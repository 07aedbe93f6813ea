"""Runs a command on a pseudo-terminal and prints every state that its progress line had,
one a line: the columns it took, the columns of the terminal then, and its text.

    terminal.py COLUMNS [--resize COLUMNS] [--interrupt TEXT] -- COMMAND...

--resize changes the width (the kernel then sends SIGWINCH) after the fourth line,
--interrupt sends Ctrl-C once a line has TEXT in it. What else the command says goes to stderr; the
exit code is the command's.
"""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import unicodedata


def width(text):
    """Columns of a text, by the tables of Unicode."""
    columns = 0
    for c in text:
        if not unicodedata.combining(c):
            columns += 2 if unicodedata.east_asian_width(c) in "WF" else 1
    return columns


def set_columns(fd, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def resized(pid, master, decoder, columns):
    """Changes the width while the command stands still; what it had drawn until then."""
    os.kill(pid, signal.SIGSTOP)
    os.waitpid(pid, os.WUNTRACED)
    drawn = ""
    while select.select([master], [], [], 0)[0]:
        drawn += decoder.decode(os.read(master, 65536))
    set_columns(master, columns)
    os.kill(pid, signal.SIGCONT)
    return drawn


def main():
    words = sys.argv[1:]
    split = words.index("--")
    options, command = words[:split], words[split + 1:]
    columns = int(options[0])
    stop = options[options.index("--interrupt") + 1] if "--interrupt" in options else None
    resize = int(options[options.index("--resize") + 1]) if "--resize" in options else 0
    master, slave = pty.openpty()
    set_columns(slave, columns)
    # Ctrl-C is not to throw away what the command has drawn.
    modes = termios.tcgetattr(slave)
    modes[3] |= termios.NOFLSH
    termios.tcsetattr(slave, termios.TCSANOW, modes)
    pid = os.fork()
    if pid == 0:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for fd in (0, 1, 2):
            os.dup2(slave, fd)
        os.execvp(command[0], command)
    os.close(slave)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    shown, seen, fresh = "", 0, sys.maxsize
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the last one has closed the terminal
            break
        if not piece:
            break
        shown += decoder.decode(piece)
        if stop is not None and stop in shown:
            stop = None
            os.write(master, b"\x03")
        while True:
            # A line that is drawn again is ended by a carriage return alone.
            end = re.search(r"\r\n|\r", shown)
            if end is None or end.end() == len(shown):
                break
            line, shown = shown[:end.start()], shown[end.end():]
            # The terminal echoes Ctrl-C before or behind what the command writes.
            line = re.sub(r"\x1b\[[0-9;]*[A-Za-z]|\^C", "", line)
            if line == "" or end.group() == "\r\n":
                print(line, file=sys.stderr)
                continue
            seen += 1
            at = columns if seen <= 4 else resize if seen > fresh else max(resize, columns)
            print(width(line), at, line)
            if resize and seen == 4:
                shown += resized(pid, master, decoder, resize)
                # Lines that were drawn before the change, the one that has no end yet, and one that
                # the command had measured for the old width have either.
                fresh = seen + shown.count("\r") + 2
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    sys.exit(code if code >= 0 else 128 - code)


main()
