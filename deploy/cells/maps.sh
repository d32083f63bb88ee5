#!/bin/sh
# Gives maps to the HAProxy that runs, each as a whole: no connection ends, and the next request reads them. What has not changed is left
# alone; what fails is done by the next call.
#
#   maps.sh <folder with the new keys.map, emails.map and ids.map>
set -eu
new=${1:?Name the folder of the new maps}
maps=${CELLS_MAPS:-/etc/haproxy/cells}
socket=${HAPROXY_SOCKET:-/run/haproxy/admin.sock}
fail() { echo "$1" >&2; exit 1; }
haproxy() { socat -t 60 - "UNIX-CONNECT:$socket"; }

for map in keys emails ids; do
  file=$maps/$map.map
  [ -f "$new/$map.map" ] || fail "$new/$map.map does not exist"
  if cmp -s "$new/$map.map" "$file"; then continue; fi
  wrong=$(grep -nvE '^[A-Za-z0-9-]+ [0-9a-f]{3}$' "$new/$map.map" | head -n 1)
  [ -z "$wrong" ] || fail "$new/$map.map, line $wrong"
  version=$(echo "prepare map $file" | haproxy | sed -n 's/^New version created: //p')
  [ -n "$version" ] || fail "HAProxy at $socket does not take $file: does its configuration name this file?"
  answers=$({
    echo prompt
    sed "s|^|add map @$version $file |" "$new/$map.map"
    echo quit
  } | haproxy | sed '/^[> ]*$/d')
  [ -z "$answers" ] || fail "$file: $answers"
  answers=$(echo "commit map @$version $file" | haproxy | sed '/^$/d')
  [ -z "$answers" ] || fail "$file: $answers"
  # What a start reads. It is replaced last, so that a call which ended before this is repeated.
  cp "$new/$map.map" "$file.new"
  mv "$file.new" "$file"
done
