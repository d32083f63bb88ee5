import { run } from './run.ts'

// `ops … | head` closes the pipe before everything is written: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

// biome-ignore lint/style/noProcessEnv: the one place that reads the environment
process.exitCode = await run(process.argv.slice(2), process.env, process)
