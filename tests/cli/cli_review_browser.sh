# jensen review opens its page with xdg-open where somebody sits at a terminal with a desktop.
. "$(dirname "$0")/cli.sh"
if "$JENSEN" doctor | grep -q 'libmicrohttpd *missing'; then
    echo "skipped: no libmicrohttpd"
    finish
    exit
fi
if ! has_terminals; then
    echo "skipped: no pseudo-terminals"
    finish
    exit
fi
awk 'BEGIN { for (i = 0; i < 20; i++) print "0.55 0.05 0.05 0.05 0.05 0.05 0.05 0.05 0.05 0.05" }' |
    python3 "$SOURCE/tests/cli/npy.py" p.npy 20 10
"$JENSEN" audit builtin:size=20,test=0 --posteriors p.npy --labels-only -o a >/dev/null 2>&1
# A stand-in keeps what it is called with, the file, and who may read it.
mkdir bin
cat >bin/xdg-open <<'OPEN'
#!/bin/sh
{ echo "$#"; echo "$1"; stat -c %a "$1"; } >"$SEEN.new"
cat "$1" >>"$SEEN.new" && mv "$SEEN.new" "$SEEN"
OPEN
chmod +x bin/xdg-open
# terminal SEEN WORD...: the review at a terminal, ended when SEEN is there, or after WAIT seconds.
cat >terminal.py <<'PY'
import os, pty, re, select, signal, sys, time
seen, words = sys.argv[1], sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    os.execvp(words[0], words)
text, end = b"", time.monotonic() + float(os.environ.get("WAIT", "20"))
while time.monotonic() < end and not (os.path.exists(seen) and b"Ctrl-C" in text):
    if select.select([terminal], [], [], 0.05)[0]:
        text += os.read(terminal, 4096)
os.kill(child, signal.SIGTERM)
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    text += piece
address = re.search(rb"http://127\.0\.0\.1:\d+/\w+/", text.split(b"\n")[0])
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), "address" if address else text)
if os.path.exists(seen):
    called = open(seen).read()
    print("leads there" if address and address.group().decode() in called else called)
PY
export PATH=$work/bin:$PATH SEEN=$work/seen.txt
ln -s victim a/open-review.html && echo mine >a/victim
DISPLAY=:7 python3 terminal.py seen.txt "$JENSEN" review a >said.txt
expect 0 '^0 address leads there $' '' -- sh -c "tr '\n' ' ' <said.txt"
expect 0 "^1 $work/a/open-review.html 600 <!doctype" '' -- sh -c "head -4 seen.txt | tr '\n' ' '"
expect 1 '' '' -- sh -c "head -2 seen.txt | grep http" # what others can see of a program
expect 0 '^mine$' '' -- cat a/victim
expect 1 '' '' -- test -e a/open-review.html -o -L a/open-review.html
rm seen.txt
for words in "WAIT=1 DISPLAY=:7 python3 terminal.py seen.txt $JENSEN review a --no-browser" \
    "WAIT=1 DISPLAY= WAYLAND_DISPLAY= python3 terminal.py seen.txt $JENSEN review a"; do
    expect 0 '^0 address$' '' -- env $words
    expect 1 '' '' -- test -e seen.txt
done
# Not at a terminal.
expect 0 '^http://127.0.0.1:' '*' -- env DISPLAY=:7 timeout --preserve-status -s TERM 2 sh -c "exec '$JENSEN' review a"
expect 1 '' '' -- test -e seen.txt
finish
