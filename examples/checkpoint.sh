#!/bin/bash
#GPUSCHED --name checkpoint --vram 2G
#GPUSCHED --checkpoint                     # it saves itself at USR1 and goes on later from there
#GPUSCHED --time 60s --signal USR1@57      # here its time limit asks, after three seconds of work
set -eu
state=${GPUSCHED_CHECKPOINT_DIR:?}/step
step=0
if [ -n "${GPUSCHED_RESUME:-}" ]; then
  step=$(cat "$state")
  echo "attempt $GPUSCHED_ATTEMPT goes on at step $step, where attempt $GPUSCHED_RESUME saved"
fi

save() {
  echo "$step" > "$state.draft" && mv "$state.draft" "$state"
  echo "saved at step $step"
  exit 75
}
trap save USR1

while [ "$step" -lt 50 ]; do
  sleep 0.1 || true
  step=$((step + 1))
  echo "$step 50" > "$GPUSCHED_PROGRESS"
done
echo "done after $step steps"
