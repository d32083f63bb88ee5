#!/usr/bin/env node
import { once } from 'node:events'
import module from 'node:module'

// Node 22 and newer keep the compiled program: half of the start.
module.enableCompileCache?.()

// `payments … | head` closes the pipe before everything is written: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())

const surroundings = {
  // biome-ignore lint/style/noProcessEnv: the one place that reads the environment
  env: process.env,
  signal: interrupted.signal,
  out: (text: string) => void process.stdout.write(`${text}\n`),
  err: (text: string) => void process.stderr.write(`${text}\n`),
  async write(chunk: Uint8Array) {
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
  },
}
// Loaded after the cache is on; without `await`, since the package is CommonJS.
void import('./program.ts').then(async ({ run }) => {
  process.exitCode = await run(process.argv.slice(2), surroundings)
})
