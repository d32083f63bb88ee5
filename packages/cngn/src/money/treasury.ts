import { type Environment, environments, NIL_ID, newId, system } from '@payments/kernel'
import { trialBalance } from '@payments/ledger'
import { queryContext, type Runtime, sqlOf, type UnitOfWork } from '@payments/platform'
import { AdjustmentEntity } from '../entity.ts'
import { errors } from '../errors.ts'
import { CNGN } from '../kinds/kinds.ts'
import { treasuryName, treasuryProvider } from '../provider/holder.ts'
import { budgetOf } from '../provider/rate-budget.ts'
import { FEED } from '../provider/schedule.ts'
import { cngnSettings } from '../provider/settings.ts'

/** Money that the service holds for others: it must be at the provider. */
const HELD = new Set(['available', 'reserved', 'suspense'])
/** A difference counts when this many comparisons in a row show it: movements between two reads look like one. */
const TRIES = 3

/** The journal's side of the comparison, minor units of cNGN. */
export interface Books {
  /** What the journal holds, and what arrived without an organisation. */
  readonly journal: bigint
  /** Of these: sent or being sent, and perhaps gone at the provider. */
  readonly leaving: bigint
  /** Perhaps at the provider, and not in the journal yet. */
  readonly arriving: bigint
}

/** What must be at the provider of an environment, by the journal and the orders in flight. */
export async function books(runtime: Runtime, environment: Environment): Promise<Books> {
  const lines = await trialBalance(queryContext(runtime, system(NIL_ID, environment)))
  const held = lines
    .filter((line) => line.environment === environment && line.asset === CNGN && HELD.has(line.purpose))
    .reduce((sum, { balance }) => sum + BigInt(balance), 0n)
  const { rows } = await runtime.pool.query<{ leaving: string; arriving: string; unallocated: string }>(
    `select (select coalesce(sum(t.amount), 0)::text from cngn_sends s join cngn_transfers t on t.id = s.id
              where s.environment = $1 and s.status in ('claimed', 'unresolved', 'accepted', 'delivering', 'held') and s.sent_at is not null) as leaving,
            (select coalesce(sum(coalesce(t.converted_amount, r.amount)), 0)::text
               from cngn_receipts r left join cngn_transfers t on t.id = r.transfer_id
              where r.environment = $1 and r.status = 'open') as arriving,
            (select coalesce(sum(amount - fee), 0)::text from cngn_receipts
              where environment = $1 and status = 'suspense' and organisation_id is null and asset = $2) as unallocated`,
    [environment, CNGN],
  )
  const [row] = rows
  return {
    journal: held + BigInt(row?.unallocated ?? 0),
    leaving: BigInt(row?.leaving ?? 0),
    arriving: BigInt(row?.arriving ?? 0),
  }
}

const least = (a: bigint, b: bigint) => (a < b ? a : b)
export const most = (a: bigint, b: bigint) => (a > b ? a : b)

/**
 * How far the treasury is outside of what the books before and after reading it allow: below zero, the provider has too little.
 */
export function differenceOf(balance: bigint, before: Books, after: Books): bigint {
  const lowest = least(before.journal - before.leaving, after.journal - after.leaving)
  const highest = most(before.journal + before.arriving, after.journal + after.arriving)
  return balance < lowest ? balance - lowest : balance > highest ? balance - highest : 0n
}

/**
 * Compares the treasury of each environment with the journal and stores the result. A difference is a metric, and an error in the log
 * as soon as money is missing. Too much is one when the next comparison finds it, too: at first it is what a list will say that nobody
 * has read yet, such as a bank transfer whose callback was lost, and the lists are read now.
 */
export async function compareTreasuries(runtime: Runtime): Promise<void> {
  for (const environment of environments)
    if (treasuryName(runtime, environment) && (await mayDiffer(runtime, environment)))
      await compare(runtime, environment)
}

/** Nothing moves in the treasury of the sandbox before somebody uses it; the real one holds the operator's own money. */
async function mayDiffer({ pool }: Runtime, environment: Environment): Promise<boolean> {
  if (environment === 'live') return true
  const { rows } = await pool.query('select from cngn_feeds where environment = $1 limit 1', [environment])
  return rows.length > 0
}

