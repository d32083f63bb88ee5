import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { root } from '@payments/checks'
import { hasTools } from '@payments/stand'
import type { Proof, ProofReport } from '../proof.ts'

const here = (file: string): string => new URL(file, import.meta.url).pathname
const TOOLS = ['pg_ctlcluster', 'pgbouncer', 'haproxy', 'prometheus', 'dnsmasq', 'ip', 'git', 'jq', 'openssl', 'curl']
/** The machine ends with this process, however that ends. */
const MACHINE = ['--pdeathsig', 'KILL', 'unshare', '--net', '--mount', '--pid', '--fork', '--kill-child']

/**
 * The service as its operators start it: the commands of `docs/operators` are read and run, in a network and on files of their own, with
 * Debian's PostgreSQL, PgBouncer, HAProxy and Prometheus.
 */
export const run: Proof = async ({ size, seed, log }) => {
  if (!hasTools(...TOOLS)) return { findings: [], figures: {} }
  // No package brings what a container may refuse to root: namespaces and mounts.
  const possible = spawnSync('setpriv', [...MACHINE, 'sh', here('machine.sh'), root, 'true'], { encoding: 'utf8' })
  if (possible.status !== 0) {
    log(`Not run, because this machine lets nobody make one of its own: ${possible.stderr.trim()}`)
    return { findings: [], figures: {} }
  }
  const machine: ChildProcess = spawn(
    'setpriv',
    [...MACHINE, 'sh', here('machine.sh'), root, process.execPath, here('inside.ts'), size, String(seed)],
    { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] },
  )
  createInterface({ input: machine.stdout as Readable }).on('line', log)
  const [report, [code]] = await Promise.all([text(machine.stdio[3] as Readable), once(machine, 'exit')])
  if (report === '') throw new Error(`The machine ended with ${code}`)
  return JSON.parse(report) as ProofReport
}
