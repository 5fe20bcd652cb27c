#!/usr/bin/env bash
# The bytes of a small model stay what they were: figures measured on models of other bytes cannot be compared.
# $1: the source folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

expect() {
  "$1/scripts/bench-model" bench-small "$folder/$2" --format "$2" --seed 7 --layers 2 --mtp 1 --set vocab_size=600 \
    --set hidden_size=136 --set moe_intermediate_size=72 --set intermediate_size=200 --set n_routed_experts=4 \
    --set n_group=2 --set topk_group=1
  local sum
  sum=$(cd "$folder/$2" && cat config.json generation_config.json ./*.safetensors model.safetensors.index.json \
    tokenizer.json tokenizer_config.json | sha256sum)
  [ "$sum" = "$3  -" ] || { echo "$2: $sum, expected $3"; exit 1; }
}

expect "$1" hf-fp8 316c85ac47a35f7443f416d66fc6dbcaaa605b0208cc52fabaaf7b60752ae58c
expect "$1" hf-bf16 c03cb1e1e9671d0d3f48a8ecd9962075ea765ea7ccb6bf6fbb878dfc91c6b802
if "$1/scripts/bench-model" bench-small "$folder/hf-bf16" 2>"$folder/error"; then
  echo "a folder that exists was written to"
  exit 1
fi
grep -q "exists" "$folder/error"
