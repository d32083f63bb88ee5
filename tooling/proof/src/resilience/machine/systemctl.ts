import { chmodSync, copyFileSync } from 'node:fs'

/** Puts a `systemctl` in place, which works without systemd. */
export function installSystemctl(): void {
  const path = '/usr/local/sbin/systemctl'
  copyFileSync(new URL('systemctl.sh', import.meta.url).pathname, path)
  chmodSync(path, 0o755)
}
