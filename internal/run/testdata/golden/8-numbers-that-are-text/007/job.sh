#!/bin/bash
#SBATCH --job-name=gym-007
#SBATCH --account=1e3
#SBATCH --time=12:00:00
#SBATCH --chdir=/shared/runs/gym-job-20260102T030405Z-c0ffee/007
#SBATCH --output=logs/job-%j.log
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@60
#SBATCH --partition=on
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1

# Benchmark 007 of run gym-job-20260102T030405Z-c0ffee, written by gym-submit 0.1.0.
#
# In order: the collector, the services, their health checks, the driver. Then the
# end, in order too: the driver if it still runs, the collector (it scrapes the services
# once more), the services.
# The exit code is the driver's; 1 when the driver never ran, with the reason in this log.

# shellcheck disable=SC2016  # dollar signs in quoted values are the user's own
set -u

# ---- Settings ---------------------------------------------------------------------------

readonly run_id=gym-job-20260102T030405Z-c0ffee
readonly benchmark=007
readonly bench_dir=/shared/runs/gym-job-20260102T030405Z-c0ffee/007
readonly collector_binary=/opt/gym-otelcol
readonly engine_ports=(8000)
readonly collector_health_port=13133
readonly collector_health_timeout=300 # seconds
readonly collector_stop_timeout=30    # seconds; it is gone after 25 on its own
readonly driver_stop_timeout=10      # seconds between TERM and KILL
readonly service_stop_timeout=2      # seconds between TERM and KILL
readonly services=(policy)

cd "$bench_dir" || {
  echo "the job directory $bench_dir is not there on ${HOSTNAME:-this node}: is job.output_path on shared storage?" >&2
  exit 1
}

# ---- The token leaves the environment ---------------------------------------------------
# Everything in this job runs under one uid, and /proc/<pid>/environ shows what a process
# was started with. So this script starts itself again without OTEL_TOKEN and reads its value
# from a pipe; from here on the value is in this shell's memory and in no environment.

if [ -n "${OTEL_TOKEN+set}" ]; then
  exec 3< <(printf '%s' "$OTEL_TOKEN")
  exec env -u OTEL_TOKEN GYM_TOKEN_FD=3 bash "$0" "$@"
fi
token=''
if [ "${GYM_TOKEN_FD:-}" = 3 ]; then
  IFS= read -r -d '' token <&3 # up to the end of the pipe, which read reports as 1
  exec 3<&-
fi
unset GYM_TOKEN_FD

# Steps get this shell's environment even when the job was submitted with a narrower one.
export SLURM_EXPORT_ENV=ALL

# ---- Helpers ----------------------------------------------------------------------------

say() {
  local now=${EPOCHREALTIME:--1} fraction # -1 is the current second, for shells before bash 5
  fraction=${now:11:3}
  printf '%(%H:%M:%S)T%s %s\n' "${now%%[.,]*}" "${fraction:+.$fraction}" "$*"
}

failure=''   # the first reason why the job cannot go on; printed again at the end
cut_short='' # why the driver was stopped before it was done
fail() {
  say "ERROR: $*"
  failure="${failure:-$*}"
  return 1
}

# pause SECONDS: sleeps without starting a process, so that loops can look often.
exec {clock}<> <(:)
pause() { read -r -t "$1" -u "$clock" || :; }

# Signals only leave a note; the loops below read it and stop everything in order.
stop_reason=''
# shellcheck disable=SC2317  # called by the traps
note_stop() { stop_reason="${stop_reason:-$1}"; }
trap 'note_stop "USR1: the walltime is nearly used up, or the run was cancelled"' USR1
trap 'note_stop "TERM: the job was asked to stop"' TERM
trap 'note_stop "INT: interrupted"' INT
trap 'note_stop "HUP: the terminal is gone"' HUP

stopping() { [ -n "$stop_reason" ]; }

log_of() { printf 'logs/%s-%s.log' "$1" "$SLURM_JOB_ID"; }


# show_log NAME: the end of a step's log, indented.
show_log() {
  say "the last lines of $(log_of "$1"):"
  tail -n 20 "$(log_of "$1")" 2>/dev/null | sed 's/^/    /'
}

