import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { afterAll } from 'vitest'
import { compileCache, program } from '#testing'
import { run } from '../src/run.ts'
import type { Terminal } from '../src/terminal.ts'

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A folder for sessions, removed after the tests of the file, or as `after` says. */
export function stateFolder(after: (remove: () => void) => void = afterAll): string {
  const folder = mkdtempSync(join(tmpdir(), 'payments-ops-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs the program as a script does: without a terminal. */
export async function runOps(args: readonly string[], env: Record<string, string>): Promise<Ran> {
  const child = spawn(process.execPath, [...program('ops'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...compileCache, ...env },
  })
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)]
  const [code] = await once(child, 'close')
  return { code, stdout: await stdout, stderr: await stderr }
}

/** What a person types after a question that contains the text. */
type Answers = Readonly<Record<string, string | (() => Promise<string>)>>

/** A terminal of 80 columns with a person who answers, and what is written to it. */
function talkTo(answers: Answers): { terminal: Terminal; said: { stdout: string; stderr: string } } {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined })
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const said = { stdout: '', stderr: '' }
  const waiting = { ...answers }
  stdout.on('data', (chunk: Buffer) => {
    said.stdout += chunk.toString('utf8')
  })
  stderr.on('data', (chunk: Buffer) => {
    said.stderr += chunk.toString('utf8')
    const asked = Object.keys(waiting).find((question) => chunk.toString('utf8').includes(question))
    if (asked === undefined) return
    const { [asked]: answer = '' } = waiting
    delete waiting[asked]
    const typing = typeof answer === 'string' ? Promise.resolve(answer) : answer()
    void typing.then((line) => stdin.write(`${line}\r`))
  })
  return { terminal: { stdin, stdout, stderr }, said }
}

/** Runs the program on such a terminal; the texts are without their styles. */
export async function talkToOps(args: readonly string[], env: Record<string, string>, answers: Answers): Promise<Ran> {
  const { terminal, said } = talkTo(answers)
  const code = await run(args, env, terminal)
  return { code, stdout: stripVTControlCharacters(said.stdout), stderr: stripVTControlCharacters(said.stderr) }
}
