import type { Environment } from '@payments/kernel'
import { dueInTurns, type Runtime, withSameCredentials } from '@payments/platform'
import { CNGN, type Kind } from '../kinds/kinds.ts'
import { credentialsNow, customerAccounts, treasuryProvider } from '../provider/holder.ts'
import {
  type Feed,
  type Movements,
  type ProviderTransaction,
  referencesOf,
  type UnreadableRecord,
} from '../provider/provider.ts'
import { budgetOf } from '../provider/rate-budget.ts'
import { LATE_SECONDS } from '../provider/schedule.ts'
import { contradictionOf, sameAmount } from './contradictions.ts'
import { checkReceiptLater } from './receipts/table.ts'
import { checkLater } from './sends/table.ts'
import { LAST_KNOWN } from './sends/unresolved.ts'

// What a poll reads: from when the list is asked for, its movements, those beside it, and which of them are new.

/** How long a payment that has not settled is found in the list; afterwards by its reference. */
const LISTED_SECONDS = 3600
/** Movements that one poll asks for by their reference, at most. */
const STRAGGLERS = 3

export const isIn = ({ channel }: ProviderTransaction): boolean => channel.endsWith('_in')

/**
 * Now, and the time from which movements may be new. A movement that takes longer than usual does not make the list longer: it is asked
 * for by its reference. While an order has no answer, the list goes back to what is known before it: without that it proves nothing.
 */
export async function window(
  runtime: Runtime,
  environment: Environment,
  account: string,
): Promise<{ began: Date; since: Date }> {
  const { rows } = await runtime.pool.query<{ began: Date | string; since: Date | string }>(
    `select clock_timestamp() as began, least(
              coalesce((select checked_at from cngn_checkpoints where environment = $1 and account = $2 and credentials = $3),
                       (select checked_at from cngn_feeds where environment = $1 and account = $2)),
              oldest.at, ${LAST_KNOWN},
              (select min(received_at) from cngn_receipts where environment = $1 and account = $2 and status = 'open'
                  and received_at > now() - make_interval(secs => $5) and ${withSameCredentials('$3')})
            ) - make_interval(secs => $4) as since
       from (select min(least(first_sent_at, sent_at)) as at from cngn_sends where environment = $1 and account = $2
                and status in ('claimed', 'unresolved', 'held') and sent_at is not null and ${withSameCredentials('$3')}) oldest`,
    [environment, account, credentialsNow(runtime, environment), LATE_SECONDS, LISTED_SECONDS],
  )
  return { began: new Date(rows[0]?.began ?? Number.NaN), since: new Date(rows[0]?.since ?? Number.NaN) }
}

/** The movements of every provider that has this account, oldest first. */
export async function listMovements(
  runtime: Runtime,
  environment: Environment,
  account: string,
  since: Date,
): Promise<Movements> {
  const feeds = new Set<Feed | undefined>([
    treasuryProvider(runtime, environment),
    customerAccounts(runtime, environment),
  ])
  const budget = budgetOf({ runtime }, environment, 'poll')
  const movements: ProviderTransaction[] = []
  const unreadable: UnreadableRecord[] = []
  let complete = true
  for (const feed of feeds) {
    const listed = await feed?.transactions(account, since, budget)
    movements.push(...(listed?.movements ?? []))
    unreadable.push(...(listed?.unreadable ?? []))
    complete &&= listed?.complete ?? true
  }
  const time = ({ at }: ProviderTransaction) => at?.getTime() ?? Number.POSITIVE_INFINITY
  return { movements: movements.sort((a, b) => time(a) - time(b) || 0), unreadable, complete }
}

interface Straggler {
  readonly source: 'sends' | 'receipts'
  readonly id: string
  readonly reference: string
  readonly kind: Kind | null
}

/**
 * Movements that may change and that the list did not show, a few at a time: one of each organisation in turn. They are asked for less
 * often the older they are; one that failed for a week, because some are paid after all.
 */
