import { fileURLToPath } from 'node:url'
import type { Proof } from '../../proof.ts'
import { runOnMachine } from '../machine/index.ts'

const PROGRAM = fileURLToPath(new URL('inside.ts', import.meta.url))
const TOOLS = ['pg_ctlcluster', 'patroni', 'etcd', 'haproxy', 'ip']

/**
 * The service on three PostgreSQL servers that Patroni keeps, with the files of `deploy/patroni`: the primary is killed, paused, cut off,
 * has its disk filled, and is replaced by hand, under load.
 */
export const run: Proof = (options) => runOnMachine(PROGRAM, TOOLS, options)
