import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { root } from '@payments/checks'
import { hasTools } from '@payments/stand'
import type { ProofOptions, ProofReport } from '../../proof.ts'

const SCRIPT = fileURLToPath(new URL('machine.sh', import.meta.url))
/** The machine ends with this process, however that ends. */
const MACHINE = ['--pdeathsig', 'KILL', 'unshare', '--net', '--mount', '--pid', '--fork', '--kill-child']

/**
 * Runs a program on a Debian machine of its own: files that change in memory only, and a network without any other machine. The program
 * is given the size, the seed and the number of times (or nothing), `more` in its environment, and writes its report to file descriptor 3.
 * Says in one line what is missing where this is not possible.
 */
export async function runOnMachine(
  program: string,
  tools: readonly string[],
  { size, seed, times, log }: ProofOptions,
  more: Readonly<Record<string, string>> = {},
): Promise<ProofReport> {
  const nothing = { findings: [], figures: {} }
  if (!hasTools(...tools)) return nothing
  // No package brings what a container may refuse to root: namespaces and mounts.
  const possible = spawnSync('setpriv', [...MACHINE, 'sh', SCRIPT, root, 'true'], { encoding: 'utf8' })
  if (possible.status !== 0) {
    log(`Not run, because this machine lets nobody make one of its own: ${possible.stderr.trim()}`)
    return nothing
  }
  const options = [size, String(seed), ...(times === undefined ? [] : [String(times)])]
  const machine: ChildProcess = spawn(
    'setpriv',
    [...MACHINE, 'sh', SCRIPT, root, process.execPath, program, ...options],
    { stdio: ['ignore', 'pipe', 'inherit', 'pipe'], env: { ...process.env, ...more } },
  )
  createInterface({ input: machine.stdout as Readable }).on('line', log)
  const [report, [code]] = await Promise.all([text(machine.stdio[3] as Readable), once(machine, 'exit')])
  if (report === '') throw new Error(`The machine ended with ${code}`)
  return JSON.parse(report) as ProofReport
}
