#!/bin/bash
# systemctl on one of three servers that share a machine: what a server has for itself is started here as its unit says, several at once; everything
# else is of the machine's own systemd.
set -euo pipefail
case ${*: -1} in
  etcd | patroni) ;;
  *) exec /usr/bin/systemctl "$@" ;;
esac
verb=$1
shift
if [ "$verb" = enable ]; then
  verb=start
  shift
fi

of_unit() { sed -n "s|%p|$name|g; s|%H|$(hostname)|g; s|^$1=-\?||p" "/lib/systemd/system/$name.service"; }

act() {
  local name=$1 patience
  local pid=/run/$name.pid
  if [ "$verb" != start ]; then
    patience=$(of_unit TimeoutStopSec)
    start-stop-daemon --stop --quiet --oknodo --pidfile "$pid" --retry "TERM/${patience:-90}/KILL/5"
  fi
  if [ "$verb" != stop ]; then
    (
      set -a
      eval "$(of_unit Environment)"
      for file in $(of_unit EnvironmentFile); do if [ -e "$file" ]; then . "$file"; fi; done
      start-stop-daemon --start --quiet --background --make-pidfile --pidfile "$pid" --output "/var/log/$name.log" \
        --chuid "$(of_unit User)" --chdir / --startas /bin/sh -- -c "exec $(of_unit ExecStart)"
    )
  fi
}

running=()
for each; do
  act "$each" &
  running+=($!)
done
for process in "${running[@]}"; do wait "$process"; done
