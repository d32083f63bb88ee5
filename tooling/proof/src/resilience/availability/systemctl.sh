#!/bin/bash
# systemctl on a machine without systemd: services of Debian by their init scripts; ours, and those of Debian that have no init script
# that works, as their unit says. Several at once, as there.
set -euo pipefail
verb=$1
shift
if [ "$verb" = daemon-reload ]; then exit; fi
if [ "$verb" = enable ]; then
  verb=start
  shift
fi

of_unit() { sed -n "s|%i|$instance|g; s|%p|$name|g; s|%H|$(hostname)|g; s|^$1=-\?||p" "$unit"; }

act() {
  local name=${1%.service} unit instance
  unit=/etc/systemd/system/${name%@*}@.service
  instance=${name#*@}
  case $name in
    postgresql@*)
      pg_ctlcluster --skip-systemctl-redirect "${instance%%-*}" "${instance#*-}" "$verb"
      return
      ;;
  esac
  case $name in etcd | patroni) unit=/lib/systemd/system/$name.service ;; esac
  if [ ! -e "$unit" ]; then
    # Some of these scripts cannot restart what does not run.
    if [ "$verb" = restart ]; then
      service "$name" stop || true
      service "$name" start
    else
      service "$name" "$verb"
    fi
    return
  fi
  local pid=/run/$name.pid patience folder
  if [ "$verb" != start ]; then
    patience=$(of_unit TimeoutStopSec)
    start-stop-daemon --stop --quiet --oknodo --pidfile "$pid" --retry "TERM/${patience:-90}/KILL/5"
  fi
  if [ "$verb" != stop ]; then
    folder=$(of_unit WorkingDirectory)
    (
      set -a
      eval "$(of_unit Environment)"
      for file in $(of_unit EnvironmentFile); do if [ -e "$file" ]; then . "$file"; fi; done
      start-stop-daemon --start --quiet --background --make-pidfile --pidfile "$pid" --output "/var/log/$name.log" \
        --chuid "$(of_unit User)" --chdir "${folder:-/}" --startas /bin/sh -- -c "exec $(of_unit ExecStart)"
    )
  fi
}

running=()
for each; do
  act "$each" &
  running+=($!)
done
for process in "${running[@]}"; do wait "$process"; done
