import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Sample } from './samples.ts'

const VERIFIERS = fileURLToPath(new URL('../../../../docs/verify/', import.meta.url))
const SDK = fileURLToPath(new URL('../../../../packages/sdk', import.meta.url))
/** Printed after each sample. */
export const MARK = '@@@ end of sample'
const TIMEOUT_MS = 120_000

export interface Place {
  /** The service, without `/v1`. */
  readonly url: string
  /** The port of the reader's webhook receiver. */
  readonly receiverPort: number
  readonly env: Record<string, string>
  /** Answers a question that a sample asks, such as the code from the email. */
  readonly answer?: () => Promise<string>
}

/**
 * Runs samples as a reader does: every program is saved under its name beside the verifiers; the shell samples are one session.
 * Returns what each sample printed. `commandOf` is for the programs in Go; `replace` changes the shell session.
 */
export async function runSamples(
  samples: readonly Sample[],
  place: Place,
  commandOf: (name: string) => readonly string[],
  replace: (script: string) => string = (script) => script,
): Promise<Map<Sample, string>> {
  return inFolder(async (folder) => {
    const here = (code: string) => at(place, code)
    for (const { file, code } of samples) if (file) writeFileSync(join(folder, file), here(code))
    const shell = samples.filter(({ language }) => language === 'sh')
    const script = shell.map(({ code }) => `${code}\necho '${MARK}'`).join('\n')
    const parts = (await run('bash', ['-c', `set -euo pipefail\n${replace(here(script))}`], folder, place)).split(MARK)
    const printed = new Map<Sample, string>(shell.map((sample, index) => [sample, parts[index] ?? '']))
    const programs = samples.filter(({ file }) => file && !script.includes(stem(file)))
    const outputs = programs.map(async (sample) => {
      const { language, file = '' } = sample
      const starts = { ts: process.execPath, python: 'python3', php: 'php', sh: 'bash' }
      const [command = '', ...args] = language === 'go' ? commandOf(nameOf(file)) : [starts[language], file]
      return [sample, await run(command, args, folder, place)] as const
    })
    for (const [sample, output] of await Promise.all(outputs)) printed.set(sample, output)
    return printed
  })
}

/** Code as it is for the service of a test. */
export const at = (place: Pick<Place, 'url' | 'receiverPort'>, code: string): string =>
  code.replaceAll('http://127.0.0.1:4000', place.url).replaceAll('9000', String(place.receiverPort))

/** A folder with the verifiers and the SDK, which is removed. */
export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-guide-'))
  try {
    cpSync(VERIFIERS, folder, { recursive: true })
    mkdirSync(join(folder, 'node_modules/@payments'), { recursive: true })
    symlinkSync(SDK, join(folder, 'node_modules/@payments/sdk'))
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** `receiver` of `receiver.go`. */
export const nameOf = (file: string): string => file.replace(/\.\w+$/, '')

/** `receiver.` of `receiver.ts`: the shell samples start it, in one language or the other. */
const stem = (file: string) => file.replace(/\w+$/, '')

/** Runs a program to its end in a folder and returns what it printed. @throws when it fails or takes more than two minutes */
export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  { env, answer }: Pick<Place, 'env' | 'answer'>,
): Promise<string> {
  const path = `${dirname(process.execPath)}:${process.env.PATH ?? ''}`
  const options = { cwd, env: { ...env, PATH: path, HOME: cwd, NO_COLOR: '1', PYTHONDONTWRITEBYTECODE: '1' } }
  const child = spawn(command, args, { ...options, timeout: TIMEOUT_MS })
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      const printed = Buffer.concat(out).toString('utf8')
      if (code === 0) resolve(printed)
      else reject(new Error(`${command} ended with ${code}:\n${printed}\n${Buffer.concat(err).toString('utf8')}`))
    })
    if (answer) answer().then((text) => child.stdin.end(`${text}\n`), reject)
    else child.stdin.end()
  })
}
