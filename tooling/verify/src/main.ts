// Everything that must hold, in one command: the checks side by side, then every test.
import { spawnSync } from 'node:child_process'

const checks = ['format', 'types', 'boundaries', 'unused', 'versions', 'derived'].map((name) => `//#check:${name}`)
const environment = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' }

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: environment })
  if (status !== 0) process.exit(status ?? 1)
}

run('node_modules/.bin/turbo', [
  'run',
  ...checks,
  '--concurrency=2',
  '--output-logs=errors-only',
  '--ui=stream',
  '--no-update-notifier',
])
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)])
