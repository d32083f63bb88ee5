import { type Environment, hashKey, newId } from '@payments/kernel'
import { lockName, logStatusChange, type Runtime, type SqlExecutor, sqlOf, type UnitOfWork } from '@payments/platform'
import { credentialsNow } from '../../provider/holder.ts'
import { type ProviderTransaction, referencesOf } from '../../provider/provider.ts'
import { nextCheck } from '../../provider/schedule.ts'
import { receiptMachine } from '../../states.ts'
import { keepRecord } from '../records.ts'

// With `unassigned.ts`, the only writer of `cngn_receipts`: money that arrived, by the provider's references. It counts once.

export type ReceiptStatus = keyof typeof receiptMachine.states
type Event = (typeof receiptMachine.events)[number]

export interface Receipt {
  readonly id: string
  readonly status: ReceiptStatus
  readonly transferId: string | null
  readonly amount: bigint
  readonly lastStatus: string | null
  /** An operator settled the object that it was for by other money. */
  readonly detached: boolean
  readonly createdAt: Date
}

/** What a movement belongs to, as far as its receipt says so. */
interface Owner {
  readonly organisationId: string
  readonly customerId: string
}

/** SQL: the receipts of a movement (`$1` environment, `$2` account, `$3` all its references). */
export const OF_MOVEMENT = `environment = $1 and account = $2 and (reference = any ($3) or alias = any ($3))`

/**
 * The receipt of a movement, locked; a new one if none of its references was reported before. What later reports add to it is kept: amount,
 * references and hash. Undefined while the amount is unknown.
 */
export async function lockReceipt(
  unit: UnitOfWork,
  account: string,
  tx: ProviderTransaction,
  owner: Owner | null,
): Promise<Receipt | undefined> {
  const db = sqlOf(unit.em)
  const { environment } = unit.actor
  const references = referencesOf(tx)
  // Two polls at once may know it by different references.
  for (const reference of references.toSorted()) await lockReceipts(unit, `${account}/${reference}`)
  const found = await select(db, environment, account, references)
  if (found.length > 1) {
    await keepTwice(db, environment, account, tx)
    return found[0]
  }
  const [
    receipt = tx.amount === null
      ? undefined
      : await insert(unit, account, { ...tx, amount: tx.amount }, owner, credentialsNow(unit.runtime, environment)),
  ] = found
  if (receipt && ['open', 'failed'].includes(receipt.status)) await complete(db, receipt.id, tx, owner)
  else if (receipt) await nameAgain(db, receipt.id, tx)
  return receipt
}

async function select(
  db: SqlExecutor,
  environment: Environment,
  account: string,
  references: readonly string[],
): Promise<Receipt[]> {
  const { rows } = await db.query<{
    id: string
    status: ReceiptStatus
    transfer_id: string | null
    amount: string
    last_status: string | null
    detached: boolean
    created_at: Date | string
  }>(
    `select id, status, transfer_id, amount::text, last_status, detached, created_at from cngn_receipts
      where ${OF_MOVEMENT} order by created_at, id for update`,
    [environment, account, references],
  )
  return rows.map((row) => ({
    id: row.id,
    status: row.status,
    transferId: row.transfer_id,
    amount: BigInt(row.amount),
    lastStatus: row.last_status,
    detached: row.detached,
    createdAt: new Date(row.created_at),
  }))
}

/** Reports that named one movement in two ways have counted it twice: operators see which. */
const keepTwice = (db: SqlExecutor, environment: Environment, account: string, tx: ProviderTransaction) =>
  keepRecord(db, {
    ...{ environment, account, reference: tx.reference, reason: 'One movement was counted as two' },
    report: JSON.stringify({ references: referencesOf(tx) }),
  })

