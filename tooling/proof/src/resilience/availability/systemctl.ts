import { chmodSync, copyFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Puts a `systemctl` in place, which starts also what a server without systemd of its own has. */
export function installSystemctl(): void {
  const path = '/usr/local/sbin/systemctl'
  copyFileSync(fileURLToPath(new URL('systemctl.sh', import.meta.url)), path)
  chmodSync(path, 0o755)
}