# http_get PORT PATH: prints the body of the answer; false when nothing answers within 2 s
# or the status is 400 or above. Bash alone, because not every node has curl.
http_get() {
  timeout 2 bash -c '
    exec 3<>"/dev/tcp/localhost/$1" || exit 1
    printf "GET %s HTTP/1.0\r\nHost: localhost:%s\r\nConnection: close\r\n\r\n" "$2" "$1" >&3
    read -r _ status _ <&3
    while IFS= read -r header <&3 && [ ${#header} -gt 1 ]; do :; done # up to the blank line
    cat <&3
    [ "${status:-999}" -lt 400 ]
  ' bash "$1" "$2" 2>/dev/null
}

# ---- How a step starts and how it is signalled ------------------------------------------
# Here: an srun step. --overlap, because a step without it would wait for the others to
# end; one task, whatever the allocation's ntasks are.

declare -A step_pid=() step_code=()

# step NAME [SRUN OPTION...] -- COMMAND...: becomes the srun of the step; called in a subshell
# that is put in the background.
step() {
  local name=$1 options=()
  shift
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  exec {clock}>&-
  exec srun --overlap --nodes=1 --ntasks=1 --mem=0 --job-name="$name" \
    --output="$(log_of "$name")" --open-mode=append "${options[@]}" "$@" 2>>"$(log_of "$name")"
}

# A step that shares this directory writes its number here as its first act. Numbers race
# when steps start together, so the step itself is asked.
step_file() { printf 'logs/.step-%s-%s' "$1" "$SLURM_JOB_ID"; }

# signal_step NAME SIGNAL: to the step's task. Never to its srun, which would turn it into KILL.
signal_step() {
  local number=''
  read -r number 2>/dev/null <"$(step_file "$1")"
  if [ -n "$number" ]; then
    scancel --signal="$2" "$SLURM_JOB_ID.$number" 2>/dev/null # it may end at this moment
  else
    kill_step "$1" # it never began
  fi
}

# kill_step NAME: what an srun makes of TERM is KILL for its task.
kill_step() { kill -TERM "${step_pid[$1]}" 2>/dev/null; }

# All steps of the job and nothing else: the services are the last ones left.
signal_services() { scancel --signal="$1" "$SLURM_JOB_ID" 2>/dev/null; }

# step_ended NAME: true once the step is gone; its exit code is then in step_code.
step_ended() {
  [ -z "${step_code[$1]:-}" ] || return 0
  ! kill -0 "${step_pid[$1]}" 2>/dev/null || return 1
  wait "${step_pid[$1]}"
  step_code[$1]=$?
}

# await_end NAME SECONDS: waits that long for the step's end; false when it still runs.
await_end() {
  local until=$((SECONDS + $2 + 1))
  until step_ended "$1"; do
    [ "$SECONDS" -lt "$until" ] || return 1
    pause 0.05
  done
}

# ---- The collector ----------------------------------------------------------------------

# What its health check answers. Any other answer is somebody else's.
readonly collector_identity="gym-otelcol gym-job-20260102T030405Z-c0ffee/007 job $SLURM_JOB_ID"

# The token comes on standard input: no srun and no argument list has it. A dollar sign is
# doubled, because the collector expands the value once more.
start_collector() {
  if [ -z "$token" ]; then
    fail "OTEL_TOKEN is not set in the job: submit with gym-submit from a shell that has it"
    return 1
  fi
  say "starting the collector"
  (
    unset SLURM_GPUS_PER_NODE # srun takes it for an option, which --gres=none contradicts
    step otel_collector \
      --gres=none \
      --cpus-per-task=1 \
      -- sh -c '
      echo "$SLURM_STEP_ID" >"$1"
      umask 077
      ulimit -c 0
      IFS= read -r OTEL_TOKEN
      export OTEL_TOKEN GOMEMLIMIT=400MiB
      exec "$2" --config="$3" </dev/null
    ' sh "$(step_file otel_collector)" "$collector_binary" otel/collector.yaml
  ) < <(printf '%s\n' "${token//\$/\$\$}") &
  step_pid[otel_collector]=$!
  token=''
}

# Healthy means that this job's collector answers, within the time limit.
await_collector() {
  local until=$((SECONDS + collector_health_timeout)) answer
  while ! stopping; do
    if answer=$(http_get "$collector_health_port" /); then
      if [ "$answer" = "$collector_identity" ]; then
        say "the collector is healthy"
        return 0
      fi
      collector_port_taken "$collector_health_port" "$answer"
      return 1
    fi
    if step_ended otel_collector; then
      collector_never_started
      return 1
    fi
    if [ "$SECONDS" -ge "$until" ]; then
      show_log otel_collector
      fail "the collector was not healthy within $collector_health_timeout s (otel.health_check_timeout_seconds)"
      return 1
    fi
    pause 0.2
  done
  fail "stopped while the collector was starting (${stop_reason:-})"
}

# collector_port_taken PORT [WHAT IT ANSWERS]
collector_port_taken() {
  local who="another program${2:+, which answers: ${2:0:200}}"
  [[ ${2:-} != "gym-otelcol "* ]] || who="the collector of ${2#gym-otelcol }"
  fail "port $1 on ${HOSTNAME:-this node} is taken by $who. A node holds one job with a collector at a time: ask for whole nodes (compute.0123.extra_args: {exclusive: ''}), or set otel.enabled: false for this run"
}

# collector_never_started: the step ended before it was healthy; its log usually says why.
collector_never_started() {
  local log port
  log=$(log_of otel_collector)
  show_log otel_collector
  if port=$(grep -o -m1 'listen tcp [^ ]*: bind: address already in use' "$log" 2>/dev/null); then
    port=${port%: bind:*}
    collector_port_taken "${port##*:}"
  elif grep -q 'unknown type: "gym"' "$log" 2>/dev/null; then
    fail "otel.binary is not a gym-otelcol: $collector_binary knows no gym processor. Write the path of the gym-otelcol that came with gym-submit"
  elif grep -q '/bin/sh' "$log" 2>/dev/null; then
    fail "the collector's image has no shell, which enroot needs to start it: otel.container must hold one, or leave it out to run otel.binary on the host"
  elif [[ ${step_code[otel_collector]} == 12[67] ]]; then
    fail "otel.binary: $collector_binary is not there or cannot be run on ${HOSTNAME:-this node}: write a path that the compute nodes have"
  else
    fail "the collector ended with code ${step_code[otel_collector]} before it was healthy: see $log"
  fi
}

# requests_in_flight: how many requests the engines are working on, 0 when they do not say.
requests_in_flight() {
  local port
  for port in "${engine_ports[@]}"; do
    http_get "$port" /metrics || :
  done | awk '
    /^(vllm:num_requests_(running|waiting)|sglang:num_(running|queue)_reqs)[{ ]/ { sum += $NF }
    END { print int(sum) }'
}

# settle: requests that the driver left behind get up to 2 s, so that the last scrape counts them.
settle() {
  local until=$((SECONDS + 3))
  while [ "$SECONDS" -lt "$until" ] && [ "$(requests_in_flight)" -gt 0 ]; do
    pause 0.1
  done
}

# stop_collector: TERM makes it scrape once more, send what it has and end.
stop_collector() {
  [ -n "${step_pid[otel_collector]:-}" ] || return 0
  if step_ended otel_collector; then
    [ "$collector_healthy" = no ] || stopping ||
      say "WARNING: the collector ended early, with code ${step_code[otel_collector]}: see $(log_of otel_collector)"
    return 0
  fi
  settle
  say "stopping the collector"
  signal_step otel_collector TERM
  if ! await_end otel_collector "$collector_stop_timeout"; then
    say "WARNING: the collector did not stop within $collector_stop_timeout s and is killed"
    kill_step otel_collector
    await_end otel_collector 5 || say "WARNING: the collector cannot be killed"
  fi
}

# report: what the collector exported, as far as its files tell.
report() {
  local signal lines failed log
  log=$(log_of otel_collector)
  for signal in metrics traces logs; do
    lines=0
    [ ! -f "otel/$signal.jsonl" ] || lines=$(wc -l <"otel/$signal.jsonl")
    say "exported $signal: $lines batches, in $bench_dir/otel/$signal.jsonl"
  done
  failed=$(grep -c -e 'Exporting failed' -e 'Partial success' "$log" 2>/dev/null)
  if [ "${failed:-0}" -gt 0 ]; then
    say "WARNING: the backend did not take everything ($failed lines in $log say why); the files above have it all"
  else
    say "the collector reported no failed export"
  fi
}

# ---- The services -----------------------------------------------------------------------

start_service_policy() {
  local command=(
    vllm serve 2024-01-01
    --port 8000
    --tensor-parallel-size 1
  )
  say "starting policy"
  (
    step policy \
      -- "${command[@]}"
  ) &
  step_pid["policy"]=$!
}

# await_service NAME PORT PATH SECONDS
await_service() {
  local began=$SECONDS
  say "waiting for $1 (localhost:$2$3, up to $4 s)"
  while ! stopping; do
    if step_ended "$1"; then
      show_log "$1"
      fail "service $1 ended with code ${step_code[$1]} before it was healthy"
      return 1
    fi
    if http_get "$2" "$3" >/dev/null; then
      say "$1 is healthy after $((SECONDS - began)) s"
      return 0
    fi
    if [ $((SECONDS - began)) -ge "$4" ]; then
      show_log "$1"
      fail "service $1 was not healthy within $4 s (services.$1.health_check.timeout_seconds)"
      return 1
    fi
    pause 1
  done
  fail "stopped while service $1 was starting (${stop_reason:-})"
}

# a_service_ended: names a service that ended although it should run as long as the driver.
a_service_ended() {
  local name
  for name in "${services[@]}"; do
    if step_ended "$name"; then
      show_log "$name"
      fail "service $name ended with code ${step_code[$name]} while the driver was running"
      return 0
    fi
  done
  return 1
}

stop_services() {
  local name
  for name in "${services[@]}"; do
    if [ -n "${step_pid[$name]:-}" ] && ! step_ended "$name"; then
      say "stopping the services"
      signal_services TERM
      break
    fi
  done
  local until=$((SECONDS + service_stop_timeout + 1))
  for name in "${services[@]}"; do
    [ -n "${step_pid[$name]:-}" ] || continue
    await_end "$name" $((until > SECONDS ? until - SECONDS - 1 : 0)) || kill_step "$name"
  done
  for name in "${services[@]}"; do
    [ -n "${step_pid[$name]:-}" ] || continue
    await_end "$name" 5 || say "WARNING: service $name cannot be killed"
  done
}

# ---- The driver -------------------------------------------------------------------------

# driver_main is handed to the driver's step as text and runs there.
# shellcheck disable=SC2317  # called by name
driver_main() {
  set -euo pipefail
  exec gym eval run \
    '+output_jsonl_fpath=/shared/runs/gym-job-20260102T030405Z-c0ffee/007/artifacts/rollouts.jsonl' \
    '+policy_base_url=http://localhost:8000/v1' \
    '+policy_model_name=2024-01-01' \
    '+policy_api_key=dummy' \
    '+split=1.10'
}

start_driver() {
  say "starting the driver"
  (
    step driver \
      -- bash -c 'echo "$SLURM_STEP_ID" >"$1"; eval "$2"; driver_main' bash \
      "$(step_file driver)" "$(declare -f driver_main)"
  ) &
  step_pid[driver]=$!
}

# await_driver: until it ends, is told to stop, or loses a service.
await_driver() {
  until step_ended driver; do
    if stopping || a_service_ended; then
      return 1
    fi
    pause 0.1
  done
  say "the driver ended with code ${step_code[driver]}"
  [ "${step_code[driver]}" = 0 ] || show_log driver
}

stop_driver() {
  [ -n "${step_pid[driver]:-}" ] || return 0
  if ! step_ended driver; then
    say "stopping the driver${stop_reason:+ ($stop_reason)}"
    cut_short=$stop_reason
    signal_step driver TERM
    if ! await_end driver "$driver_stop_timeout"; then
      say "the driver did not stop within $driver_stop_timeout s and is killed"
      kill_step driver
      await_end driver 5 || say "WARNING: the driver cannot be killed"
    fi
    say "the driver ended with code ${step_code[driver]:-unknown}"
  fi
}

# ---- The life of the job ----------------------------------------------------------------

run() {
  start_collector || return
  await_collector || return
  collector_healthy=yes
  start_service_policy
  await_service policy 8000 /health 60 || return
  start_driver
  await_driver
}

finish() {
  local code
  stop_driver
  stop_collector
  stop_services
  rm -f logs/.step-*-"$SLURM_JOB_ID"
  [ "$collector_healthy" = no ] || report
  code="${step_code[driver]:-1}"
  # A driver that was told to stop because of a failure did not finish its work.
  [ "$code" != 0 ] || [ -z "$failure" ] || code=1
  [ -z "$failure" ] || say "FAILED: $failure"
  [ -z "$cut_short" ] || say "STOPPED before the driver was done: $cut_short"
  say "job $SLURM_JOB_ID of $run_id/$benchmark ends with code $code"
  exit "$code"
}

collector_healthy=no
say "job $SLURM_JOB_ID of $run_id/$benchmark begins on ${HOSTNAME:-this machine}, $(date '+%Y-%m-%d %Z')"
run
finish