/**
 * cNGN at the provider that is neither the operator's own nor booked as a difference: what must be in the journal. Minor units.
 */
export async function treasuryBalance(runtime: Runtime, environment: Environment): Promise<bigint> {
  const provider = treasuryProvider(runtime, environment)
  const balance = await provider.treasury(budgetOf({ runtime }, environment, 'poll'))
  const own = environment === 'live' ? cngnSettings.from(runtime.settings).CNGN_OWN_FLOAT : 0n
  const { rows } = await runtime.pool.query<{ booked: string }>(
    'select coalesce(sum(amount), 0)::text as booked from cngn_treasury_adjustments where environment = $1',
    [environment],
  )
  return balance - own - BigInt(rows[0]?.booked ?? 0)
}

/** SQL: whether the last comparison's difference (`cngn_treasuries`) is for operators. */
export const COUNTS = '(difference < 0 or difference > 0 and differs_since < checked_at)'

/** Reads the lists of movements now that are not read anyway within a minute: as many as a minute can, those first that were read longest ago. */
async function readLists(runtime: Runtime, environment: Environment): Promise<void> {
  await runtime.pool.query(
    `update cngn_feeds set next_poll_at = now() where environment = $1 and account in (
       select account from cngn_feeds where environment = $1 and next_poll_at > now() + interval '1 minute'
        order by checked_at limit 100 for update skip locked)`,
    [environment],
  )
  runtime.trigger(FEED)
}

async function compare(runtime: Runtime, environment: Environment): Promise<void> {
  let difference = 0n
  let balance = 0n
  let after: Books = await books(runtime, environment)
  for (let tries = 0; tries < TRIES; tries++) {
    const before = after
    balance = await treasuryBalance(runtime, environment)
    after = await books(runtime, environment)
    difference = differenceOf(balance, before, after)
    if (difference === 0n) break
  }
  const { journal, leaving, arriving } = after
  const { rows } = await runtime.pool.query<{ counts: boolean }>(
    `insert into cngn_treasuries as t (environment, balance, journal, leaving, arriving, difference, differs_since, checked_at)
     values ($1, $2, $3, $4, $5, $6, case when $6::numeric <> 0 then now() end, now())
     on conflict (environment) do update
       set balance = excluded.balance, journal = excluded.journal, leaving = excluded.leaving, arriving = excluded.arriving,
           difference = excluded.difference, checked_at = excluded.checked_at,
           differs_since = case when excluded.difference <> 0 then coalesce(t.differs_since, now()) end
     returning ${COUNTS} as counts`,
    [environment, ...[balance, journal, leaving, arriving, difference].map(String)],
  )
  if (difference > 0n) await readLists(runtime, environment)
  if (rows[0]?.counts)
    runtime.log.error(
      { environment, balance: `${balance}`, journal: `${journal}`, difference: `${difference}` },
      'treasury differs from the journal',
    )
}

/**
 * Books the difference between treasury and journal as the operator's own: a loss below zero, such as a movement that was made by
 * mistake, or a gain. No balance of a customer changes. The next comparisons leave it out.
 * @returns the difference that is left
 * @throws cngn_difference_other 422 when the amount is more than the last difference, or of the other sign
 */
export async function bookDifference(
  unit: UnitOfWork,
  { environment, amount, evidence }: { environment: Environment; amount: bigint; evidence: string },
): Promise<{ id: string; before: bigint; left: bigint }> {
  const { rows } = await sqlOf(unit.em).query<{ id: string; difference: string }>(
    'select id, difference::text from cngn_treasuries where environment = $1 for update',
    [environment],
  )
  const before = BigInt(rows[0]?.difference ?? 0)
  const within = before < 0n ? amount < 0n && amount >= before : amount > 0n && amount <= before
  if (!rows[0] || !within) throw errors.cngn_difference_other()
  unit.insert(AdjustmentEntity, { id: newId(), environment, amount, evidence, createdAt: new Date() })
  await sqlOf(unit.em).query(
    `update cngn_treasuries set difference = difference - $2, balance = balance - $2,
            differs_since = case when difference <> $2::numeric then differs_since end where environment = $1`,
    [environment, amount.toString()],
  )
  return { id: rows[0].id, before, left: before - amount }
}
