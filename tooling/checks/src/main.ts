// Everything that must hold, in one command: the checks side by side, then every test.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const checks = ['format', 'types', 'boundaries', 'unused', 'versions', 'derived'].map((name) => `//#check:${name}`)
const environment = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' }

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: environment })
  if (status !== 0) process.exit(status ?? 1)
}

// turbo runs its tasks through pnpm, which a machine need not have: npx brings the pinned one.
const { packageManager } = JSON.parse(readFileSync('package.json', 'utf8')) as { packageManager: string }
const turbo = ['run', ...checks, '--concurrency=2', '--output-logs=errors-only', '--ui=stream', '--no-update-notifier']
run('npx', ['--yes', `--package=${packageManager}`, '--', 'node_modules/.bin/turbo', ...turbo])
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)])
