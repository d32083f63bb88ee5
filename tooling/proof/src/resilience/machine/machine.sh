#!/bin/sh
# Runs a command on a Debian machine of its own: `unshare --net --mount --pid --fork --kill-child sh machine.sh <checkout> <command…>`.
# It has this machine's files, and keeps what it changes in memory; its network is loopback alone; and the kernel ends its processes
# with this shell, which is their init.
set -eu
checkout=$1
shift
mount -t tmpfs machine /mnt
layer() { # a folder as it is, with its changes kept apart
  mkdir -p "/mnt/changes$2" "/mnt/work$2" "/mnt/root$1"
  mount -t overlay overlay -o "lowerdir=$1,upperdir=/mnt/changes$2,workdir=/mnt/work$2" "/mnt/root$1"
}
layer / /root
# It may be a volume of its own.
layer "$checkout" /checkout
mount -t proc proc /mnt/root/proc
mount --rbind /dev /mnt/root/dev
for folder in /dev/shm /run /tmp; do mount -t tmpfs -o mode=1777 own "/mnt/root$folder"; done
mkdir -p /mnt/root/run/lock
ip link set lo up
# Names lead to IPv4 addresses only on a machine that has one beside loopback (RFC 5737).
ip address add 192.0.2.1/32 dev lo
# Merchants' receivers must have public addresses: 3ffe::/16 was the 6bone's, and is routed nowhere (RFC 3701).
ip address add 3ffe::1/128 dev lo
chroot /mnt/root "$@"
