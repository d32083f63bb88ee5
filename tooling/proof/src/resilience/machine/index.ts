import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  createReadStream,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { root } from '@payments/checks'
import { hasTools } from '@payments/stand'
import type { ProofOptions, ProofReport } from '../../proof.ts'

const [SCRIPT, UNIT] = ['machine.sh', 'proof.service'].map((name) => fileURLToPath(new URL(name, import.meta.url)))
/** The machine ends with this process, however that ends. */
const MACHINE = ['--pdeathsig', 'KILL', 'unshare', '--net', '--mount', '--pid', '--fork', '--kill-child', 'sh']

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Runs a program on a Debian machine of its own, under systemd: files that change in memory only, and a network without any other machine. The
 * program is given the size, the seed and the number of times (or nothing), `more` in its environment, and writes its report to file descriptor
 * 3. `debian` is a folder with the files of another machine than this one. Says in one line what is missing where this is not possible.
 */
export async function runOnMachine(
  program: string,
  tools: readonly string[],
  { size, seed, times, log }: ProofOptions,
  more: Readonly<Record<string, string>> = {},
  debian = '/',
): Promise<ProofReport> {
  if (!hasTools(...tools, 'systemd-nspawn')) return { findings: [], figures: {} }
  const options = [size, String(seed), ...(times === undefined ? [] : [String(times)])]
  // No package brings what a container may refuse to root: namespaces and mounts.
  const tried = await boot('/', ['true'], {}, () => undefined)
  if (tried.report === undefined) {
    log(`Not run, because this machine lets nobody make one of its own: ${tried.errors}`)
    return { findings: [], figures: {} }
  }
  const command = [process.execPath, program, ...options]
  const { report, errors } = await boot(debian, command, { ...process.env, ...more }, log)
  if (!report) throw new Error(`The machine ended without a report. ${errors}`)
  return JSON.parse(report) as ProofReport
}

/** Runs a command on a machine with the files of a Debian. The report is undefined where the machine did not start it. */
async function boot(
  debian: string,
  command: readonly string[],
  environment: Readonly<NodeJS.ProcessEnv>,
  log: (line: string) => void,
): Promise<{ readonly report: string | undefined; readonly errors: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-machine-'))
  const [pipe, report] = [join(folder, 'log'), join(folder, 'report')]
  try {
    const variables = Object.entries(environment).filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    writeFileSync(
      join(folder, 'program'),
      [
        ...variables.map(([name, value]) => `export ${name}=${quoted(value ?? '')}`),
        `exec ${command.map(quoted).join(' ')} 3> /proof/report`,
      ].join('\n'),
    )
    execFileSync('mkfifo', [pipe])
    const machine = spawn('setpriv', [...MACHINE, SCRIPT ?? '', debian, root, folder, UNIT ?? ''], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let errors = ''
    machine.stderr.on('data', (chunk: Buffer) => {
      errors = `${errors}${chunk.toString('utf8')}`.slice(-2000)
    })
    const lines = createInterface({ input: createReadStream(pipe) }).on('line', log)
    const written = once(lines, 'close')
    await once(machine, 'exit')
    endOf(pipe)
    await written
    return { report: existsSync(report) ? readFileSync(report, 'utf8') : undefined, errors: errors.trim() }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Ends the reader of a pipe that nobody has opened to write. */
function endOf(pipe: string): void {
  try {
    closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK))
  } catch {
    // Nobody reads it any more, because its writer has ended.
  }
}
