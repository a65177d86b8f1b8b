#!/bin/bash
#SBATCH --job-name=gym-gpqa
#SBATCH --account=acct
#SBATCH --chdir=/shared/runs/gym-job-20260102T030405Z-c0ffee/gpqa
#SBATCH --output=logs/job-%j.log
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@60
#SBATCH --partition=batch
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=4

# Benchmark gpqa of run gym-job-20260102T030405Z-c0ffee, written by gym-submit 0.1.0.
#
# In order: the collector, the services, their health checks, the driver. Then the
# end, in order too: the driver if it still runs, the collector (it scrapes the services
# once more), the services.
# The exit code is the driver's; 1 when the driver never ran, with the reason in this log.

# Everything that this script calls its own begins with gym_, so that it is in nobody's way:
# the steps get the environment of the submitting shell.

# shellcheck disable=SC2016  # dollar signs in quoted values are the user's own
# shellcheck disable=SC2317  # traps and steps call functions by name
{ set +vx; } 2>/dev/null # a trace would write the values of variables into the log
set -u
SECONDS=0

# ---- Settings ---------------------------------------------------------------------------

readonly gym_run_id=gym-job-20260102T030405Z-c0ffee
readonly gym_benchmark=gpqa
readonly gym_bench_dir=/shared/runs/gym-job-20260102T030405Z-c0ffee/gpqa
readonly gym_collector_binary=/usr/local/bin/gym-otelcol
readonly gym_ca_file=/etc/site/ca.pem
readonly gym_engine_ports=(8000)
readonly gym_collector_health_port=13133
readonly gym_collector_health_timeout=300 # seconds
readonly gym_collector_stop_timeout=30    # seconds; it is gone after 25 on its own
readonly gym_driver_stop_timeout=10      # seconds between TERM and KILL
readonly gym_service_stop_timeout=2      # seconds between TERM and KILL
readonly gym_services=(policy)

cd "$gym_bench_dir" || {
  echo "the job directory $gym_bench_dir is not there on ${HOSTNAME:-this node}: is job.output_path on shared storage?" >&2
  exit 1
}

# Steps get this shell's environment even when the job was submitted with a narrower one.
export SLURM_EXPORT_ENV=ALL

# ---- Helpers ----------------------------------------------------------------------------

say() {
  local gym_now=${EPOCHREALTIME:--1} gym_fraction # -1 is the current second, for shells before bash 5
  gym_fraction=${gym_now:11:3}
  printf '%(%H:%M:%S)T%s %s\n' "${gym_now%%[.,]*}" "${gym_fraction:+.$gym_fraction}" "$*"
}

gym_failure=''   # the first reason why the job cannot go on; printed again at the end
gym_cut_short='' # why the driver was stopped before it was done
fail() {
  say "ERROR: $*"
  gym_failure="${gym_failure:-$*}"
  return 1
}

# pause SECONDS: sleeps without starting a process, so that loops can look often.
exec {gym_clock}<> <(:)
pause() { read -r -t "$1" -u "$gym_clock" || :; }

# Signals only leave a note; the loops below read it and stop everything in order.
gym_stop_reason=''
note_stop() { gym_stop_reason="${gym_stop_reason:-$1}"; }
trap 'note_stop "USR1: the walltime is nearly used up, or the run was cancelled"' USR1
trap 'note_stop "TERM: the job was asked to stop"' TERM
trap 'note_stop "INT: interrupted"' INT
trap 'note_stop "HUP: the terminal is gone"' HUP

stopping() { [ -n "$gym_stop_reason" ]; }

log_of() { printf 'logs/%s-%s.log' "$1" "$SLURM_JOB_ID"; }


# show_log NAME: the end of a step's log, indented.
show_log() {
  say "the last lines of $(log_of "$1"):"
  tail -n 20 "$(log_of "$1")" 2>/dev/null | sed 's/^/    /'
}

