import type { Tenant } from '@payments/kernel'
import type { Pool } from 'pg'
import { grouped } from '../../database/shared/grouped.ts'
import { Transaction } from '../../database/transaction.ts'
import { isRow } from '../../database/written.ts'
import { type Gathered, joined, type Writes } from './statement.ts'

/**
 * Two, so that the process prepares what the database does not work on: with one alone, both wait for each other in turn. The second only
 * for some, because what a statement costs is for the smaller part its rows.
 */
const SHARING = { most: 16, atOnce: 2, enough: 8 }

interface Group {
  readonly commit: (writes: Writes) => Promise<void>
  /** How many units commit with it now. */
  units: number
}

const groups = new WeakMap<Pool, Map<string, Group>>()

/** True if units that write this can commit together: rows and calls, which do not depend on who else writes. */
export const canShare = ({ written, last }: Writes): boolean => [...written, ...last].every(isRow)

/**
 * Commits what a unit writes that has read and locked nothing: one statement, without `begin` and `commit`. Units of one tenant that write
 * rows of the same kinds, and are ready while another statement of these is under way, share the next: PostgreSQL receives, checks,
 * counts and flushes them once. Where it fails, each commits by itself, so that the fault of one is nobody else's.
 */
export async function commitTogether(pool: Pool, tenant: Tenant, writes: Writes): Promise<void> {
  const known = groups.get(pool) ?? new Map<string, Group>()
  groups.set(pool, known)
  const key = keyOf(tenant, writes)
  const group = known.get(key) ?? {
    commit: grouped((units: readonly Writes[]) => commitAll(pool, units), SHARING),
    units: 0,
  }
  known.set(key, group)
  group.units++
  try {
    await group.commit(writes)
  } finally {
    if (--group.units === 0) known.delete(key)
  }
}

/** The tenant, and what decides the text of the statement. */
const keyOf = ({ organisationId, environment }: Tenant, { written, calls, last }: Writes): string => {
  const kinds = new Set([...written, ...last].map((each) => (isRow(each) ? each.into.key : '')))
  return [organisationId, environment, ...kinds, ...calls.map(({ call }) => call.key)].join('\n')
}

async function commitAll(pool: Pool, units: readonly Writes[]): Promise<undefined[]> {
  const calls = Map.groupBy(
    units.flatMap((unit) => unit.calls),
    ({ call }) => call.key,
  )
  const merged = {
    written: units.flatMap(({ written }) => written),
    calls: Array.from(calls.values(), merge),
    last: units.flatMap(({ last }) => last),
  }
  await new Transaction(pool).commit(joined(merged))
  return units.map(() => undefined)
}

const merge = (same: readonly Gathered[]): Gathered => ({
  ...(same[0] as Gathered),
  items: same.flatMap(({ items }) => items),
})
