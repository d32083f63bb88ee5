import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { alias: { '#testing': new URL('./tooling/testing/src/index.ts', import.meta.url).pathname } },
  test: {
    include: ['{packages,services,tooling}/**/*.test.ts'],
    globalSetup: ['tooling/testing/src/setup.ts'],
    sequence: { shuffle: true },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', './tooling/testing/src/reporter.ts'],
  },
})
