# Calls go wrong one after the other, in train, predict, report, audit, labels and the others: see
# walk.py. This takes some hundred of them; `make faults` takes all.
# labels: slow
command -v python3 >/dev/null || { echo "SKIPPED: no python3"; exit 0; }
exec python3 "$(dirname "$0")/walk.py" --every "${FAULTS_EVERY:-8}"
