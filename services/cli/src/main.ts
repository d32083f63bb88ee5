#!/usr/bin/env node
import { once } from 'node:events'
import module from 'node:module'

// Node 22 and newer keep the compiled program: half of the start.
module.enableCompileCache?.()
const { run } = await import('./program.ts')

// `payments … | head` closes the pipe before everything is written: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())

process.exitCode = await run(process.argv.slice(2), {
  // biome-ignore lint/style/noProcessEnv: the one place that reads the environment
  env: process.env,
  signal: interrupted.signal,
  out: (text) => void process.stdout.write(`${text}\n`),
  err: (text) => void process.stderr.write(`${text}\n`),
  async write(chunk) {
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
  },
})
