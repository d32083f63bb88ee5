import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'

/** Makes the smallest Debian in an empty folder: no compiler, no git, no tool that nobody asked for; with these packages and what they need. */
export function makeDebian(folder: string, packages: readonly string[] = []): void {
  // Also users without rights begin there.
  chmodSync(folder, 0o755)
  const include = packages.length > 0 ? [`--include=${packages.join(',')}`] : []
  execFileSync('debootstrap', ['--variant=minbase', ...include, 'bookworm', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