# http_get PORT PATH [SECONDS]: prints the body of the answer; false when none comes within
# the time (2 s) or the status is 400 or above. Bash alone: not every node has curl.
http_get() {
  BASH_ENV='' timeout "${3:-2}" bash -c '
    exec 3<>"/dev/tcp/localhost/$1" || exit 1
    printf "GET %s HTTP/1.0\r\nHost: localhost:%s\r\nConnection: close\r\n\r\n" "$2" "$1" >&3
    read -r _ status _ <&3
    while IFS= read -r header <&3 && [ ${#header} -gt 1 ]; do :; done # up to the blank line
    cat <&3
    [ "${status:-999}" -lt 400 ]
  ' bash "$1" "$2" 2>/dev/null
}

# port_is_taken PORT [ADDRESS OF THIS NODE]: something on this node answers there.
port_is_taken() {
  BASH_ENV='' timeout 1 bash -c '3<>"/dev/tcp/$2/$1"' bash "$1" "${2:-localhost}" 2>/dev/null
}

# ---- How a step starts and how it is signalled ------------------------------------------
# Here: an srun step. --overlap, because a step without it would wait for the others to
# end; one task, whatever the allocation's ntasks are.

declare -A gym_step_pid=() gym_step_code=()
gym_srun=$(type -P srun || echo srun) # a step may have another PATH

# step NAME [SRUN OPTION...] -- COMMAND...: becomes the srun of the step; called in a subshell
# that is put in the background.
step() {
  local gym_name=$1 gym_options=()
  shift
  while [ "$1" != -- ]; do
    gym_options+=("$1")
    shift
  done
  shift
  exec {gym_clock}>&-
  exec "$gym_srun" --overlap --nodes=1 --ntasks=1 --mem=0 --job-name="$gym_name" \
    --output="$(log_of "$gym_name")" --open-mode=append "${gym_options[@]}" "$@" 2>>"$(log_of "$gym_name")"
}

# A step that shares this directory writes its number here as its first act. Numbers race
# when steps start together, so the step itself is asked. A former part of a requeued job may
# have left its own.
rm -f logs/.step-*-"$SLURM_JOB_ID"
step_file() { printf 'logs/.step-%s-%s' "$1" "$SLURM_JOB_ID"; }

# signal_step NAME SIGNAL: to the step's task. Never to its srun, which would turn it into KILL.
signal_step() {
  local gym_number=''
  read -r gym_number 2>/dev/null <"$(step_file "$1")"
  if [ -n "$gym_number" ]; then
    scancel --signal="$2" "$SLURM_JOB_ID.$gym_number" 2>/dev/null # it may end at this moment
  else
    kill_step "$1" # it never began
  fi
}

# kill_step NAME: what an srun makes of TERM is KILL for its task.
kill_step() { kill -TERM "${gym_step_pid[$1]}" 2>/dev/null; }

# All steps of the job and nothing else: the services are the last ones left.
signal_services() { scancel --signal="$1" "$SLURM_JOB_ID" 2>/dev/null; }

# step_ended NAME: true once the step is gone; its exit code is then in step_code.
step_ended() {
  [ -z "${gym_step_code[$1]:-}" ] || return 0
  ! kill -0 "${gym_step_pid[$1]}" 2>/dev/null || return 1
  wait "${gym_step_pid[$1]}"
  gym_step_code[$1]=$?
}

# await_end NAME SECONDS: waits that long for the step's end; false when it still runs.
await_end() {
  local gym_until=$((SECONDS + $2 + 1))
  until step_ended "$1"; do
    [ "$SECONDS" -lt "$gym_until" ] || return 1
    pause 0.05
  done
}

# ---- The collector ----------------------------------------------------------------------

# What its health check answers. Any other answer is somebody else's.
readonly gym_collector_identity="gym-otelcol gym-job-20260102T030405Z-c0ffee/gpqa job $SLURM_JOB_ID"

# collector_step hands over no token: the collector reads it from a file.
collector_step() {
  unset SLURM_GPUS_PER_NODE # srun takes it for an option, which --gres=none contradicts
  step otel_collector \
    --gres=none \
    --cpus-per-task=1 \
    --no-container-mount-home \
    '--container-image=registry.example.com/gym-otelcol:1' \
    '--container-mounts=/shared/runs/gym-job-20260102T030405Z-c0ffee/gpqa:/shared/runs/gym-job-20260102T030405Z-c0ffee/gpqa,/secure/$USER:/secure/$USER:ro,/etc/site:/etc/site:ro' \
    '--container-workdir=/shared/runs/gym-job-20260102T030405Z-c0ffee/gpqa' \
    -- sh -c '
      echo "$SLURM_STEP_ID" >"$1"
      umask 077
      ulimit -c 0
      export GOMEMLIMIT=400MiB
      exec "$2" --config="$3" </dev/null
    ' sh "$(step_file otel_collector)" "$gym_collector_binary" otel/collector.yaml
}

start_collector() {
  say "starting the collector"
  collector_step </dev/null &
  gym_step_pid[otel_collector]=$!
}

# Healthy means that this job's collector answers, within the time limit.
await_collector() {
  local gym_until=$((SECONDS + gym_collector_health_timeout)) gym_answer
  while ! stopping; do
    if gym_answer=$(http_get "$gym_collector_health_port" /); then
      if [ "$gym_answer" = "$gym_collector_identity" ]; then
        say "the collector is healthy"
        return 0
      fi
      collector_port_taken "$gym_collector_health_port" "$gym_answer"
      return 1
    fi
    if step_ended otel_collector; then
      collector_never_started
      return 1
    fi
    if [ "$SECONDS" -ge "$gym_until" ]; then
      show_log otel_collector
      fail "the collector was not healthy within $gym_collector_health_timeout s (otel.health_check_timeout_seconds)"
      return 1
    fi
    pause 0.2
  done
  fail "stopped while the collector was starting (${gym_stop_reason:-})"
}

# collector_port_taken PORT [WHAT IT ANSWERS]
collector_port_taken() {
  local gym_who="another program${2:+, which answers: ${2:0:200}}"
  [[ ${2:-} != "gym-otelcol "* ]] || gym_who="the collector of ${2#gym-otelcol }"
  fail "port $1 on ${HOSTNAME:-this node} is taken by $gym_who. A node holds one job with a collector at a time: ask for whole nodes (compute.mycluster.extra_args: {exclusive: ''}), or set otel.enabled: false for this run"
}

# collector_never_started: the step ended before it was healthy; its log usually says why.
collector_never_started() {
  local gym_log gym_port gym_text
  gym_log=$(log_of otel_collector)
  show_log otel_collector
  if gym_port=$(grep -o -m1 'listen tcp [^ ]*: bind: address already in use' "$gym_log" 2>/dev/null); then
    gym_port=${gym_port%: bind:*}
    collector_port_taken "${gym_port##*:}"
  elif grep -q 'unknown type: "gym"' "$gym_log" 2>/dev/null; then
    fail "otel.binary is not a gym-otelcol: $gym_collector_binary knows no gym processor. Write the path of the gym-otelcol that came with gym-submit"
  elif gym_text=$(grep -o -m1 'token file /.*' "$gym_log" 2>/dev/null); then
    fail "otel.token_file on ${HOSTNAME:-this node}: ${gym_text%%\"*}"
  elif grep -q 'failed to load CA' "$gym_log" 2>/dev/null; then
    fail "otel.ca_file: $gym_ca_file is not there on ${HOSTNAME:-this node}, or holds no certificate in PEM"
  elif grep -q '/bin/sh' "$gym_log" 2>/dev/null; then
    fail "the collector's image has no shell, which enroot needs to start it: otel.container must hold one, or leave it out to run otel.binary on the host"
  elif [[ ${gym_step_code[otel_collector]} == 12[67] ]]; then
    fail "otel.container: the image has no $gym_collector_binary that can be run: name an image of gym-otelcol, or leave the key out to run otel.binary on the host"
  else
    fail "the collector ended with code ${gym_step_code[otel_collector]} before it was healthy: see $gym_log"
  fi
}

# requests_in_flight: how many requests the engines are working on, 0 when they do not say.
requests_in_flight() {
  local gym_port
  for gym_port in "${gym_engine_ports[@]}"; do
    http_get "$gym_port" /metrics 1 &
  done | awk '
    /^(vllm:num_requests_(running|waiting)|sglang:num_(running|queue)_reqs)[{ ]/ { sum += $NF }
    END { print int(sum) }'
}

# settle: requests that the driver left behind get up to 2 s, so that the last scrape counts them.
settle() {
  local gym_until=$((SECONDS + 2))
  while [ "$(requests_in_flight)" -gt 0 ] && [ "$SECONDS" -lt "$gym_until" ]; do
    pause 0.1
  done
}

# miss_collector: says once that the collector ended before its time. The driver does not pay for that.
miss_collector() {
  [ "$gym_collector_missed" = no ] || return 0
  gym_collector_missed=yes
  say "WARNING: the collector ended early, with code ${gym_step_code[otel_collector]}; nothing is recorded any more: see $(log_of otel_collector)"
}

# stop_collector: TERM makes it scrape once more, send what it has and end.
stop_collector() {
  [ -n "${gym_step_pid[otel_collector]:-}" ] || return 0
  if step_ended otel_collector; then
    [ "$gym_collector_healthy" = no ] || stopping || miss_collector
    return 0
  fi
  settle
  say "stopping the collector"
  signal_step otel_collector TERM
  if ! await_end otel_collector "$gym_collector_stop_timeout"; then
    say "WARNING: the collector did not stop within $gym_collector_stop_timeout s and is killed"
    kill_step otel_collector
    await_end otel_collector 5 || say "WARNING: the collector cannot be killed"
  fi
}

# delivery_field SIGNAL KEY: a value of otel/delivery.json, which has one key a line.
delivery_field() {
  awk -v signal="    \"$1\": {" -v key="\"$2\":" '
    $0 == signal { inside = 1 }
    /^    }/ { inside = 0 }
    inside && $1 == key { sub(/^[^:]*: /, ""); sub(/,$/, ""); print; exit }
  ' otel/delivery.json 2>/dev/null
}

# report: what the collector exported and what the backend has, from the record that it keeps.
report() {
  local gym_signal gym_key gym_number gym_text gym_counts='' gym_error='' gym_undelivered=0 gym_missing=0 gym_lost=0 gym_whole=yes
  if [ ! -s otel/delivery.json ]; then
    say "WARNING: the collector left no record of what it delivered; what it wrote is in $gym_bench_dir/otel"
    return 0
  fi
  for gym_signal in metrics traces logs; do
    gym_counts+="${gym_counts:+; }$gym_signal"
    for gym_key in accepted delivered rejected undelivered lost; do
      gym_number=$(delivery_field "$gym_signal" "$gym_key")
      [[ $gym_number =~ ^[0-9]{1,18}$ ]] || gym_number=0
      case $gym_key in
        accepted) gym_counts+=" $gym_number accepted" ;;
        lost)
          [ "$gym_number" = 0 ] || gym_counts+=", $gym_number LOST"
          gym_lost=$((gym_lost + 10#$gym_number))
          ;;
        *) gym_counts+=", $gym_number $gym_key" ;;
      esac
      [ "$gym_key" != undelivered ] || gym_undelivered=$((gym_undelivered + 10#$gym_number))
      case $gym_key in rejected | undelivered | lost) gym_missing=$((gym_missing + 10#$gym_number)) ;; esac
    done
    gym_text=$(delivery_field "$gym_signal" message | sed 's/^"//; s/"$//; s/\\\(.\)/\1/g')
    gym_error="${gym_error:-$gym_text}"
  done
  grep -q '^  "ended": true' otel/delivery.json || gym_whole=no
  say "exported: $gym_counts"
  if [ "$gym_missing" -eq 0 ] && [ "$gym_whole" = yes ]; then
    say "the backend has all of it; it is also in $gym_bench_dir/otel"
    return 0
  fi
  if [ "$gym_whole" = no ]; then
    say "WARNING: the collector did not end in order; these are the counts of its last record"
  else
    say "WARNING: the backend does not have all of it; the last error: ${gym_error:-none}"
  fi
  if [ "$gym_undelivered" -gt 0 ] || [ "$gym_whole" = no ]; then
    say "send the rest with: gym-submit replay $(printf '%q' "$gym_bench_dir")"
  fi
  if [ "$gym_lost" -gt 0 ]; then
    say "what is LOST is in no file: disk and backend were away together; the files with the rest: $gym_bench_dir/otel"
  else
    say "the files with all of it: $gym_bench_dir/otel"
  fi
}

# ---- The services -----------------------------------------------------------------------

policy_service_step() {
  local gym_command=(
    vllm serve example/model
    --port 8000
    --tensor-parallel-size 4
  )
  step policy \
    --no-container-mount-home \
    '--container-image=vllm/vllm-openai:v0.11.0' \
    -- "${gym_command[@]}"
}

# start_service NAME PORT: starts <name>_step in the background. The port has to be free, or
# somebody else's server would pass for this one.
start_service() {
  if port_is_taken "$2"; then
    fail "port $2 on ${HOSTNAME:-this node} is taken by another program: give services.$1.port another number, or ask for whole nodes"
    return 1
  fi
  say "starting $1"
  "$3" &
  gym_step_pid[$1]=$!
}

# await_service NAME PORT PATH SECONDS
await_service() {
  local gym_began=$SECONDS
  say "waiting for $1 (localhost:$2$3, up to $4 s)"
  while ! stopping; do
    ! a_service_ended "before the services were healthy" || return 1
    if http_get "$2" "$3" >/dev/null; then
      say "$1 is healthy after $((SECONDS - gym_began)) s"
      return 0
    fi
    if [ $((SECONDS - gym_began)) -ge "$4" ]; then
      show_log "$1"
      fail "service $1 was not healthy within $4 s (services.$1.health_check.timeout_seconds)"
      return 1
    fi
    pause 1
  done
  fail "stopped while service $1 was starting (${gym_stop_reason:-})"
}

# a_service_ended WHEN: names a service that ended although it should run as long as the driver.
a_service_ended() {
  local gym_name
  for gym_name in "${gym_services[@]}"; do
    if step_ended "$gym_name"; then
      show_log "$gym_name"
      fail "service $gym_name ended with code ${gym_step_code[$gym_name]} $1"
      return 0
    fi
  done
  return 1
}

stop_services() {
  local gym_name
  for gym_name in "${gym_services[@]}"; do
    if [ -n "${gym_step_pid[$gym_name]:-}" ] && ! step_ended "$gym_name"; then
      say "stopping the services"
      signal_services TERM
      break
    fi
  done
  local gym_until=$((SECONDS + gym_service_stop_timeout + 1))
  for gym_name in "${gym_services[@]}"; do
    [ -n "${gym_step_pid[$gym_name]:-}" ] || continue
    await_end "$gym_name" $((gym_until > SECONDS ? gym_until - SECONDS - 1 : 0)) || kill_step "$gym_name"
  done
  for gym_name in "${gym_services[@]}"; do
    [ -n "${gym_step_pid[$gym_name]:-}" ] || continue
    await_end "$gym_name" 5 || say "WARNING: service $gym_name cannot be killed"
  done
}

# ---- The driver -------------------------------------------------------------------------

# driver_main is handed to the driver's step as text and runs there.
driver_main() {
  set -euo pipefail
  exec gym eval run --model-type openai_model \
    '+output_jsonl_fpath=/shared/runs/gym-job-20260102T030405Z-c0ffee/gpqa/artifacts/rollouts.jsonl' \
    '+require_complete=true' \
    '+observability_enabled=true' \
    '+model_call_capture_dir=/shared/runs/gym-job-20260102T030405Z-c0ffee/gpqa/model-calls' \
    '+policy_base_url=http://localhost:8000/v1' \
    '+policy_model_name=example/model' \
    '+policy_api_key=dummy' \
    '+split=benchmark'
}

driver_step() {
  step driver \
    --no-container-mount-home \
    '--container-image=python:3.12' \
    '--container-mounts=/shared/runs/gym-job-20260102T030405Z-c0ffee/gpqa:/shared/runs/gym-job-20260102T030405Z-c0ffee/gpqa' \
    '--container-workdir=/shared/runs/gym-job-20260102T030405Z-c0ffee/gpqa' \
    -- bash -c 'echo "$SLURM_STEP_ID" >"$1"; eval "$2"; driver_main' bash \
    "$(step_file driver)" "$(declare -f driver_main)"
}

start_driver() {
  say "starting the driver"
  driver_step &
  gym_step_pid[driver]=$!
}

# await_driver: until it ends, is told to stop, or loses a service.
await_driver() {
  until step_ended driver; do
    if stopping || a_service_ended "while the driver was running"; then
      return 1
    fi
    ! step_ended otel_collector || miss_collector
    pause 0.1
  done
  say "the driver ended with code ${gym_step_code[driver]}"
  [ "${gym_step_code[driver]}" = 0 ] || show_log driver
  if grep -q 'execve(): bash: No such file' "$(log_of driver)" 2>/dev/null; then
    gym_failure="driver.container: the image has no bash, which the driver's step needs: name one that has it"
    gym_step_code[driver]=1 # it never ran
  fi
}

stop_driver() {
  [ -n "${gym_step_pid[driver]:-}" ] || return 0
  if ! step_ended driver; then
    say "stopping the driver${gym_stop_reason:+ ($gym_stop_reason)}"
    gym_cut_short=$gym_stop_reason
    signal_step driver TERM
    if ! await_end driver "$gym_driver_stop_timeout"; then
      say "the driver did not stop within $gym_driver_stop_timeout s and is killed"
      kill_step driver
      await_end driver 5 || say "WARNING: the driver cannot be killed"
    fi
    say "the driver ended with code ${gym_step_code[driver]:-unknown}"
  fi
}

# ---- The life of the job ----------------------------------------------------------------

run() {
  start_collector || return
  await_collector || return
  gym_collector_healthy=yes
  start_service policy 8000 policy_service_step || return
  await_service policy 8000 /health 60 || return
  start_driver
  await_driver
}

finish() {
  local gym_code
  stop_driver
  stop_collector
  stop_services
  rm -f logs/.step-*-"$SLURM_JOB_ID"
  [ "$gym_collector_healthy" = no ] || report
  gym_code="${gym_step_code[driver]:-1}"
  # A driver that was told to stop because of a failure did not finish its work.
  [ "$gym_code" != 0 ] || [ -z "$gym_failure" ] || gym_code=1
  [ -z "$gym_failure" ] || say "FAILED: $gym_failure"
  [ -z "$gym_cut_short" ] || say "STOPPED before the driver was done: $gym_cut_short"
  say "job $SLURM_JOB_ID of $gym_run_id/$gym_benchmark ends with code $gym_code"
  exit "$gym_code"
}

gym_collector_healthy=no
gym_collector_missed=no
say "job $SLURM_JOB_ID of $gym_run_id/$gym_benchmark begins on ${HOSTNAME:-this machine}, $(date '+%Y-%m-%d %z %Z')"
run
finish
