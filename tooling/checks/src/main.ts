// Everything that must hold, in one command: the checks of the whole tree side by side, then every test, long ones in their short form (`TEST_SIZE=full` runs them in full).
import { spawnSync } from 'node:child_process'
import { runTasks } from './workspace/turbo.ts'
import { root } from './workspace/workspace.ts'

const checks = ['format', 'types', 'boundaries', 'unused', 'versions', 'derived', 'architecture', 'reachable'].map(
  (name) => `//#check:${name}`,
)

const failed = runTasks([...checks, '--concurrency=2', '--output-logs=errors-only'])
if (failed) process.exit(failed)
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
})
process.exit(status ?? 1)
