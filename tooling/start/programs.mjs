// Runs programs, which end with this one.
import { spawn } from 'node:child_process'

/** What runs now, each as its function that passes a signal on. */
const running = new Set()
let ended

// Whatever runs is ended with this process, and this process waits for it. npm passes signals on to its own child only, which is
// this process because the scripts of package.json say `exec`.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    ended ??= signal
    for (const end of running) end(signal)
  })

/** True once this process was told to end. */
export const isEnding = () => ended !== undefined

/**
 * Runs a program. A signal to this process is passed on: to the program, which Ctrl-C also reaches by itself (same process group), or to the
 * `group` of its own that npm's children need, because npm leaves them behind.
 * @returns `end`, and `ended`: its code and what it printed, where that is not inherited; `onLine` gets each line as it is printed
 */
export function run(program, args, { group = false, onLine, ...options }) {
  if (ended) process.exit(1)
  const child = spawn(program, args, { detached: group, ...options })
  const output = []
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    let rest = ''
    stream.setEncoding('utf8').on('data', (chunk) => {
      output.push(chunk)
      const lines = (rest + chunk).split(/\r?\n|\r/)
      rest = lines.pop()
      if (onLine) for (const line of lines) onLine(line)
    })
  }
  const end = (signal) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
    if (group) process.kill(-child.pid, signal)
    else child.kill(signal)
  }
  running.add(end)
  const finished = new Promise((resolve) => {
    child.on('error', (error) => {
      output.push(`${error.message}\n`)
      resolve(1)
    })
    child.on('close', (status, signal) => resolve(status ?? (signal ? 1 : 0)))
  }).then((code) => {
    running.delete(end)
    if (ended && group) process.exit(1)
    return { code, output: output.join('') }
  })
  return { end, ended: finished }
}
