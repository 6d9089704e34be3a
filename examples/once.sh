#!/bin/sh
# With a key the same submit can be repeated, by cron or after a lost connection: it is one job.
set -eu
key=report-$(date +%F)-$$

first=$(gpusched submit --key "$key" --gpus 0 -- echo "today's report")
again=$(gpusched submit --key "$key" --gpus 0 -- echo "today's report")
test "$first" = "$again"
gpusched wait "$first"
