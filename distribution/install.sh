#!/bin/sh
# Copyright The gym-otelcol Authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs this directory, an unpacked tarball of gym-otelcol, on storage that login and compute
# nodes share. For plain sh; needs no root, no locks, and nothing but cp, mv, ln and sha256sum.
#
#   PREFIX/0.1.0/         one directory for each version, never changed once it is there
#   PREFIX/current        a link to the version in use, switched by one rename
#   PREFIX/etc/site.yaml  the site's own values, created once and then left alone
#   PREFIX/modulefiles/   for `module use`
set -eu
umask 022

usage() {
  cat <<'EOF'
usage: install.sh [--dry-run] [--no-switch] PREFIX
       install.sh [--dry-run] --uninstall VERSION PREFIX

Installs this version into PREFIX/<version> and makes it PREFIX/current. Calling it again is
safe, and PREFIX/<version>/install.sh PREFIX goes back to a version that is still there.

  --no-switch          install beside the version in use; PREFIX/current stays
  --uninstall VERSION  remove a version that is not PREFIX/current; wait until no job that was
                       submitted with it is queued or running
  --dry-run            say what would be done and do nothing
EOF
}

say() { printf '%s\n' "$*"; }
die() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}
wrong() {
  printf 'install.sh: %s\n' "$*" >&2
  usage >&2
  exit 2
}

dry_run=no switch=yes uninstall='' prefix=''
while [ $# -gt 0 ]; do
  case $1 in
    --dry-run) dry_run=yes ;;
    --no-switch) switch=no ;;
    --uninstall)
      [ $# -gt 1 ] || wrong "--uninstall needs a version"
      uninstall=$2
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    -*) wrong "there is no option $1" ;;
    *)
      [ -z "$prefix" ] || wrong "one PREFIX, please: $prefix or $1"
      prefix=$1
      ;;
  esac
  shift
done
[ -n "$prefix" ] || wrong "name the PREFIX to install into, such as /shared/gym-otelcol"
case $prefix in
  /*) ;;
  *) prefix=$PWD/$prefix ;;
esac
[ "$prefix" = / ] || prefix=${prefix%/}

# run COMMAND...: does it, or says so.
run() {
  if [ "$dry_run" = yes ]; then
    say "would run: $*"
  else
    "$@"
  fi
}

# did TEXT: what was done, when it was.
did() { [ "$dry_run" = yes ] || say "$*"; }

# A file or directory appears under its own name when it is whole. What an interrupted call
# leaves has a name that begins with a dot and is removed by nobody else: two admins may be at it.
part=$prefix/.part.$$
trap 'rm -rf "$part"' EXIT
trap 'exit 1' HUP INT TERM

is_version() {
  case $1 in
    *[!0-9A-Za-z.+-]* | '' | [!0-9]*) return 1 ;;
  esac
}

in_use() { readlink "$prefix/current" 2>/dev/null || :; }

# running_here VERSION: processes of this machine that run from that version. What a process
# runs is known to its user and to root, and of a collector to root alone, as it hides its
# memory; how it was called, everybody sees.
running_here() {
  for process in /proc/[0-9]*; do
    {
      readlink "$process/exe" || :
      tr '\0' '\n' <"$process/cmdline" | head -n 1
    } 2>/dev/null | grep -qF "$real_prefix/$1/" && printf '%s ' "${process#/proc/}"
  done
  return 0
}

remove_version() {
  is_version "$uninstall" || wrong "$uninstall is no version"
  [ -f "$prefix/$uninstall/VERSION" ] || die "there is no $uninstall in $prefix"
  [ "$(in_use)" != "$uninstall" ] || die "$uninstall is the current version: install or switch to another one first"
  real_prefix=$(cd "$prefix" && pwd -P)
  pids=$(running_here "$uninstall")
  [ -z "$pids" ] || die "$uninstall is running on this machine, process ${pids% }: wait for its end"
  # The rename makes it invisible at once; removing takes its time.
  run mv -T "$prefix/$uninstall" "$part"
  run rm -f "$prefix/modulefiles/gym-otelcol/$uninstall" "$prefix/modulefiles/gym-otelcol/$uninstall.lua"
  run rm -rf "$part"
  did "removed $prefix/$uninstall"
}

if [ -n "$uninstall" ]; then
  [ "$switch" = yes ] || wrong "--no-switch goes with an installation"
  remove_version
  exit 0
fi

# ---- What is to be installed ----------------------------------------------------------------

here=$(cd "$(dirname "$0")" && pwd -P)
for needed in VERSION SHA256SUMS; do
  [ -f "$here/$needed" ] || die "$here is no unpacked tarball of gym-otelcol: $needed is missing"
done
read -r version <"$here/VERSION"
is_version "$version" || die "$here/VERSION holds no version"

check_sums() {
  bad=$(cd "$1" && sha256sum -c SHA256SUMS 2>&1 | grep -v ': OK$') || return 0
  die "$1 is damaged: $bad"
}
check_sums "$here"

# ---- The version's own directory ------------------------------------------------------------

install_version() {
  target=$prefix/$version
  if [ -e "$target" ]; then
    cmp -s "$here/SHA256SUMS" "$target/SHA256SUMS" ||
      die "$target is there and holds another build of $version: uninstall it first, or choose another PREFIX"
    check_sums "$target"
    say "$version is installed already"
    return
  fi
  run mkdir -p "$prefix"
  run cp -R "$here" "$part"
  # gym-submit looks for ../etc/site.yaml: one file for all versions.
  run rm -f "$part/etc/site.yaml"
  run ln -s ../../etc/site.yaml "$part/etc/site.yaml"
  run mv -T "$part" "$target"
  did "installed $target"
}

# place SOURCE TARGET: copies a file under a temporary name and renames it.
place() {
  run mkdir -p "$(dirname "$2")"
  run cp "$1" "$part"
  run mv -T "$part" "$2"
}

install_version
if [ -e "$prefix/etc/site.yaml" ]; then
  say "kept $prefix/etc/site.yaml"
else
  source=$here/etc/site.yaml
  [ -f "$source" ] || source=$here/share/examples/site.yaml
  place "$source" "$prefix/etc/site.yaml"
  did "created $prefix/etc/site.yaml: write your site's values into it"
fi
place "$here/share/modulefiles/gym-otelcol.tcl" "$prefix/modulefiles/gym-otelcol/$version"
place "$here/share/modulefiles/gym-otelcol.lua" "$prefix/modulefiles/gym-otelcol/$version.lua"

# ---- The switch -----------------------------------------------------------------------------

before=$(in_use)
if [ "$switch" = no ]; then
  say "current stays ${before:-unset}"
  exit 0
fi
if [ "$before" != "$version" ]; then
  [ ! -e "$prefix/current" ] || [ -L "$prefix/current" ] || die "$prefix/current is there and is no symbolic link"
  run ln -s "$version" "$part"
  run mv -T "$part" "$prefix/current"
fi

# default_module FILE: the module that `module load gym-otelcol` means.
default_module() { printf '#%%Module1.0\nmodule-version gym-otelcol/%s default\n' "$version" >"$1"; }

run default_module "$part"
run mv -T "$part" "$prefix/modulefiles/gym-otelcol/.modulerc"
did "current is $version${before:+ (was $before)}"
