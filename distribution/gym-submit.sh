#!/bin/sh
# Copyright The gym-otelcol Authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs the gym-submit of this machine's architecture. There is no such script for gym-otelcol:
# for a moment a shell would hold the token in an environment that others may read. A path for
# otel.binary ends in bin/{arch}/gym-otelcol, which is what gym-submit takes by itself.
case $(uname -m) in
  x86_64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *)
    echo "gym-submit: there is none for $(uname -m)" >&2
    exit 126
    ;;
esac
self=$(readlink -f "$0")
exec "${self%/*}/$arch/gym-submit" "$@"
