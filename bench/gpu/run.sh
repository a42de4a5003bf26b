#!/usr/bin/env bash
# The GPU suite: one table, on a machine with an NVIDIA GPU and the CUDA toolkit. Assay itself may have been built
# elsewhere: of the folder BIN only its programs and libraries are needed.
#
#   bench/gpu/run.sh [BIN] [RESULTS] [PART...]     PART: smoke latency rate verdict programs controls alarms
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
bin=$(realpath "${1:-build/cuda/bin}")
results=${2:-$(mktemp -d)}
mkdir -p "$results"
results=$(realpath "$results")
shift 2 || shift $#
parts=${*:-smoke latency rate verdict programs controls alarms}
assay=$bin/assay
export LD_LIBRARY_PATH=$bin/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ASSAY_CACHE=$results/cache
command -v bwrap >/dev/null && sandbox=() || sandbox=(--no-sandbox)
gpu=(--executor cuda "${sandbox[@]}" --out "$results/cases")

section() { printf '\n== %s (%s)\n' "$1" "$(date +%T)"; }
# field NAME FILE: the first number of that name in a report.
field() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),\{0,1\}\$/\1/p" "$2" | head -n 1; }
# judged FILE: cases judged over all gates.
judged() { awk -F'[:,]' '/^ *"cases":/ { n += $2 } END { print n + 0 }' "$1"; }

smoke() {
  nvidia-smi -L
  nvcc --version | tail -n 2
  "$bin/assay-cuda-devices"
  "$assay" check kernels/controls/positive/softmax_three_pass.cu --contract softmax --cases 400 "${gpu[@]}" || exit
  "$assay" check kernels/controls/negative/softmax_no_max.cu --contract softmax --cases 400 "${gpu[@]}" | tail -n 12
}

latency() {
  "$bin/assay_gpu_latency" kernels/controls/positive/softmax_three_pass.cu softmax rows=64,cols=64
  "$bin/assay_gpu_latency" kernels/controls/positive/matmul_tiled.cu matmul m=64,n=64,k=64
  "$bin/assay_gpu_latency" kernels/controls/positive/relu_grid_stride.cu relu n=1024
  "$bin/assay_gpu_latency" --recovery bench/gpu/dies.cu relu n=64 n=63
}

rate() {
  local report=$results/rate.json
  while read -r control contract where; do
    "$assay" check "kernels/controls/positive/$control.cu" --contract "$contract" --where "$where" --dtype f32 \
      --for 10s --json "$report" "${gpu[@]}" >"$results/rate-$contract.txt" 2>&1
    tail -n 1 "$results/rate-$contract.txt"
    awk -v n="$(judged "$report")" -v s="$(field check "$report")" -v what="$contract $where" \
      'BEGIN { printf "%-44s %.0f judged cases a second\n", what, n / s }'
  done <<EOF
softmax_three_pass softmax rows == 64, cols == 64
matmul_tiled matmul m == 64, n == 64, k == 64
softmax_three_pass softmax rows >= 0
EOF
}

verdict() {
  local report=$results/verdict.json
  while read -r control contract; do
    ASSAY_CACHE=$(mktemp -d -p "$results") "$assay" check "kernels/controls/$control.cu" --contract "$contract" \
      --json "$report" "${gpu[@]}" >/dev/null 2>&1
    awk -v name="$control" -v build="$(field build "$report")" -v check="$(field check "$report")" -v n="$(judged "$report")" \
      'BEGIN { printf "%-36s build %5.2f s  check %6.2f s  verdict %6.2f s  (%d cases)\n", name, build, check, build + check, n }'
  done <<EOF
positive/softmax_three_pass softmax
positive/matmul_tiled matmul
positive/layer_norm_two_pass layer_norm
negative/softmax_no_max softmax
negative/sum_unread_tail sum
EOF
}

# The programs that test CUDA on the CPU, on the real thing: each checks itself.
programs() {
  local source name
  compile() {
    nvcc -std=c++20 -arch=native -w -I. -Itests/cpu/right "$1" -o "$results/$(basename "$1" .cu)" \
      >"$results/$(basename "$1" .cu).log" 2>&1
  }
  for source in tests/cpu/right/*.cu; do compile "$source" & done
  wait
  for source in tests/cpu/right/*.cu; do
    name=$(basename "$source" .cu)
    if [ ! -x "$results/$name" ]; then
      printf '%-28s does not compile: %s\n' "$name" "$(grep -m 1 error "$results/$name.log")"
    elif timeout 60 "$results/$name" >"$results/$name.out" 2>&1; then
      printf '%-28s right\n' "$name"
    else
      printf '%-28s exit %d: %s\n' "$name" $? "$(tail -n 2 "$results/$name.out" | paste -sd' ')"
    fi
  done
}

controls() {
  time "$assay" controls --dir kernels/controls --cases "${CASES:-2000}" --json "$results/controls.json" "${gpu[@]}"
}

# False alarms of right kernels over many cases.
alarms() {
  time "$assay" controls --dir kernels/controls --right --seed 2 --cases "${ALARM_CASES:-20000}" \
    --json "$results/alarms.json" "${gpu[@]}"
}

for part in $parts; do
  section "$part"
  "$part" 2>&1
done
rm -rf "$results/cache" "$results"/tmp.*
