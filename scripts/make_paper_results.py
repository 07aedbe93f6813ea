#!/usr/bin/env python3
"""make_paper_results.py CSV >src/repro/paper_results.c - the paper's printed results as a
C table. Run again when tests/golden/paper_results.csv changes; a test holds the two to
each other."""
import csv
import sys

print("""/* repro/paper_results.c - see paper_results.h. Written by scripts/make_paper_results.py
 * from tests/golden/paper_results.csv; not edited by hand. */
#include "repro/paper_results.h"

#include <math.h>

#include "core/hd.h"

/* clang-format off */
const jsni_paper_result jsni_paper_results[] = {""")
with open(sys.argv[1], newline="") as file:
    for row in csv.DictReader(file):
        cells = [row["table"], row["dataset"], row["method"], row["noise_type"]]
        print("    {%s, %s, \"%s\", %s, %s, %s}," % (
            ", ".join('"%s"' % c for c in cells), row["noise_rate"] or "NAN", row["metric"],
            row["mean"], row["std"] or "NAN", row["bold"]))
print("""};
/* clang-format on */

const size_t jsni_paper_result_count = JSNI_COUNT_OF(jsni_paper_results);""")