async function insert(
  unit: UnitOfWork,
  account: string,
  tx: ProviderTransaction & { readonly amount: bigint },
  owner: Owner | null,
  credentials: string | null,
): Promise<Receipt> {
  const id = newId()
  const { environment } = unit.actor
  const { rows } = await sqlOf(unit.em).query<{ created_at: Date | string }>(
    `insert into cngn_receipts (id, environment, account, reference, alias, organisation_id, customer_id, status, asset, amount, fee, targets,
       received_at, created_at, next_check_at, credentials)
     values ($1, $2, $3, $4, $5, $6, $7, '${receiptMachine.initial}', $8, $9, $10, $11, coalesce($12, now()), now(), now(), $13) returning created_at`,
    [
      ...[
        id,
        environment,
        account,
        tx.reference,
        aliasOf(tx),
        owner?.organisationId ?? null,
        owner?.customerId ?? null,
      ],
      ...[tx.asset, tx.amount.toString(), tx.fee.toString(), targetsOf(tx), tx.at, credentials],
    ],
  )
  const createdAt = new Date(rows[0]?.created_at ?? Number.NaN)
  logReceipt(unit, { id, organisationId: owner?.organisationId ?? null, from: null, to: receiptMachine.initial })
  return {
    id,
    status: receiptMachine.initial,
    transferId: null,
    amount: tx.amount,
    lastStatus: null,
    detached: false,
    createdAt,
  }
}

/** Each change of the status of a receipt is a line of the log. */
export function logReceipt(
  unit: UnitOfWork,
  change: {
    readonly id: string
    readonly organisationId: string | null
    readonly from: string | null
    readonly to: ReceiptStatus
  },
): void {
  const { environment } = unit.actor
  if (change.from !== change.to)
    logStatusChange(unit, { object: 'cngn_receipts', environment, cause: EVENTS[change.to] ?? 'create', ...change })
}

const aliasOf = ({ reference, aliases = [] }: ProviderTransaction): string | null =>
  aliases.find((alias) => alias !== reference) ?? null
/** With its hash as it came, and in the spelling that others are compared with. */
const targetsOf = (tx: ProviderTransaction): string[] => [
  ...tx.targets,
  ...(tx.txHash ? new Set([tx.txHash, hashKey(tx.txHash)]) : []),
]

/** SQL: the lasting reference takes the place of one that was not (`$2`, `$3`: whether it is), and stays an alias (`$4`). */
const NAMED = `reference = case when $3 then reference else $2 end,
  alias = coalesce($4, alias, case when $3 or reference = $2 then null else reference end)`

const namesOf = (tx: ProviderTransaction) => [tx.reference, tx.provisional === true, aliasOf(tx)]

/** What a later report says of a receipt that has not ended. */
const complete = (db: SqlExecutor, id: string, tx: ProviderTransaction, owner: Owner | null) =>
  db.query(
    `update cngn_receipts set ${NAMED}, amount = coalesce($5, amount), organisation_id = coalesce(organisation_id, $6),
            customer_id = coalesce(customer_id, $7), targets = targets || array(select t from unnest($8::text[]) t where t <> all (targets))
      where id = $1 and (amount <> $5::numeric or not targets @> $8::text[] or organisation_id is distinct from coalesce(organisation_id, $6)
                         or (not $3 and (reference <> $2 or alias is distinct from coalesce($4, alias))))`,
    [
      id,
      ...namesOf(tx),
      tx.amount?.toString() ?? null,
      owner?.organisationId ?? null,
      owner?.customerId ?? null,
      targetsOf(tx),
    ],
  )

const nameAgain = (db: SqlExecutor, id: string, tx: ProviderTransaction) =>
  db.query(
    `update cngn_receipts set ${NAMED} where id = $1 and not $3 and (reference <> $2 or alias is distinct from coalesce($4, alias))`,
    [id, ...namesOf(tx)],
  )

const EVENTS: Readonly<Partial<Record<ReceiptStatus, Event>>> = {
  credited: 'credit',
  failed: 'fail',
  suspense: 'suspend',
  assigned: 'assign',
  resolved: 'resolve',
  returned: 'return',
}

