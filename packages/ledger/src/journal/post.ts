import { assets, type ErrorFactory, newId, type Tenant, toDecimal } from '@payments/kernel'
import { type Effect, type GatheredCall, sqlOf, type UnitOfWork } from '@payments/platform'
import { errorFor } from '../errors.ts'
import { type AccountKey, accountId } from '../model/accounts.ts'
import { type Draft, digestOf, linesOf } from './entries.ts'

/** The outcome of posting a draft. `repeated`: the same entry was posted before, and nothing was changed. */
export type Outcome = 'posted' | 'repeated'

/**
 * Posts entries in the caller's transaction, in one statement. The accounts of all drafts are locked at once, in the order
 * of their ids, so units that post with a single call cannot deadlock with each other. They stay locked until the transaction
 * ends: what need not know the outcome uses {@link postWithCommit}.
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
  try {
    const { text, values } = callFor(unit.actor, entries)
    const { rows } = await sqlOf(unit.em).query<{ posted: boolean[] }>(`select ${text} as posted`, values)
    const [{ posted }] = rows as [{ posted: boolean[] }]
    unit.effects?.push(...entries.flatMap((draft, index) => (posted[index] ? effectsOf(draft) : [])))
    return posted.map((posted) => (posted ? 'posted' : 'repeated'))
  } catch (error) {
    throw errorFor(error, overrides)
  }
}

/**
 * Posts entries with the commit of the caller's transaction, or before its next statement, which sees them: so their accounts are
 * locked for one round trip of the database, however many requests use them. All entries of a unit that wait are posted in one call. The
 * errors of {@link post} are thrown when it is sent. In a dry run it is sent at once, because that shows which entries are new.
 */
export async function postWithCommit(
  unit: UnitOfWork,
  drafts: Draft | readonly Draft[],
  overrides: readonly ErrorFactory[] = [],
): Promise<void> {
  if (unit.effects) return void (await post(unit, drafts, overrides))
  const { organisationId, environment } = unit.actor
  const call: GatheredCall<Waiting> = {
    key: `ledger_post ${organisationId} ${environment}`,
    expression: (waiting) =>
      callFor(
        { organisationId, environment },
        waiting.map(({ draft }) => draft),
      ),
    errorOf: (error, waiting) =>
      errorFor(
        error,
        waiting.flatMap(({ overrides }) => overrides),
      ),
  }
  for (const draft of [drafts].flat() as Draft[]) unit.gather(call, { draft, overrides })
}

/** An entry that is posted with the commit. */
interface Waiting {
  readonly draft: Draft
  readonly overrides: readonly ErrorFactory[]
}

/** The call of the database's function that posts the entries. */
function callFor(tenant: Tenant, entries: readonly Draft[]) {
  const accounts = new Map<string, AccountKey>()
  const rows = entries.map((draft) => {
    for (const { account } of draft.postings) accounts.set(accountId(tenant, account), account)
    return { draft, lines: linesOf(tenant, draft.postings) }
  })
  const ids = [...accounts.keys()].sort()
  const keys = ids.map((id) => accounts.get(id) as AccountKey)
  const position = new Map(ids.map((id, index) => [id, index + 1]))
  const flat = rows.flatMap(({ lines }, index) => lines.map((line) => ({ ...line, entry: index + 1 })))
  const values = [
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
  ]
  return { text: `ledger_post(${values.map((_, index) => `$${index + 1}`).join(', ')})`, values }
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
