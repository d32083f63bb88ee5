import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { alias: { '#testing': new URL('./tooling/testing/src/index.ts', import.meta.url).pathname } },
  test: {
    include: ['{packages,services,tooling}/**/*.test.ts'],
    globalSetup: ['tooling/testing/src/setup.ts'],
    sequence: { shuffle: true },
    pool: 'forks',
    maxWorkers: 2,
    // Loading the composed service takes a second of CPU time for each file; a contributor's loop does it once a worker.
    // biome-ignore lint/style/noProcessEnv: the size of a test run is no setting of the service
    isolate: process.env.TEST_SIZE !== 'short',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', './tooling/testing/src/reporter.ts'],
  },
})
