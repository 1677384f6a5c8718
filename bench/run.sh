#!/usr/bin/env bash
# Measures pipec against hand-written programs, interleaved in one run, and prints Markdown tables.
#
# usage: bench/run.sh [bars|w1|w2|w3|w4|pairs|memory|all] [ROUNDS]
#
#   bars    w1 and w4 (the default)
#   w1..w4  one workload; w2 and w3 have hand-written programs only
#   pairs   at_least_once against at_most_once, in pairs
#   memory  peak memory on the big input against the small one
#   all     bars, pairs and memory
#
# Environment: BIG=256 and SMALL=32, sizes of the inputs in MB; DATA, the folder of the inputs; SCRATCH, a folder for
# outputs, in memory if possible; PIPEC, a binary to measure instead of a fresh build; PEERS, what else to measure:
# any of "stormlike unix duckdb benthos".
set -euo pipefail
cd "$(dirname "$0")"
export PATH=$PWD/bin:$PATH LC_ALL=C
what=${1:-bars}
rounds=${2:-}
BIG=${BIG:-256}
SMALL=${SMALL:-32}
DATA=${DATA:-$PWD/data}
PEERS=${PEERS:-}
if [ -z "${SCRATCH:-}" ]; then
  free=$(df --output=avail -B1M /dev/shm 2>/dev/null | tail -n 1)
  if [ "${free:-0}" -gt $((3 * BIG)) ]; then SCRATCH=$(mktemp -d -p /dev/shm); else SCRATCH=$(mktemp -d); fi
  trap 'rm -rf "$SCRATCH"' EXIT
fi
mkdir -p bin results "$SCRATCH"

has() { case " $PEERS " in *" $1 "*) ;; *) return 1 ;; esac; }

build() {
  export CGO_ENABLED=0
  for p in gen limit cmd/bm; do go build -o "bin/$(basename $p)" "./$p"; done
  if [ -n "${PIPEC:-}" ]; then
    ln -sf "$(realpath "$PIPEC")" bin/pipec
  else
    rm -f bin/pipec
    (cd .. && go build -o bench/bin/pipec ./cmd/pipec)
  fi
  if has stormlike; then go build -o bin/stormlike ./peers/stormlike; fi
  if has benthos; then (cd peers/benthos && go build -o ../../bin/benthos .); fi
  if has duckdb && [ ! -d peers/duckdb/node_modules ]; then (cd peers/duckdb && npm ci --silent); fi
}

# corpus FILE SIZE: makes an input unless it is there, and prints its path.
corpus() {
  local dir=$DATA/$2
  [ -f "$dir/$1" ] || gen -out "$dir" -mb "$2" -files "$1" >&2
  echo "$dir/$1"
}

# variant WORKLOAD RELIABILITY: prints the path of the workload's program with that reliability. At most once goes
# without its durable reservation of positions.
variant() {
  local program=$SCRATCH/$1.$2.pipe
  case $2 in
  at_least_once) cp "$1.pipe" "$program" ;;
  at_most_once) sed 's/^    reliability .*/    reliability at_most_once\n    store none/' "$1.pipe" >"$program" ;;
  esac
  echo "$program"
}

spec() { : >"$SCRATCH/spec"; }

