#!/bin/bash
#GPUSCHED --name checkpoint --vram 2G
#GPUSCHED --time 60s --signal USR1@57      # three seconds of work, then a word of warning
#GPUSCHED --retries 3 --back-off 1s
# Saves its state when told that time runs out, and goes on from there in the next attempt.
set -eu
state=${GPUSCHED_CHECKPOINT_DIR:?}/step
step=$(cat "$state" 2>/dev/null || echo 0)
echo "attempt $GPUSCHED_ATTEMPT begins at step $step"

save() {
  echo "$step" > "$state"
  echo "saved at step $step; the next attempt goes on from here"
  exit 75
}
trap save USR1

while [ "$step" -lt 50 ]; do
  step=$((step + 1))
  sleep 0.1 || true
done
echo "done after $step steps"
