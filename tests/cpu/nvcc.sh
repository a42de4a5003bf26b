#!/bin/sh
# nvcc.sh [ARCH]: compiles every program of right/ and faults/ with nvcc, and runs right/ where there is a GPU.
# They are CUDA first: what this says and what the tests say must agree.
arch=${1:-sm_90}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for source in "$here"/right/*.cu "$here"/faults/*.cu; do
  name=$(basename "$source" .cu)
  if ! nvcc -w -std=c++17 -arch="$arch" -o "$work/$name" "$source"; then
    echo "does not compile: $source"
    failed=1
  elif [ "$(basename "$(dirname "$source")")" = right ] && nvidia-smi > /dev/null 2>&1 && ! "$work/$name"; then
    echo "fails on this GPU: $source"
    failed=1
  fi
done
exit $failed
