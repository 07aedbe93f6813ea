# jensen theory: numbers, JSON, figures, and what is refused.
# labels: once
. "$(dirname "$0")/cli.sh"

expect 0 'theory bounds' '' -- "$JENSEN" theory --help
for sub in bounds limits decompose match-gce risk plot; do
    expect 0 'options:' '' -- "$JENSEN" theory $sub --help
    [ $sub = plot ] || expect 2 '' "no argument 'x'" -- "$JENSEN" theory $sub x
done
expect 0 'M-1 in the' '' -- "$JENSEN" theory bounds --help

# Known values: K = 10, M = 3, pi1 = 0.3.
expect 0 '^B_L +17\.2785' '' -- "$JENSEN" theory bounds --classes 10 --views 2 --pi1 0.3
expect 0 '^B_U +40\.3065' '' -- "$JENSEN" theory bounds --classes 10 --views 2 --pi1 0.3
expect 0 '"M":3,.*"B_L":17\.27854.*"B_U":40\.30653.*"C1":4\.39002.*"C2":2\.44666' '' \
    -- "$JENSEN" theory bounds --classes 10 --views 2 --pi1 0.3 --json
expect 0 '"views":2.*"B_U":27\.24511' '' -- "$JENSEN" theory bounds --pi 0.5/0.25/0.25 --json
# With two classes and two views no loss is larger than C2 = 2: C1 is then no largest loss.
expect 0 '^C1 +3 .*bound of the loss of one label: K < M' '' -- "$JENSEN" theory bounds --classes 2 --pi1 0.5
expect 0 '^C1 +3 .*largest loss of one label$' '' -- "$JENSEN" theory bounds --classes 3 --pi1 0.5
expect 2 '' 'pi1 = 1 is not inside' -- "$JENSEN" theory bounds --pi1 1
expect 2 '' 'classes' -- "$JENSEN" theory bounds --classes 1
expect 2 '' 'sum to 1\.1' -- "$JENSEN" theory bounds --pi 0.5/0.3/0.3
expect 2 '' "'x' is not a number" -- "$JENSEN" theory bounds --pi 0.5/x
expect 2 '' "'nan' is not a number" -- "$JENSEN" theory bounds --pi 0.5/nan
expect 2 '' "'' is not a number" -- "$JENSEN" theory bounds --pi 0.5/
expect 2 '' 'too few' -- "$JENSEN" theory bounds --pi 0.5

# p_y = 1/2: CE is log 2, half the L1 norm is 1/2, JS at pi1 = 1/2 is 0.6225562489.
expect 0 '0\.622556248' '' -- "$JENSEN" theory limits --p-y 0.5 --pi1 0.5
expect 0 '"CE":0\.693147180559945.,"JS":\[\[0\.5,0\.62255624891826[0-9]*\]\],"half_L1":0\.5' '' \
    -- "$JENSEN" theory limits --pi1 0.5 --json
expect 2 '' '1 is not inside' -- "$JENSEN" theory limits --pi1 1

expect 0 '"GJS":0\.97007886536.*"JS_of_mean":0\.885404.*"consistency_term":0\.0846746' '' \
    -- "$JENSEN" theory decompose --p 0.2/0.6/0.2 --p 0.5/0.3/0.2 --json
expect 0 '^GJS +0\.970078865' '' -- "$JENSEN" theory decompose
expect 2 '' 'sums to 1\.1' -- "$JENSEN" theory decompose --p 0.2/0.9
expect 2 '' 'view 2 has 2 classes' -- "$JENSEN" theory decompose --p 0.2/0.7/0.1 --p 0.5/0.5
expect 2 '' 'label 5 of 2' -- "$JENSEN" theory decompose --p 0.2/0.8 --label 5
expect 2 '' '3 weights for a label and 1' -- "$JENSEN" theory decompose --p 0.2/0.8 --pi 0.2/0.5/0.3

expect 0 '0\.943582026950' '' -- "$JENSEN" theory match-gce --q 0.7
expect 0 '"q":0\.9,.*"one_minus_pi1":6\.39771756356' '' -- "$JENSEN" theory match-gce --json
expect 2 '' 'q = 1 is not inside' -- "$JENSEN" theory match-gce --q 1

# eta/(K-1) (B_U-B_L)/Z = 0.4/9 * 12.0795794; JS: 2.834467.
expect 0 '<= 0\.53687$' '' -- "$JENSEN" theory risk --classes 10 --views 2 --eta 0.4
expect 0 '"theorem":1,.*"noisy_highest":0\.53687.*"noisy_highest":0\.12597' '' \
    -- "$JENSEN" theory risk --classes 10 --views 2 --eta 0.4 --json
expect 0 '"theorem":2' '' -- "$JENSEN" theory risk --pair 0.3 --json
expect 2 '' 'eta = 0\.9 is not in' -- "$JENSEN" theory risk --eta 0.9
expect 2 '' 'class 0 turns into 1' -- "$JENSEN" theory risk --pair 0.6

