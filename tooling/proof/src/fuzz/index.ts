import { setTimeout as sleep } from 'node:timers/promises'
import { checkLedger } from '@payments/ledger'
import type { Runtime } from '@payments/platform'
import { startStand } from '@payments/stand'
import type { Proof } from '../proof.ts'
import { fuzz, fuzzed } from './fuzz.ts'
import { recordProblems } from './records.ts'
import { referenceProblems } from './references.ts'

const SETTLE_MS = 3000

/** Generated requests against the whole service with a worker, then the ledger check and a check of every reference between tables. */
export const run: Proof = async ({ size, seed, log }) => {
  const stand = await startStand({ CONNECTIONS_PER_ADDRESS: '1000' })
  try {
    const requests = size === 'short' ? 5000 : 50_000
    const sent = await fuzz(stand, { requests, seed, progress: (done) => log(`${done} requests`) })
    const ledger = await checkLedger(stand.runtime)
    const records = await recordProblems(stand.runtime)
    // The worker goes on: what it changed between two reads of the check is no longer wrong in the next one.
    const lasting = records.problems.length > 0 ? await lastingProblems(stand.runtime, records.problems) : []
    const references = await referenceProblems(stand.runtime)
    return {
      findings: [
        ...sent.failures,
        ...ledger.findings.map(({ check, id, message }) => `ledger ${check} ${id}: ${message}`),
        ...lasting,
        ...references.problems,
        ...deadlocks(stand.databaseLog()),
      ],
      figures: {
        requests,
        operations: fuzzed.length,
        succeededOperations: sent.succeeded.size,
        statuses: Object.fromEntries([...sent.statuses].sort(([a], [b]) => a - b)),
        ledger: ledger.walked,
        records: records.checked,
        references: references.checked,
      },
    }
  } finally {
    await stand.stop()
  }
}

/** Deadlocks, with the statements in them. The service tries again, but its callers waited a second, and may be refused in the end. */
const deadlocks = (log: string): string[] => log.match(/deadlock detected\n(?:.*DETAIL.*\n(?:\t.*\n)*)?/g) ?? []

/** Those problems that a second look, some seconds later, finds as well: a half-written record stays as it is. */
async function lastingProblems(runtime: Runtime, problems: readonly string[]): Promise<string[]> {
  await sleep(SETTLE_MS)
  const again = new Set((await recordProblems(runtime)).problems)
  return problems.filter((problem) => again.has(problem))
}
