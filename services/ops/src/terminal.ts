import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'

/** What the program reads and writes. Results go to `stdout`, everything else to `stderr`. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean }
}

/** True where a person can be asked. */
export const isInteractive = ({ stdin, stderr }: Terminal): boolean => stdin.isTTY === true && stderr.isTTY === true

/** A message for the operator. */
export const say = ({ stderr }: Terminal, message: string): void => void stderr.write(`${message}\n`)

/** Asks a person, and returns the answer without surrounding spaces. @throws AbortError after Ctrl-C or the end of the input */
export async function ask({ stdin, stderr }: Terminal, question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr, terminal: stdin.isTTY === true })
  const ended = new AbortController()
  lines.once('close', () => ended.abort())
  try {
    return (await lines.question(question, { signal: ended.signal })).trim()
  } finally {
    lines.close()
  }
}

const QUIET_MS = 1000
const REPORT_MS = 10_000

/** Waits for `work` and shows on stderr for how long it has been running: at once on a terminal, else every 10 seconds. */
export async function withProgress<T>({ stderr }: Terminal, label: string, work: Promise<T>): Promise<T> {
  const started = Date.now()
  const text = () => `${label} … ${Math.round((Date.now() - started) / 1000)} s`
  let shown = false
  const timer = setInterval(
    () => {
      stderr.write(stderr.isTTY ? `\r${text()}` : `${text()}\n`)
      shown = true
    },
    stderr.isTTY ? QUIET_MS : REPORT_MS,
  )
  try {
    return await work
  } finally {
    clearInterval(timer)
    if (shown && stderr.isTTY) stderr.write('\r\u001b[K')
  }
}