for plot in js-ce-mae gjs-simplex js-gce-gradient; do
    expect 0 '' '' -- "$JENSEN" theory plot $plot --out $plot.svg
    expect 0 '' '' -- "$JENSEN" theory plot $plot --out again.svg
    expect 0 '*' '' -- cmp $plot.svg again.svg
    expect 0 'prefers-color-scheme' '' -- cat $plot.svg
    expect 0 '<svg .*' '' -- "$JENSEN" theory plot $plot --plain --out -
    expect 1 '' '' -- grep -q prefers-color-scheme stdout.txt
    expect 0 '*' '' -- python3 -c "import xml.dom.minidom as m; m.parse('$plot.svg')"
done
expect 0 '' '' -- "$JENSEN" theory plot js-ce-mae:pi=0.2/0.8,top=3 --out f.svg
expect 0 '' '' -- "$JENSEN" theory plot gjs-simplex:pi1=0.3,p2=0.1/0.1/0.8 --out f.svg
expect 2 '' '--eta or --pair' -- "$JENSEN" theory risk --eta 0.1 --pair 0.1
expect 2 '' 'leave --pi1 and --views' -- "$JENSEN" theory bounds --pi 0.5/0.5 --views 3
expect 2 '' 'leave --pi1 and --views' -- "$JENSEN" theory bounds --pi 0.5/0.5 --pi1 0.9
expect 2 '' '--pi1 or --pi' -- "$JENSEN" theory decompose --pi 0.4/0.3/0.3 --pi1 0.9
# The same figure as PDF, whose table of objects leads to each of them, and as PGF, whose groups are closed.
expect 2 '' "'f.png': a plot is written as FILE.svg, FILE.pdf or FILE.pgf" -- "$JENSEN" theory plot js-ce-mae --out f.png
expect 1 '' '' -- test -e f.png
for plot in js-ce-mae gjs-simplex js-gce-gradient 'loss --loss gce:q=0.7'; do
    expect 0 '' '' -- "$JENSEN" theory plot $plot --out f.pdf
    expect 0 '' '' -- "$JENSEN" theory plot $plot --out f.pgf
    expect 0 '' '' -- "$JENSEN" theory plot $plot --plain --out f.svg
    expect 0 '^ok$' '' -- python3 -c '
import re
pdf, pgf, svg = (open("f." + kind, "rb").read() for kind in ("pdf", "pgf", "svg"))
assert pdf.startswith(b"%PDF-1.4") and pdf.endswith(b"%%EOF\n")
table = int(re.search(rb"startxref\n(\d+)\n", pdf).group(1))
assert pdf[table:table + 4] == b"xref"
places = [int(n) for n in re.findall(rb"(\d{10}) 00000 n", pdf[table:])]
assert len(places) == 9 and all(pdf[p:].startswith(b"%d 0 obj" % (i + 1)) for i, p in enumerate(places))
length = int(re.search(rb"/Length (\d+)", pdf).group(1))
begin = pdf.index(b"stream\n") + 7
body = pdf[begin:begin + length]
assert pdf[begin + length:].startswith(b"\nendstream")
words = body.split(b"\n")
assert sum(w == b"q" or w.startswith(b"q ") for w in words) == sum(w == b"Q" for w in words)
texts = len(re.findall(rb"<text", svg))
shapes = len(re.findall(rb"<(?:line|rect|path|circle)", svg))
assert len(re.findall(rb"^[BfSn]$", body, re.M)) == shapes, shapes
assert body.count(b" cm\n") == texts + 1
assert b" nan" not in pdf and b"inf" not in pdf
assert pgf.count(b"\\begin{pgfscope}") == pgf.count(b"\\end{pgfscope}") > 0
assert pgf.count(b"\\pgfusepath{fill") + pgf.count(b"\\pgfusepath{stroke") == shapes
assert pgf.count(b"{") - pgf.count(b"\\{") == pgf.count(b"}") - pgf.count(b"\\}")
print("ok")'
done
expect 2 '' 'which plot' -- "$JENSEN" theory plot --out f.svg
expect 2 '' '--out FILE.svg is missing' -- "$JENSEN" theory plot js-ce-mae
expect 2 '' "no plot 'pie' .there are: js-ce-mae" -- "$JENSEN" theory plot pie --out f.svg
expect 2 '' 'colour' -- "$JENSEN" theory plot js-ce-mae:colour=1 --out f.svg
expect 2 '' 'sums to 1\.1' -- "$JENSEN" theory plot gjs-simplex:p2=0.5/0.5/0.1 --out f.svg
expect 2 '' 'takes no loss' -- "$JENSEN" theory plot js-ce-mae --loss ce --out f.svg
expect 0 '' '' -- "$JENSEN" theory plot loss --loss gce:q=0.7 --out f.svg
expect 0 'gce:q=0.7' '' -- cat f.svg
expect 0 '' '' -- "$JENSEN" theory plot loss:classes=100 --loss gjs:pi=0.4/0.3/0.2/0.1 --out f.svg
expect 2 '' 'needs a loss' -- "$JENSEN" theory plot loss --out f.svg
expect 2 '' 'gse' -- "$JENSEN" theory plot loss --loss gse --out f.svg
expect 1 '' 'no/such' -- "$JENSEN" theory plot js-ce-mae --out no/such/f.svg
finish