/** Brings a receipt into a state, where the table of states has a way there; `transferId`: the object that has its money. */
export async function moveReceipt(
  unit: UnitOfWork,
  id: string,
  to: ReceiptStatus,
  {
    transferId = null,
    owner = null,
  }: { readonly transferId?: string | null; readonly owner?: Partial<Owner> | null } = {},
): Promise<true> {
  const event = EVENTS[to]
  const from = Object.keys(receiptMachine.states).filter(
    (state) => state === to || (event && receiptMachine.step(state as ReceiptStatus, event)),
  )
  const { rows } = await sqlOf(unit.em).query<{ was: ReceiptStatus; organisation_id: string | null }>(
    `update cngn_receipts set status = $2, transfer_id = coalesce($3, transfer_id), organisation_id = coalesce($5, organisation_id),
            customer_id = coalesce($6, customer_id), next_check_at = case when $2 in ('open', 'failed') then next_check_at end
       from (select status as was from cngn_receipts where id = $1 for no key update) previous
      where id = $1 and status = any ($4) returning was, organisation_id`,
    [id, to, transferId, from, owner?.organisationId ?? null, owner?.customerId ?? null],
  )
  const [row] = rows
  if (!row) throw new Error(`The receipt ${id} cannot become ${to}`)
  logReceipt(unit, { id, organisationId: row.organisation_id, from: row.was, to })
  return true
}

/** An operator records the outcome of an object: its receipts are no longer checked, and later reports that contradict it are listed again. */
export async function settleReceiptOf(
  unit: UnitOfWork,
  id: string,
  to: 'credited' | 'failed',
  transferId: string,
): Promise<void> {
  await moveReceipt(unit, id, to, { transferId })
  await sqlOf(unit.em).query('update cngn_receipts set next_check_at = null, last_status = null where id = $1', [id])
}

/** What else was on its way to an object belongs to nothing any more: when it arrives, it is money of its own. */
export const detachReceipts = (unit: UnitOfWork, ids: readonly string[]) =>
  sqlOf(unit.em).query(
    "update cngn_receipts set transfer_id = null, detached = true where id = any ($1::uuid[]) and status = 'open'",
    [ids],
  )

/** Money that no list has shown, and of which an operator knows the reference: it counts once. */
export async function insertSettled(
  unit: UnitOfWork,
  of: Owner & { readonly environment: Environment; readonly account: string; readonly transferId: string },
  money: { readonly reference: string; readonly asset: string; readonly amount: bigint },
): Promise<void> {
  const id = newId()
  await sqlOf(unit.em).query(
    `insert into cngn_receipts (id, environment, account, reference, organisation_id, customer_id, status, asset, amount, fee, targets,
       received_at, created_at)
     values ($1, $2, $3, $4, $5, $6, '${receiptMachine.initial}', $7, $8, 0, '{}', now(), now())`,
    [
      ...[id, of.environment, of.account, money.reference, of.organisationId, of.customerId],
      ...[money.asset, money.amount.toString()],
    ],
  )
  logReceipt(unit, { id, organisationId: of.organisationId, from: null, to: receiptMachine.initial })
  await moveReceipt(unit, id, 'credited', { transferId: of.transferId })
}

/** The last report that contradicts the state of a receipt: operators see the same one once. */
export const noteContradiction = (unit: UnitOfWork, id: string, status: string | null) =>
  sqlOf(unit.em).query('update cngn_receipts set last_status = $2 where id = $1', [id, status])

/** No other transaction reads or counts what has this name meanwhile. */
const lockReceipts = (unit: UnitOfWork, name: string) =>
  lockName(sqlOf(unit.em), `cngn.receipt/${unit.actor.environment}/${name}`)

/** Locks a transaction on a chain, in any spelling: no other unit of work counts what it brought meanwhile. */
export const lockHash = (unit: UnitOfWork, hash: string) => lockReceipts(unit, hashKey(hash))

/** It is asked for by its reference now, and next time later. One that failed is, for a week: some are paid after all. */
export const checkReceiptLater = ({ pool }: Runtime, id: string, soonest: number) =>
  pool.query(
    `update cngn_receipts set ${nextCheck("status = 'failed' and created_at < now() - interval '7 days'")} where id = $1`,
    [id, soonest],
  )
