# The n-th request for memory fails, in the program or in a library that it uses: a sentence and
# exit code 1, or all is as without the fault. FAULT_POINTS (100) points of each command, from its
# first request to its last; FAULT_POINTS=1000 takes minutes. FAULT_WALKS names some of the commands,
# FAULT_JOBS (2) is how many run at a time. No WebP and no .xz here: libwebp 1.2 and
# libarchive 3.6 free what they never made when memory runs out inside them.
# labels: slow
. "$(dirname "$0")/../cli/cli.sh"
export JENSEN JENSEN_CACHE=off
points=${FAULT_POINTS:-100}

# attempt NAME NUMBER COMMAND...: in a folder of its own; prints what is wrong.
attempt() {
    local name=$1 at=$2 code place
    shift 2
    place=$(mktemp -d "$name-XXXXXX")
    case $name in import | studio) cp -r audited "$place" ;; esac # which these change
    (cd "$place" && timeout 60 env FAULT_CALLS=memory FAULT_AT="$at" FAULT_DO=ENOMEM LD_PRELOAD="$FAULT_SHIM" \
        "$@" >stdout.txt 2>stderr.txt </dev/null) 2>/dev/null
    code=$?
    # Without memory an archive keeps its images packed, and then knows less about them.
    sed -i -E 's/ \(of [0-9]+ looked at\)$//' "$place/stdout.txt"
    if [ $code -eq 1 ]; then
        [ -s "$place/stderr.txt" ] || echo "$name: request $at: exit code 1 without a sentence"
    elif [ $code -ne 0 ]; then
        echo "$name: request $at: exit code $code: $(tail -1 "$place/stderr.txt")"
    elif [ -e "$name.txt" ] && ! cmp -s "$place/stdout.txt" "$name.txt"; then
        echo "$name: request $at: exit code 0, and another result"
    fi
    [ -e "$name.txt" ] || cp "$place/stdout.txt" "$name.txt"
    rm -rf "$place"
}
export -f attempt
export FAULT_SHIM

# walk NAME COMMAND...: first without a fault, which counts the requests.
walk() {
    local name=$1 total
    shift
    FAULT_TRACE=$work/trace.txt attempt "$name" 0 "$@" >"$name.problems"
    total=$(wc -l <trace.txt)
    rm trace.txt
    seq 1 "$points" | awk -v n="$total" -v p="$points" '{ print 1 + int(($1 - 1) * (n - 1) / (p > 1 ? p - 1 : 1)) }' |
        sort -nu >numbers.txt
    xargs -a numbers.txt -P "${FAULT_JOBS:-2}" -I {} bash -c 'attempt "$@"' - "$name" {} "$@" >>"$name.problems"
    expect 0 '' '' -- cat "$name.problems"
    echo "$name: $(wc -l <numbers.txt) of $total requests"
    [ "$total" -gt 100 ] || complain "$name: the requests were not counted" "$@"
}

mkdir -p photos/a photos/b
cd "$SOURCE/tests/golden/images" || exit 1
cp bits1.png cmyk.jpg exif6.png grey16.png progressive.jpg rgb.bmp rgb16.png rgba.png "$work/photos/a"
cp rgb420.jpg exif3.jpg palette_trns.png grey.jpg rgb.ppm rgb444.jpg la.png "$work/photos/b"
cd "$work" || exit 1
tar cf photos.tar photos
small=(--network cnn --epochs 1 --batch 8 --image-size 16 --device cpu)
"$JENSEN" train photos "${small[@]}" --out run -q >/dev/null || exit 1

# An audit with decisions, and weights, for the commands that begin with these.
mkdir audited
printf 'path,given,suggested,score,p_given,p_suggested,kind\n' | tee audited/suspects.csv >audited/scores.csv
(cd photos && ls */* | LC_ALL=C sort) | awk -F/ '{ o = $1 == "a" ? "b" : "a"; print $0 "," $1 "," o ",0.9,0.1,0.9,label" }' |
    tee -a audited/suspects.csv >>audited/scores.csv
count=$(($(wc -l <audited/scores.csv) - 1))
yes '0.1 0.9' | head -n "$count" | python3 "$SOURCE/tests/cli/npy.py" audited/posteriors.npy "$count" 2
printf '{"data": "%s"}\n' "$work/photos" >audited/audit.json
cut -d, -f1,3 audited/scores.csv | sed '1s/.*/path,label/' >answers.csv

for name in ${FAULT_WALKS:-train predict report info audit apply import studio weights onnx eval check}; do
    case $name in
    audit) walk audit "$JENSEN" audit "$work/photos" --posteriors "$work/audited/posteriors.npy" --cutoff 1e-6 --threads 2 -o a ;;
    apply) walk apply "$JENSEN" labels apply "$work/audited" --min-score 0.5 --copy c ;;
    import) walk import "$JENSEN" labels import audited "$work/answers.csv" ;;
    studio) walk studio "$JENSEN" labels export audited --format label-studio ;;
    weights) walk weights env JENSEN_CACHE=c "$JENSEN" weights import "$work/run/model.safetensors" --as w ;;
    onnx) walk onnx "$JENSEN" export "$work/run" -o m.onnx ;;
    eval) walk eval "$JENSEN" eval "$work/run" "$work/photos" --device cpu --threads 2 --csv e.csv ;;
    check) walk check "$JENSEN" check "$work/run" ;;
    train) walk train "$JENSEN" train "$work/photos" "${small[@]}" --threads 2 --out run ;;
    predict) walk predict "$JENSEN" predict "$work/run" "$work/photos/a/cmyk.jpg" "$work/photos/b/la.png" --device cpu ;;
    report) walk report "$JENSEN" report "$work/run" --out page.html ;;
    info) walk info "$JENSEN" data info "$work/photos.tar" ;;
    esac
done
finish
