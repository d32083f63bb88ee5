import { assets, type ErrorFactory, newId, toDecimal } from '@payments/kernel'
import { type Effect, sqlOf, type UnitOfWork } from '@payments/platform'
import { errorFor } from '../errors.ts'
import { type AccountKey, accountId } from './accounts.ts'
import { type Draft, digestOf, linesOf } from './entries.ts'

/** The outcome of posting a draft. `repeated`: the same entry was posted before, and nothing was changed. */
export type Outcome = 'posted' | 'repeated'

const POST = 'select ledger_post($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) as posted'

/**
 * Posts entries in the caller's transaction, in one statement. The accounts of all drafts are locked at once, in the order
 * of their ids, so units that post with a single call cannot deadlock with each other.
 * @param overrides errors that replace the ledger's error with the same `constraint`.
 * @throws insufficient_balance 422, entry_differs 409, entry_reversed 409, entry_unbalanced 422, entry_empty 422
 */
export async function post(
  unit: UnitOfWork,
  drafts: Draft | readonly Draft[],
  overrides?: readonly ErrorFactory[],
): Promise<Outcome[]> {
  const entries = [drafts].flat() as Draft[]
  if (entries.length === 0) return []
  const tenant = unit.actor
  const accounts = new Map<string, AccountKey>()
  const rows = entries.map((draft) => {
    for (const { account } of draft.postings) accounts.set(accountId(tenant, account), account)
    return { draft, lines: linesOf(tenant, draft.postings) }
  })
  const ids = [...accounts.keys()].sort()
  const keys = ids.map((id) => accounts.get(id) as AccountKey)
  const position = new Map(ids.map((id, index) => [id, index + 1]))
  const flat = rows.flatMap(({ lines }, index) => lines.map((line) => ({ ...line, entry: index + 1 })))
  try {
    const { rows: results } = await sqlOf(unit.em).query(POST, [
      tenant.organisationId,
      tenant.environment,
      ids,
      keys.map((key) => key.customerId ?? null),
      keys.map((key) => key.asset),
      keys.map((key) => key.purpose),
      keys.map((key) => key.party ?? ''),
      rows.map(() => newId()),
      entries.map(({ source }) => source.type),
      entries.map(({ source }) => source.id),
      entries.map(({ step }) => step),
      entries.map(({ reverses }) => reverses ?? null),
      entries.map(({ memo }) => memo ?? null),
      rows.map(({ draft, lines }) => digestOf(tenant, draft, lines)),
      flat.map((line) => line.entry),
      flat.map((line) => position.get(line.accountId)),
      flat.map((line) => line.amount.toString()),
    ])
    const [{ posted }] = results as [{ posted: boolean[] }]
    unit.effects?.push(...entries.flatMap((draft, index) => (posted[index] ? effectsOf(draft) : [])))
    return posted.map((posted) => (posted ? 'posted' : 'repeated'))
  } catch (error) {
    throw errorFor(error, overrides)
  }
}

/** The postings of an entry, as a dry run shows them. */
const effectsOf = ({ source, step, postings }: Draft): Effect[] =>
  postings
    .filter(({ amount }) => amount !== 0n)
    .map(({ account: { asset, purpose, party }, amount }) => ({
      kind: 'posting',
      resourceId: source.id,
      summary: `${source.type} ${step}: ${amount > 0n ? '+' : ''}${toDecimal(amount, assets[asset])} ${asset} on ${purpose}${party ? ` (${party})` : ''}`,
    }))
