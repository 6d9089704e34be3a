#!/bin/sh
# prepare -> train -> evaluate; the clean-up comes when evaluate has ended, well or not.
set -eu
work=$(mktemp -d)

prepare=$(gpusched submit --name prepare --gpus 0 --cmd "echo data > '$work/data'")
train=$(gpusched submit --name train --after "$prepare" --retries 1 \
  --cmd "cat '$work/data' > '$work/model'")
evaluate=$(gpusched submit --name evaluate --after "$train" --vram 2G \
  --cmd "grep data '$work/model'")
clean=$(gpusched submit --name clean-up --after "any:$evaluate" --gpus 0 -- rm -r "$work")

gpusched wait "$prepare" "$train" "$evaluate" "$clean"
gpusched logs "$evaluate"
test ! -e "$work"
