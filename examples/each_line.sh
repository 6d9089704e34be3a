#!/bin/sh
# One job per line of a list; the group lets two of them run at a time, whoever submits more to it.
set -eu
gpusched group set conversions 2

ids=$(gpusched submit --group conversions --gpus 0 --each-line - -- \
  echo "converting {line}" <<'LIST'
holiday.mov
birthday party.mov
first steps.mov
LIST
)
gpusched wait "$ids"
first=${ids%%-*}
gpusched logs "$first" | grep "converting holiday.mov"