export async function stragglers(
  runtime: Runtime,
  environment: Environment,
  account: string,
  listed: readonly ProviderTransaction[],
): Promise<ProviderTransaction[]> {
  const values = [environment, account, listed.flatMap(referencesOf), STRAGGLERS, credentialsNow(runtime, environment)]
  const due = (table: string) =>
    dueInTurns({
      table,
      at: 'next_check_at',
      where: `environment = $1 and account = $2 and next_check_at is not null and reference <> all ($3) and ${withSameCredentials('$5')}`,
      limit: '$4',
    })
  const { rows } = await runtime.pool.query<Straggler>(
    `with sends as (${due('cngn_sends')}), receipts as (${due('cngn_receipts')})
     select * from (
       select 'sends' as source, s.id, s.reference, s.kind, s.next_check_at from cngn_sends s where id = any (array(select id from sends))
       union all
       select 'receipts', r.id, r.reference, null, r.next_check_at from cngn_receipts r where id = any (array(select id from receipts))) each
      order by next_check_at limit $4`,
    values,
  )
  const provider = treasuryProvider(runtime, environment)
  const budget = budgetOf({ runtime }, environment, 'poll')
  const found: ProviderTransaction[] = []
  for (const { source, id, reference, kind } of rows) {
    const channel = kind === null ? 'bank_in' : kind === 'payout' ? 'payout' : 'withdrawal'
    await CHECKED[source](runtime, id, provider.pollSeconds.soonest)
    const tx = await provider.movement(account, reference, budget, channel)
    if (tx) found.push(tx)
  }
  return found
}

const CHECKED = { sends: checkLater, receipts: checkReceiptLater } as const

/** Movements that have not been applied to their end, and those that contradict an end and were not kept yet. */
export async function unfinished(
  runtime: Runtime,
  environment: Environment,
  account: string,
  listed: readonly ProviderTransaction[],
): Promise<ProviderTransaction[]> {
  const { rows } = await runtime.pool.query<{
    reference: string
    alias: string | null
    state: string
    told: string | null
    counted: string | null
    is_same: boolean
  }>(
    `select r.reference, r.alias, case when r.status in ('open', 'failed') then r.status else 'completed' end as state,
            case when r.last_status is null then t.contradiction else r.reference || ' ' || r.last_status end as told,
            (case when r.status = 'credited' and t.from_currency is distinct from '${CNGN}' then coalesce(t.amount, r.amount) else r.amount end)::text as counted, ${withSameCredentials('$4', 'r.credentials')} as is_same
       from cngn_receipts r left join cngn_transfers t on t.id = r.transfer_id
      where r.environment = $1 and r.account = $2 and (r.reference = any ($3) or r.alias = any ($3))
     union all
     select s.reference, null, case when s.status = 'delivering' then 'completed' else t.status end, t.contradiction, null, ${withSameCredentials('$4', 's.credentials')}
       from cngn_sends s join cngn_transfers t on t.id = s.id
      where s.environment = $1 and s.account = $2 and s.reference = any ($3)`,
    [environment, account, listed.flatMap(referencesOf), credentialsNow(runtime, environment)],
  )
  const known = new Map(rows.flatMap((row) => [row.reference, row.alias].map((name) => [name, row] as const)))
  return listed.filter((tx) => {
    const row = referencesOf(tx).reduce<(typeof rows)[number] | undefined>(
      (one, name) => one ?? known.get(name),
      undefined,
    )
    // It is counted already, and was shown to other credentials: these may be another account's.
    if (row && !row.is_same) return false
    // Its lasting reference is known now.
    if (row && isIn(tx) && !tx.provisional && row.alias === null && row.reference !== tx.reference) return true
    if (row?.state !== 'completed' && row?.state !== 'failed') return true
    if (tx.status === 'pending' || row.told === contradictionOf(tx)) return false
    const isOther = tx.amount !== null && row.counted !== null && !sameAmount(tx.amount, BigInt(row.counted))
    return tx.status !== row.state || (row.state === 'completed' && isOther)
  })
}
