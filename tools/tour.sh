# The tour of ./quickstart, for `source`. Needs: gpusched in PATH, GPUSCHED_SOCKET, say, show, die.
#   tour_of_simulated_cards STATE_DIRECTORY SIMULATED_DRIVER RESTART
#   tour_of_real_cards
# On simulated cards all of it can be shown: programs that use cards come along. On real ones
# nothing is known that would use them, so that tour shows the queue alone.

# Until the job is in one of these states.
until_state() {  # JOB STATES
  for _ in $(seq 300); do
    gpusched status "$1" --state "$2" --json 2>/dev/null | grep -q '"id":' && return 0
    sleep 0.1
  done
  die "job $1 did not get to $2; look at: gpusched explain $1"
}

tour_of_simulated_cards() {
  local state=$1 driver=$2 restart=$3
  local first second whole training urgent foreign waits
  say "1. Two jobs share a card: each says how much VRAM it needs, and is watched"
  first=$(gpusched submit --gpu 0 --vram 8G --share 40 --name eval-a \
    -- gpusched-simjob --vram 7G --util 35 --ramp 0s --seconds 60)
  second=$(gpusched submit --gpu 0 --vram 8G --share 40 --name eval-b \
    -- gpusched-simjob --vram 7G --util 35 --ramp 0s --seconds 60)
  until_state "$first" running
  until_state "$second" running
  for _ in $(seq 100); do # Until the next look at the card has seen both.
    (($(gpusched gpus --json | grep -o '"pid":' | wc -l) >= 2)) && break
    sleep 0.1
  done
  show gpusched gpus

  say "2. A program that nobody submitted sits on card 1: the next job waits for it"
  GPUSCHED_SIM_WORLD=$state/sim-world LD_LIBRARY_PATH=$driver CUDA_VISIBLE_DEVICES=1 \
    gpusched-simjob --vram 20G --util 90 --ramp 0s --seconds 0 >/dev/null 2>&1 &
  foreign=$!
  for _ in $(seq 100); do
    gpusched gpus --json | grep -q "\"pid\":$foreign\b" && break
    sleep 0.1
  done
  waits=$(gpusched submit --gpu 1 --vram 10G --name polite \
    -- gpusched-simjob --vram 9G --util 30 --ramp 0s --seconds 2)
  show gpusched explain "$waits"
  kill "$foreign" 2>/dev/null || true
  wait "$foreign" 2>/dev/null || true
  until_state "$waits" "running,completed"
  echo "The other program has ended, and job $waits runs."
  gpusched cancel "$first" "$second" >/dev/null 2>&1
  gpusched wait "$first" "$second" "$waits" >/dev/null 2>&1 || true

  say "3. Something urgent: a training leaves its card with its memory, and comes back where it was"
  training=$(gpusched submit --gpu 0 --priority low --time 2m --name train \
    -- gpusched-simjob --vram 20G --util 80 --ramp 0s --seconds 9)
  until_state "$training" running
  sleep 2.2 # A job that has just started is left in peace for a moment.
  urgent=$(gpusched submit --gpu 0 --priority urgent --vram 20G --time 10m --name answer \
    -- gpusched-simjob --vram 19G --util 60 --ramp 0s --seconds 3)
  until_state "$urgent" running
  show gpusched status "$training-$urgent"
  show gpusched explain "$training"

  say "4. kill -9: the daemon dies, the jobs do not"
  "$restart"
  show gpusched status "$training-$urgent"
  until_state "$urgent" completed
  until_state "$training" "running,completed"
  echo "The urgent job is done, and the training is back on its card."

  say "5. Why and when: every job that waits says it"
  whole=$(gpusched submit --gpu 0 --priority low --time 20s --name next \
    -- gpusched-simjob --vram 22G --util 90 --ramp 0s --seconds 1)
  show gpusched explain "$whole"
  gpusched wait "$training" "$whole" >/dev/null ||
    die "a job of the tour failed; look at: gpusched status --all --state failed"
  show gpusched events "$training"
}

tour_of_real_cards() {
  local only=0,1 first second third urgent after
  (($(gpusched gpus --json | grep -o '"uuid"' | wc -l) > 1)) || only=0
  say "1. Jobs queue: each of these wants a card to itself"
  show gpusched gpus
  first=$(gpusched submit --gpu $only --name train-a \
    -- sh -c 'echo "card(s) $CUDA_VISIBLE_DEVICES"; sleep 4')
  second=$(gpusched submit --gpu $only --name train-b -- sh -c 'sleep 4; echo done')
  third=$(gpusched submit --gpu $only --name train-c -- sh -c 'sleep 2; echo done')
  echo "submitted train-a ($first), train-b ($second), train-c ($third)"
  say "2. Priority orders the queue: urgent was submitted last and starts before train-c"
  urgent=$(gpusched submit --gpu $only --name urgent --priority 90 -- sh -c 'sleep 2; echo urgent')
  say "3. A follow-up waits for its job, on CPUs alone"
  after=$(gpusched submit --gpus 0 --after "$second" --name report -- echo "train-b is done")
  show gpusched status
  say "4. Every waiting job says why"
  show gpusched explain "$third"
  show gpusched explain "$after"
  say "5. Waiting for all of them"
  gpusched wait "$first" "$second" "$third" "$urgent" "$after" >/dev/null ||
    die "a job of the tour failed; look at: gpusched status --all --state failed"
  show gpusched status "$first-$after"
  show gpusched logs "$first"
  show gpusched events "$urgent"
}
