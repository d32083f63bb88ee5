import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import Sequencer from './tooling/checks/test/sequencer.ts'

/** Files that replace modules, functions, the trusted certificates or for years the clock of the whole process (an id is made after the last one), or whose helpers register hooks when they are imported. All others share a process with the files before them: loading the service for each file was a third of the run. */
const ISOLATED = [
  'packages/accounts/src/comparison.test.ts',
  'packages/collections/src/pay/stream.test.ts',
  'packages/embedded-postgres/src/**/*.test.ts',
  'packages/platform/src/records/partitions/partitions.test.ts',
  'packages/routes/src/deposits/reports.test.ts',
  'packages/webhooks/src/receiver.test.ts',
]
/** Most files of these start the service as a process: it is built before the first. */
const PROCESSES = 'services'
/**
 * Each has processes of its own: one that has run 180 files has grown to 2 GB, and takes up to three times as long for a file. The longest
 * tests first.
 */
const SHARED: Readonly<Record<string, string>> = {
  [PROCESSES]: '{services,tooling}/**/*.test.ts',
  routes: 'packages/[r-z]*/**/*.test.ts',
  domains: 'packages/[a-f]*/**/*.test.ts',
  foundations: 'packages/[g-q]*/**/*.test.ts',
}

export default defineConfig({
  resolve: { alias: { '#testing': fileURLToPath(new URL('./tooling/stand/test/index.ts', import.meta.url)) } },
  test: {
    globalSetup: ['tooling/stand/test/setup.ts'],
    sequence: { shuffle: true, sequencer: Sequencer },
    pool: 'forks',
    // More than the two processors of CI: files also wait for processes, retries and timeouts.
    maxWorkers: 4,
    // Limits for what hangs, no measure: a shared machine is slower at times by a factor of five.
    testTimeout: 150_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 15_000 } },
    reporters: ['default', './tooling/checks/test/reporter.ts'],
    projects: [
      { extends: true, test: { name: 'isolated', include: ISOLATED } },
      ...Object.entries(SHARED).map(([name, include]) => ({
        extends: true as const,
        test: {
          name,
          include: [include],
          exclude: [...ISOLATED, '**/node_modules/**'],
          isolate: false,
          globalSetup: name === PROCESSES ? ['tooling/stand/test/artefact.ts'] : [],
        },
      })),
    ],
  },
})
