import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspace.ts'

/**
 * Runs turbo tasks. turbo runs them through pnpm, which a machine need not have: npx brings the pinned one.
 * @returns the exit status
 */
export function runTasks(tasks: readonly string[]): number {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { packageManager: string }
  const turbo = ['node_modules/.bin/turbo', 'run', ...tasks, '--ui=stream', '--no-update-notifier']
  const { status } = spawnSync('npx', ['--yes', `--package=${packageManager.split('+')[0]}`, '--', ...turbo], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      TURBO_TELEMETRY_DISABLED: '1',
      DO_NOT_TRACK: '1',
      // Part of every cache key: what passes on one Node proves nothing about another.
      NODE_VERSION: process.versions.node,
    },
  })
  return status ?? 1
}
