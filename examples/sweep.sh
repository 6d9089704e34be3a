#!/bin/sh
# A grid of parameters: six jobs from one submission, sharing cards because each says what it needs.
set -eu
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

ids=$(gpusched submit --name sweep --vram 4G --time 5m \
  --param lr=0.1,0.01,0.001 --param seed=1:2 \
  -- sh -c 'echo "lr={lr} seed={seed} card=$CUDA_VISIBLE_DEVICES" > "$1/{lr}-{seed}"' sh "$results")
echo "submitted jobs $ids"

# The exit code of wait is that of the first job that failed.
gpusched wait "$ids"
sort "$results"/*
test "$(ls "$results" | wc -l)" -eq 6
