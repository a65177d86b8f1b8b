#!/bin/bash
#SBATCH --job-name=gym-ifbench
#SBATCH --account=my-account
#SBATCH --time=01:00:00
#SBATCH --chdir=/lustre/fsw/me/runs/gym-job-20260102T030405Z-c0ffee/ifbench
#SBATCH --output=logs/job-%j.log
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@60
#SBATCH --partition=batch
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=1

# Benchmark ifbench of run gym-job-20260102T030405Z-c0ffee, written by gym-submit 0.1.0.
#
# In order: the services, their health checks, the driver. Then the
# end, in order too: the driver if it still runs, the services.
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
readonly gym_benchmark=ifbench
readonly gym_bench_dir=/lustre/fsw/me/runs/gym-job-20260102T030405Z-c0ffee/ifbench
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

# ---- The services -----------------------------------------------------------------------

policy_service_step() {
  local gym_command=(
    vllm serve Qwen/Qwen2.5-0.5B-Instruct
    --port 8000
    --tensor-parallel-size 1
  )
  step policy \
    --no-container-mount-home \
    '--container-image=vllm/vllm-openai:v0.9.0' \
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
  # NeMo Gym from source, in an environment of its own.
  gym_source_dir=$(mktemp -d /tmp/gym-install-XXXXXX) # it goes with the container
  git clone --quiet -- https://github.com/NVIDIA-NeMo/gym "$gym_source_dir"
  cd "$gym_source_dir"
  git checkout --quiet v0.7.0 --
  command -v uv >/dev/null || python3 -m pip install --quiet uv || :
  if ! command -v uv >/dev/null; then # an image without pip, or whose pip installs nothing
    curl -LsSf https://astral.sh/uv/install.sh | env UV_INSTALL_DIR="$PWD/.uv" UV_NO_MODIFY_PATH=1 sh
    PATH=$PWD/.uv:$PATH
  fi
  uv venv --seed .venv
  # shellcheck disable=SC1091  # made by the line above
  . .venv/bin/activate
  uv pip install -e .
  gym eval prepare \
    '+config_paths=[benchmarks/ifbench/config.yaml]'
  exec gym eval run --model-type openai_model \
    '+output_jsonl_fpath=/lustre/fsw/me/runs/gym-job-20260102T030405Z-c0ffee/ifbench/artifacts/rollouts.jsonl' \
    '+require_complete=true' \
    '+observability_enabled=true' \
    '+model_call_capture_dir=/lustre/fsw/me/runs/gym-job-20260102T030405Z-c0ffee/ifbench/model-calls' \
    '+policy_base_url=http://localhost:8000/v1' \
    '+policy_model_name=Qwen/Qwen2.5-0.5B-Instruct' \
    '+policy_api_key=dummy' \
    '+config_paths=[benchmarks/ifbench/config.yaml]' \
    '+split=benchmark'
}

driver_step() {
  step driver \
    --no-container-mount-home \
    '--container-image=python:3.12' \
    '--container-mounts=/lustre/fsw/me/runs/gym-job-20260102T030405Z-c0ffee/ifbench:/lustre/fsw/me/runs/gym-job-20260102T030405Z-c0ffee/ifbench' \
    '--container-workdir=/lustre/fsw/me/runs/gym-job-20260102T030405Z-c0ffee/ifbench' \
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
  start_service policy 8000 policy_service_step || return
  await_service policy 8000 /health 1200 || return
  start_driver
  await_driver
}

finish() {
  local gym_code
  stop_driver
  stop_services
  rm -f logs/.step-*-"$SLURM_JOB_ID"
  gym_code="${gym_step_code[driver]:-1}"
  # A driver that was told to stop because of a failure did not finish its work.
  [ "$gym_code" != 0 ] || [ -z "$gym_failure" ] || gym_code=1
  [ -z "$gym_failure" ] || say "FAILED: $gym_failure"
  [ -z "$gym_cut_short" ] || say "STOPPED before the driver was done: $gym_cut_short"
  say "job $SLURM_JOB_ID of $gym_run_id/$gym_benchmark ends with code $gym_code"
  exit "$gym_code"
}

say "job $SLURM_JOB_ID of $gym_run_id/$gym_benchmark begins on ${HOSTNAME:-this machine}, $(date '+%Y-%m-%d %z %Z')"
run
finish
