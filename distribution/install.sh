#!/bin/sh
# Copyright The gym-otelcol Authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs this directory, an unpacked tarball of gym-otelcol, on storage that login and compute
# nodes share. For plain sh; needs no root, no locks, and nothing but coreutils.
#
#   PREFIX/0.1.0/         one directory for each version, never changed once it is there
#   PREFIX/current        a link to the version in use, switched by one rename
#   PREFIX/etc/site.yaml  the site's own values, created once and then left alone
#   PREFIX/modulefiles/   for `module use`
set -eu
umask 022
# The answers of sha256sum are read, in English; and cd goes where it is told.
LC_ALL=C
export LC_ALL
unset CDPATH

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

# run COMMAND...: does it, or says so. On a full disk cp complains about each file: the first
# line is the reason.
run() {
  if [ "$dry_run" = yes ]; then
    say "would run: $*"
  else
    said=$("$@" 2>&1) || die "$(printf '%s\n' "$said" | head -n 1)"
  fi
}

# did TEXT: what was done, when it was.
did() { [ "$dry_run" = yes ] || say "$*"; }

# A file or directory appears under its own name when it is whole. Until then it is in a
# directory of this call alone: two admins may be at it, on two machines. Only SIGKILL leaves
# that behind, and nobody else removes it.
part='' work=''
trap '[ "$dry_run" = yes ] || [ -z "$work" ] || rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# begin: before the first change.
begin() {
  [ -z "$work" ] || return 0
  run mkdir -p "$prefix"
  for left in "$prefix"/.part.*; do
    [ ! -e "$left" ] || say "left by a call that was killed, if no other one is at work: $left"
  done
  if [ "$dry_run" = yes ]; then
    work=$prefix/.part # which is not there
  else
    work=$(mktemp -d "$prefix/.part.XXXXXX") || die "cannot write to $prefix"
  fi
  part=$work/new
}

is_version() {
  case $1 in
    *[!0-9A-Za-z.+-]* | '' | [!0-9]*) return 1 ;;
  esac
}

in_use() { readlink "$prefix/current" 2>/dev/null || :; }

# real DIRECTORY: its path without symbolic links, or nothing.
real() { (cd "$1" 2>/dev/null && pwd -P) || :; }

# running_here VERSION: processes of this machine that run from that version. What a process
# runs is known to its user and to root, and of a collector to root alone, as it hides its
# memory; how it was called, everybody sees.
running_here() {
  for process in /proc/[0-9]*; do
    {
      readlink "$process/exe" || :
      tr '\0' '\n' <"$process/cmdline" | head -n 1
    } 2>/dev/null | grep -qF -e "$real_prefix/$1/" -e "$prefix/$1/" && printf '%s ' "${process#/proc/}"
  done
  return 0
}

remove_version() {
  is_version "$uninstall" || wrong "$uninstall is no version"
  [ -f "$prefix/$uninstall/VERSION" ] || die "there is no $uninstall in $prefix"
  [ "$(real "$prefix/current")" != "$(real "$prefix/$uninstall")" ] ||
    die "$uninstall is the current version: install or switch to another one first"
  real_prefix=$(real "$prefix")
  pids=$(running_here "$uninstall")
  [ -z "$pids" ] || die "$uninstall is running on this machine, process ${pids% }: wait for its end"
  begin
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
  die "$1 is damaged: $(printf '%s\n' "$bad" | head -n 5)"
}
check_sums "$here"

# ---- The version's own directory ------------------------------------------------------------

install_version() {
  target=$prefix/$version
  if [ -e "$target" ]; then
    cmp -s "$here/SHA256SUMS" "$target/SHA256SUMS" ||
      die "$target is there and holds another build of $version: choose another PREFIX, or uninstall that one first;" \
        "the current one cannot be uninstalled, but renamed to $version.old"
    check_sums "$target"
    say "$version is installed already"
    return
  fi
  begin
  run cp -R "$here" "$part"
  # The umask of whoever unpacked it may keep everybody else out.
  run chmod -R u=rwX,go=rX "$part"
  # gym-submit looks for ../etc/site.yaml: one file for all versions.
  run rm -f "$part/etc/site.yaml"
  run ln -s ../../etc/site.yaml "$part/etc/site.yaml"
  if [ "$dry_run" = yes ]; then
    say "would run: mv -T $part $target"
  elif ! mv -T "$part" "$target" 2>/dev/null; then
    [ -e "$target" ] || die "cannot rename $part to $target"
    rm -rf "$part"
    install_version # another call was faster: with the same build, or not
    return
  fi
  did "installed $target"
}

# place SOURCE TARGET: copies a file under a temporary name and renames it.
place() {
  run mkdir -p "$(dirname "$2")"
  run cp "$1" "$part"
  run chmod 644 "$part"
  run mv -T "$part" "$2"
}

[ "$switch" = no ] || [ ! -e "$prefix/current" ] || [ -L "$prefix/current" ] ||
  die "$prefix/current is there and is no symbolic link"
[ -d "$prefix" ] || { [ ! -e "$prefix" ] && [ ! -L "$prefix" ]; } || die "$prefix is there and is no directory"
install_version
begin
if [ -e "$prefix/etc/site.yaml" ] || [ -L "$prefix/etc/site.yaml" ]; then
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
  run ln -s "$version" "$part"
  run mv -T "$part" "$prefix/current"
fi

# default_module FILE: the module that `module load gym-otelcol` means.
default_module() { printf '#%%Module1.0\nmodule-version gym-otelcol/%s default\n' "$version" >"$1"; }

run default_module "$part"
run mv -T "$part" "$prefix/modulefiles/gym-otelcol/.modulerc"
[ "$before" != "$version" ] || before=''
did "current is $version${before:+ (was $before)}"
