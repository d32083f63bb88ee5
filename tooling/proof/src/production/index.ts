import { fileURLToPath } from 'node:url'
import type { Proof } from '../proof.ts'
import { runOnMachine } from '../resilience/machine/index.ts'
import { makeReleases } from './releases.ts'

const PROGRAM = fileURLToPath(new URL('inside.ts', import.meta.url))
const TOOLS = [
  'pg_ctlcluster',
  'pgbouncer',
  'haproxy',
  'prometheus',
  'prometheus-alertmanager',
  'dnsmasq',
  'ip',
  'jq',
  'openssl',
  'curl',
]

/**
 * The service as its operators start it: the commands of `docs/operators` are read and run on a machine of its own, with
 * Debian's PostgreSQL, PgBouncer, HAProxy and Prometheus.
 */
export const run: Proof = async (options) => {
  const { folder, remove, ...compared } = await makeReleases()
  try {
    return await runOnMachine(PROGRAM, TOOLS, options, { RELEASES: folder, COMPARED: JSON.stringify(compared) })
  } finally {
    remove()
  }
}
