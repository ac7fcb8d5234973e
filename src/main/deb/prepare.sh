#!/bin/sh
# Makes what the Debian package has besides the packaged layout, by the packaged program itself: completion, manual page, change log, copyright.
#
#   prepare.sh LAYOUT VERSION TIMESTAMP CHANGES TARGET
set -eu
layout=$1
version=$2
timestamp=$3
changes=$4
target=$5
here=$(CDPATH='' cd -- "$(dirname "$0")" && pwd)
rm -rf "$target"
mkdir -p "$target"
export WALLETD_ARCHIVE=off
# A file that is read by a shell needs no line that names one.
"$layout/bin/chain-walletd" completion | sed 1d >"$target/completion"
"$layout/bin/chain-walletd" completion --man >"$target/chain-walletd.1"
gzip -9n "$target/chain-walletd.1"
gzip -9nc "$changes" >"$target/changelog.gz"
# The build's own time, so that the same sources make the same package.
when=$(LC_ALL=C date -u -d "$timestamp" -R)
printf 'chain-walletd (%s) stable; urgency=medium\n\n  * The changes are in changelog.gz.\n\n -- chain-walletd maintainers <maintainers@chain-walletd.example>  %s\n' \
  "$version" "$when" | gzip -9n >"$target/changelog.Debian.gz"
cp "$here/copyright" "$target/copyright"
