#!/bin/sh
# A Debian machine of its own: `unshare --net --mount --pid --fork --kill-child sh machine.sh <debian> <checkout> <folder> <unit>`. It has the files
# of a Debian, such as this machine's, and keeps what it changes in memory; its network is loopback alone. systemd starts a unit there, which finds
# the folder as /proof; when that ends, the machine does, and the kernel ends its processes with this shell.
set -eu
debian=$1
checkout=$2
folder=$3
unit=$4
mount -t proc proc /proc
mount -t tmpfs own /run
mount -t tmpfs machine /mnt
layer() { # a folder as it is, in its place there, with its changes kept apart
  mkdir -p "/mnt/changes/$3" "/mnt/work/$3" "/mnt/root$2"
  mount -t overlay overlay -o "lowerdir=$1,upperdir=/mnt/changes/$3,workdir=/mnt/work/$3" "/mnt/root$2"
}
layer "$debian" / debian
# It may be a volume of its own.
layer "$checkout" "$checkout" checkout
ip link set lo up
# Names lead to IPv4 addresses only on a machine that has one beside loopback (RFC 5737).
ip address add 192.0.2.1/32 dev lo
# Merchants' receivers must have public addresses: 3ffe::/16 was the 6bone's, and is routed nowhere (RFC 3701).
ip address add 3ffe::1/128 dev lo
cp "$unit" /mnt/root/etc/systemd/system/proof.service
# No mount of this machine and no timer of Debian belongs to it.
systemd-nspawn --quiet --boot --directory=/mnt/root --bind="$folder:/proof" --bind=/dev/null:/etc/fstab --capability=all \
  --register=no --keep-unit --link-journal=no --resolv-conf=off --timezone=off --console=pipe \
  systemd.unit=proof.service systemd.mask=timers.target systemd.show_status=no < /dev/null
