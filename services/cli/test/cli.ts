import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { run } from '../src/program.ts'

/** What a command printed, and how it ended. */
export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** The program of one person: a folder of its own for what it keeps. */
export function person(env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'payments-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  /** Starts a command; `stop` is Ctrl-C. */
  const start = (...args: string[]) => {
    const interrupted = new AbortController()
    const printed = { out: '', err: '' }
    const ended = run(args, {
      env: { PAYMENTS_CONFIG_DIR: folder, ...env },
      signal: interrupted.signal,
      out: (text) => {
        printed.out += `${text}\n`
      },
      err: (text) => {
        printed.err += `${text}\n`
      },
      write: async (chunk) => {
        printed.out += Buffer.from(chunk).toString('utf8')
      },
    }).then((code): Ended => ({ code, ...printed }))
    return { printed, ended, stop: () => interrupted.abort(new Error('Interrupted')) }
  }
  return { folder, start, run: (...args: string[]) => start(...args).ended }
}
