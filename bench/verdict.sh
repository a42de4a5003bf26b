#!/usr/bin/env bash
# From source to verdict, compile included, nothing cached: right kernels in full, and for faulty ones the time
# until the first shrunk reproducer is on disk.
#
#   bench/verdict.sh [PROGRAM] [FLAGS of check]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=${1:-build/release/bin/assay}
shift || true
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# field NAME: the first number of that name in the report.
field() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),\{0,1\}\$/\1/p" "$work/report.json" | head -n 1; }

# first_finding: the least "seconds" within the findings.
first_finding() {
  sed -n '/"findings": \[/,$ s/^ *"seconds": \([0-9.e+-]*\),$/\1/p' "$work/report.json" | sort -g | head -n 1
}

# measure CONTROL CONTRACT
measure() {
  ASSAY_CACHE=$(mktemp -d -p "$work") "$program" check "kernels/controls/$1.cu" --contract "$2" \
    --out "$work/cases" --json "$work/report.json" "${@:3}" >/dev/null 2>&1 || true
  awk -v name="$1" -v build="$(field build)" -v check="$(field check)" -v first="$(first_finding)" \
    -v peak="$(field peak_kib)" 'BEGIN {
      printf "%-36s build %5.2f s  verdict %6.2f s  ", name, build, build + check
      if (first != "") printf "first reproducer %5.2f s  ", build + first
      printf "peak %4.0f MiB\n", peak / 1024
    }'
}

for one in "positive/softmax_three_pass softmax" "positive/softmax_online_warp softmax" \
  "positive/layer_norm_two_pass layer_norm" "positive/matmul_tiled matmul" "negative/softmax_no_max softmax" \
  "negative/layer_norm_naive_variance layer_norm" "negative/sum_unread_tail sum"; do
  # shellcheck disable=SC2086
  measure $one "$@"
done
