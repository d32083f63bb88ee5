#!/bin/sh
# Runs a command in a root of its own: `unshare --mount --pid --fork --kill-child sh bare.sh <root> <folder> <command…>`. Its network is this
# machine's; its processes end with this shell.
set -eu
root=$1
folder=$2
shift 2
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 own "$root/tmp"
exec chroot "$root" env --ignore-environment HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin PORT="$PORT" INTERNAL_PORT="$INTERNAL_PORT" \
  DEBIAN_FRONTEND=noninteractive sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
