import { domainsOf, type Runtime, WITHOUT_DEADLINE } from '@payments/platform'
import { receiptsOf } from '../../model/kinds.ts'
import { checkAccounts } from './accounts.ts'
import { checkCounts } from './counts.ts'
import { checkEntries } from './entries.ts'
import { checkSeals } from './seals.ts'
import { checkTransactions } from './transactions.ts'
import type { Check, Finding, Walk } from './walk.ts'

export type { Finding } from './walk.ts'

/** The progress of a check: rows of `check` read so far. */
export interface Progress {
  readonly check: Check
  readonly walked: number
}

export interface Report {
  readonly ok: boolean
  readonly walked: Record<Check, number>
  /** The first 1000 findings. */
  readonly findings: Finding[]
}

const FINDINGS = 1000

const checks = {
  accounts: checkAccounts,
  entries: checkEntries,
  seals: checkSeals,
  transactions: checkTransactions,
  counts: checkCounts,
} satisfies Record<Check, (walk: Walk) => Promise<void>>

/**
 * Checks the whole ledger of all organisations while the service runs: every account against its postings, every entry
 * against its digest, every seal against its chain, every listed transaction against the journal, every counter against its rows. Each batch is one
 * statement and reads one snapshot; no snapshot is held between batches. Uses one connection of the pool, without timeouts.
 */
export async function checkLedger(
  { pool, domains }: Pick<Runtime, 'pool' | 'domains'>,
  options: { batch?: number; progress?: (progress: Progress) => void } = {},
): Promise<Report> {
  const walked: Record<Check, number> = { accounts: 0, entries: 0, seals: 0, transactions: 0, counts: 0 }
  const findings: Finding[] = []
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin read only')
    await client.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
    for (const [name, check] of Object.entries(checks) as [Check, (walk: Walk) => Promise<void>][]) {
      await check({
        db: {
          query: async (text, values) => ({ rows: (await client.query({ text, values, ...WITHOUT_DEADLINE })).rows }),
        },
        batch: options.batch ?? 500,
        receipts: receiptsOf({ domains }),
        counted: Object.assign({}, ...domainsOf({ domains }).map(({ data }) => data?.counted ?? {})),
        find: (finding) => void (findings.length < FINDINGS && findings.push({ check: name, ...finding })),
        walked(rows) {
          walked[name] += rows
          options.progress?.({ check: name, walked: walked[name] })
        },
      })
    }
    await client.query('commit')
  } catch (error) {
    broken = error as Error
    throw error
  } finally {
    client.release(broken)
  }
  return { ok: findings.length === 0, walked, findings }
}
