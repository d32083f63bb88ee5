import { fileURLToPath } from 'node:url'
import type { Proof } from '../../proof.ts'
import { runOnMachine } from '../machine/index.ts'

const PROGRAM = fileURLToPath(new URL('inside.ts', import.meta.url))
const TOOLS = ['pg_ctlcluster', 'pgbackrest', 'ip', 'openssl']

/** The drill with a database that pgBackRest restores to a point in time, by the commands of `docs/operators/backup.md`. */
export const run: Proof = (options) => runOnMachine(PROGRAM, TOOLS, options)
