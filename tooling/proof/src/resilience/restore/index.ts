import { fileURLToPath } from 'node:url'
import { startDatabase } from '@payments/stand'
import type { Proof } from '../../proof.ts'
import { runOnMachine } from '../machine/index.ts'
import { copies } from './commands.ts'
import { drill } from './drill.ts'

const PROGRAM = fileURLToPath(new URL('inside.ts', import.meta.url))
const TOOLS = ['pg_ctlcluster', 'pgbackrest', 'ip', 'openssl']
const SIZES = { short: 1, full: 10 } as const

/**
 * The drill, with a database that is copied, as a base backup or a snapshot is, and with one that pgBackRest restores to a point in time
 * from a base backup and the archive of the WAL, by the commands of `docs/operators/backup.md`.
 */
export const run: Proof = async (options) => {
  const { size, seed, times, log } = options
  const database = await startDatabase()
  try {
    const copied = await drill(
      { ...database, ...copies(database.ownerUrl) },
      { rounds: times ?? SIZES[size], seed, log },
    )
    const recovered = await runOnMachine(PROGRAM, TOOLS, options)
    return {
      findings: [...copied.findings, ...recovered.findings.map((finding) => `pgBackRest: ${finding}`)],
      figures: { ...copied.figures, toAPointInTime: recovered.figures },
    }
  } finally {
    await database.close()
  }
}