# row NAME FILE SIZE CHECK COMMAND: adds a row to measure.
row() { printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$(corpus "$2" "$3")" "$SCRATCH/out" "$4" "$5" >>"$SCRATCH/spec"; }

# limit NAME FILE WORKLOAD IMPLEMENTATION THREADS [SIZE]
limit() { row "$1" "$2" "${6:-$BIG}" exact "exec limit -w $3 -impl $4 -t $5 -in \$IN -out \$OUT"; }

# pipec WORKLOAD FILE RELIABILITY CHECK [SIZE]
pipec() {
  row "pipec $1, $3" "$2" "${5:-$BIG}" "$4" "exec pipec run $(variant "$1" "$3") -p path=\$IN -p out=\$OUT"
}

# report NAME BM-ARGUMENTS: measures the rows, prints the table and keeps it in results/.
report() {
  local name=$1
  shift
  {
    echo
    echo "## $name"
    echo
    echo "$(nproc) cores, $(uname -sr), $(go env GOVERSION), $(git describe --always --dirty 2>/dev/null || echo unknown)"
    echo
    bm "$@" "$SCRATCH/spec" # last, so that its exit code is this block's
  } | tee "results/${name%% *}.md"
}

w1() {
  local f=words.txt
  spec
  limit "limit: hand, 1 thread" $f w1 hand 1
  limit "limit: hand, 2 threads" $f w1 hand 2
  pipec w1 $f at_least_once sorted
  pipec w1 $f at_most_once sorted
  limit "Go: Scanner, Fields, map" $f w1 plain 1 "$SMALL"
  if has stormlike; then
    row "stormlike: a tree per tuple" $f "$SMALL" exact "exec stormlike -w w1 -in \$IN -out \$OUT -batch 1 -ack tuple"
    row "stormlike: batches of 256" $f "$SMALL" exact "exec stormlike -w w1 -in \$IN -out \$OUT -batch 256 -ack batch"
  fi
  if has unix; then row "tr, mawk, sort" $f "$SMALL" exact 'peers/unix/w1.sh mawk $IN $OUT'; fi
  if has duckdb; then
    row "DuckDB, 1 thread" $f "$BIG" exact 'node peers/duckdb/run.mjs w1 $IN $OUT 1'
    row "DuckDB, 2 threads" $f "$BIG" exact 'node peers/duckdb/run.mjs w1 $IN $OUT 2'
  fi
  if has benthos; then
    row "Benthos: running counts" $f "$SMALL" none 'GOGC=400 BATCH=1000 THREADS=2 benthos peers/benthos/w1_running.yaml'
  fi
  report "w1 word count" -n "${rounds:-5}" -wall-base 2
}

w2() {
  spec
  limit "limit: hand, 1 thread" orders.ndjson w2 hand 1
  limit "limit: hand, 2 threads" orders.ndjson w2 hand 2
  limit "limit: stops when decided" orders.ndjson w2 lazy 1
  limit "Go: encoding/json, struct" orders.ndjson w2 json 1 "$SMALL"
  if has duckdb; then row "DuckDB, 2 threads" orders.ndjson "$BIG" sorted 'node peers/duckdb/run.mjs w2 $IN $OUT 2'; fi
  if has unix; then row "jq" orders.ndjson "$SMALL" exact 'peers/unix/w2.sh jq $IN $OUT'; fi
  if has benthos; then row "Benthos: tuned" orders.ndjson "$SMALL" sorted 'GOGC=400 BATCH=5000 THREADS=2 benthos peers/benthos/w2_tuned.yaml'; fi
  report "w2 filter and project JSON" -n "${rounds:-5}" -wall-base 2
}

w3() {
  spec
  limit "limit: hand, 1 thread" orders.ndjson w3 hand 1
  limit "limit: hand, 2 threads" orders.ndjson w3 hand 2
  limit "limit: stops when decided" orders.ndjson w3 lazy 1
  limit "Go: encoding/json, struct" orders.ndjson w3 json 1 "$SMALL"
  if has duckdb; then row "DuckDB, 2 threads" orders.ndjson "$BIG" exact 'node peers/duckdb/run.mjs w3 $IN $OUT 2'; fi
  if has unix; then row "jq, mawk" orders.ndjson "$SMALL" exact 'peers/unix/w3.sh jq+mawk $IN $OUT'; fi
  report "w3 one-minute totals" -n "${rounds:-5}" -wall-base 2
}

w4() {
  local f=access.log
  spec
  limit "limit: per line, 1 thread" $f w4 lines 1
  limit "limit: per line, 2 threads" $f w4 lines 2
  pipec w4 $f at_least_once exact
  pipec w4 $f at_most_once exact
  limit "limit: block copy" $f w4 copy 1
  if has stormlike; then
    row "stormlike: a tree per tuple" $f "$BIG" exact "exec stormlike -w w4 -in \$IN -out \$OUT -batch 1 -ack tuple"
    row "stormlike: batches of 256" $f "$BIG" exact "exec stormlike -w w4 -in \$IN -out \$OUT -batch 256 -ack batch"
  fi
  if has unix; then row "mawk {print}" $f "$BIG" exact 'peers/unix/w4.sh mawk $IN $OUT'; fi
  if has duckdb; then row "DuckDB, 2 threads" $f "$BIG" exact 'node peers/duckdb/run.mjs w4 $IN $OUT 2'; fi
  if has benthos; then
    row "Benthos: tuned" $f "$SMALL" sorted 'GOGC=400 BATCH=200 THREADS=1 benthos peers/benthos/w4_tuned.yaml'
    row "Benthos: own input and output" $f "$SMALL" sorted 'GOGC=400 BATCH=1000 THREADS=1 benthos peers/benthos/w4_plugin.yaml'
  fi
  report "w4 pass through" -n "${rounds:-5}" -wall-base 2
}

pairs() {
  local failed=0
  for w in w1:words.txt w4:access.log; do
    spec
    pipec "${w%:*}" "${w#*:}" at_least_once none
    pipec "${w%:*}" "${w#*:}" at_most_once none
    report "pairs-${w%:*} at_least_once against at_most_once" -mode pairs -n "${rounds:-11}" || failed=1
  done
  return $failed
}

memory() {
  spec
  for size in "$SMALL" "$BIG"; do limit "w1, limit" words.txt w1 hand 2 "$size"; done
  for size in "$SMALL" "$BIG"; do pipec w1 words.txt at_least_once none "$size"; done
  for size in "$SMALL" "$BIG"; do pipec w4 access.log at_least_once none "$size"; done
  report "memory by size of input" -mode memory -n "${rounds:-3}"
}

case $what in
bars) todo="w1 w4" ;;
all) todo="w1 w4 pairs memory" ;;
w1 | w2 | w3 | w4 | pairs | memory) todo=$what ;;
*)
  sed -n 's/^# \{0,1\}//; 2,/^set /p' "$0" | sed '$d' >&2
  exit 2
  ;;
esac
build
status=0
for w in $todo; do $w || status=1; done
exit $status
