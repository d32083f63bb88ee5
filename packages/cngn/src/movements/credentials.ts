import { type Environment, system } from '@payments/kernel'
import { OTHER_CREDENTIALS, queryContext, type Runtime, sqlOf, type UnitOfWork, unitOfWork } from '@payments/platform'
import type { TransferRow } from '../entity.ts'
import { errors } from '../errors.ts'
import type { Kind } from '../kinds/kinds.ts'
import { credentialsNow, treasuryProvider } from '../provider/holder.ts'
import { budgetOf } from '../provider/rate-budget.ts'
import { lockedTransfer, update } from '../resources/transfers.ts'
import { bindReceipts } from './receipts/credentials.ts'
import { bindSends } from './sends/holds.ts'

// The account of an API key shows its own movements only. So what was created with one key is decided by lists that were read with the same one.
// References are the provider's own and count once under every key; that they are absent says something under their own key only.

/** SQL: an order that waits for its credentials. What a convert became is not asked of the provider that sent it. */
const ORDER_WAITS = "s.status in ('queued', 'claimed', 'unresolved', 'accepted', 'held') and s.credentials <> $2"

/** SQL: the object `$1` needs other credentials than those of now (`$2`). */
const WAITS = `select exists (select from cngn_transfers t where t.id = $1 and t.kind = 'payin' and t.status = 'pending' and t.credentials <> $2)
    or exists (select from cngn_sends s where s.id = $1 and ${ORDER_WAITS})
    or exists (select from cngn_receipts r where r.transfer_id = $1 and r.status = 'open' and r.credentials <> $2) as waits`

/** SQL: the objects of an account of which {@link WAITS} may have changed. */
const CHANGED = `select t.id, t.kind, t.organisation_id from cngn_transfers t
   where t.environment = $1 and t.account = $3 and t.attention = '${OTHER_CREDENTIALS}'
  union select t.id, t.kind, t.organisation_id from cngn_transfers t
   where t.environment = $1 and t.account = $3 and t.kind = 'payin' and t.status = 'pending' and t.due_at is not null and t.attention is null and t.credentials <> $2
  union select t.id, t.kind, t.organisation_id from cngn_sends s join cngn_transfers t on t.id = s.id
   where s.environment = $1 and s.account = $3 and t.attention is null and ${ORDER_WAITS}
  union select t.id, t.kind, t.organisation_id from cngn_receipts r join cngn_transfers t on t.id = r.transfer_id
   where r.environment = $1 and r.account = $3 and r.status = 'open' and t.attention is null and r.credentials <> $2
  limit 1000`

/** Tells operators of the objects of an account that wait for other credentials, and of no others any more. */
export async function tellOfCredentials(runtime: Runtime, environment: Environment, account: string): Promise<void> {
  const now = credentialsNow(runtime, environment)
  if (now === null) return
  const { rows } = await runtime.pool.query<{ id: string; kind: Kind; organisation_id: string }>(CHANGED, [
    environment,
    now,
    account,
  ])
  for (const { id, kind, organisation_id } of rows)
    await unitOfWork(queryContext(runtime, system(organisation_id, environment)), async (unit) =>
      tellOf(unit, await lockedTransfer(unit, kind, id), now),
    )
}

/** Says of a locked object whether it waits for other credentials. */
async function tellOf(unit: UnitOfWork, row: TransferRow, now: string): Promise<void> {
  const { rows } = await sqlOf(unit.em).query<{ waits: boolean }>(WAITS, [row.id, now])
  const waits = rows[0]?.waits === true
  if (waits && !row.attention) await update(unit, row, { attention: OTHER_CREDENTIALS })
  if (!waits && row.attention === OTHER_CREDENTIALS) await update(unit, row, { attention: null })
}

/** Credentials that an object waits for, and that the provider has shown to be those of the account of now. */
export interface SameAccount {
  readonly environment: Environment
  readonly account: string
  readonly from: string
  readonly to: string
}

/** So many movements must be shown, where so many are known: one alone may be in the lists of two accounts. */
const PROVEN_BY = 3

/** SQL: the movements of an account that were shown to credentials, the newest first. */
const KNOWN = `select reference, kind from (
    select reference, kind, sent_at as at from cngn_sends
     where environment = $1 and account = $2 and credentials = $3 and reference is not null
    union all
    select reference, null, received_at from cngn_receipts where environment = $1 and account = $2 and credentials = $3) known
  order by at desc limit ${PROVEN_BY}`

/**
 * Is the account of the credentials of now that of the object, whose key was made anew? The provider shows its newest movements then, each by its
 * reference. No transaction is open meanwhile. Null: the object does not wait for other credentials.
 * @throws cngn_other_account 503 where one is not shown, or none is known
 */
export async function sameAccount(runtime: Runtime, row: TransferRow): Promise<SameAccount | null> {
  const { environment, account } = row
  const to = credentialsNow(runtime, environment)
  const from = await credentialsOf(runtime, row)
  if (to === null || from === null || from === to) return null
  const { rows } = await runtime.pool.query<{ reference: string; kind: Kind | null }>(KNOWN, [
    environment,
    account,
    from,
  ])
  if (rows.length === 0) throw errors.cngn_other_account()
  const provider = treasuryProvider(runtime, environment)
  const budget = budgetOf({ runtime }, environment, 'poll')
  for (const { reference, kind } of rows) {
    const channel = kind === null ? 'bank_in' : kind === 'payout' ? 'payout' : 'withdrawal'
    if (!(await provider.movement(account, reference, budget, channel))) throw errors.cngn_other_account()
  }
  return { environment, account, from, to }
}

async function credentialsOf({ pool }: Runtime, { id }: TransferRow): Promise<string | null> {
  const { rows } = await pool.query<{ credentials: string | null }>(
    `select coalesce((select credentials from cngn_sends where id = $1), (select credentials from cngn_transfers where id = $1),
            (select max(credentials) from cngn_receipts where transfer_id = $1 and status = 'open')) as credentials`,
    [id],
  )
  return rows[0]?.credentials ?? null
}

/** From now on, everything of an account goes on with the credentials of now. Its list is read from where the older ones have left it. */
export async function bindAccount(unit: UnitOfWork, { environment, account, from, to }: SameAccount): Promise<void> {
  const db = sqlOf(unit.em)
  const values = [environment, account, from, to]
  const of = 'environment = $1 and account = $2 and credentials = $3'
  await db.query(
    `update cngn_transfers set credentials = $4 where ${of} and status in ('pending', 'processing')`,
    values,
  )
  await bindSends(db, values)
  await bindReceipts(db, values)
  await db.query(
    `insert into cngn_checkpoints (environment, account, credentials, checked_at)
     select environment, account, $4, checked_at from cngn_checkpoints where ${of}
     on conflict (environment, account, credentials) do update set checked_at = least(cngn_checkpoints.checked_at, excluded.checked_at)`,
    values,
  )
}
