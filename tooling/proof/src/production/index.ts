import type { Proof } from '../proof.ts'
import { runOnMachine } from '../resilience/machine/index.ts'

const PROGRAM = new URL('inside.ts', import.meta.url).pathname
const TOOLS = ['pg_ctlcluster', 'pgbouncer', 'haproxy', 'prometheus', 'dnsmasq', 'ip', 'git', 'jq', 'openssl', 'curl']

/**
 * The service as its operators start it: the commands of `docs/operators` are read and run, in a network and on files of their own, with
 * Debian's PostgreSQL, PgBouncer, HAProxy and Prometheus.
 */
export const run: Proof = (options) => runOnMachine(PROGRAM, TOOLS, options)
