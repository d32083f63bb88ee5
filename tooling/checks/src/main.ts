// Everything that must hold, in one command: the checks of the whole tree side by side, then every test, long ones in their short form (`TEST_SIZE=full` runs them in full).
import { runTests } from './tests/run.ts'
import { runTasks } from './workspace/turbo.ts'
import { root } from './workspace/workspace.ts'

const checks = ['format', 'types', 'boundaries', 'unused', 'versions', 'derived', 'architecture', 'reachable'].map(
  (name) => `//#check:${name}`,
)

const failed = runTasks([...checks, '--concurrency=2', '--output-logs=errors-only'])
if (failed) process.exit(failed)
process.exit(runTests(root, process.argv.slice(2), { rerun: process.env.TEST_RERUN === '1' }))
