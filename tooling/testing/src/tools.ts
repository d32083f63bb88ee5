import { spawnSync } from 'node:child_process'

/**
 * True if each of these commands is installed. Names those that are not in one line; where the run says that it must have them
 * (`REQUIRE_SYSTEM_TOOLS=1`, as CI does), a missing one is an error.
 */
export function hasTools(...commands: readonly string[]): boolean {
  const missing = commands.filter((command) => spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0)
  if (missing.length === 0) return true
  const line = `Not run, because it is not installed: ${missing.join(', ')}`
  if (process.env.REQUIRE_SYSTEM_TOOLS === '1') throw new Error(line)
  process.stdout.write(`${line}\n`)
  return false
}
