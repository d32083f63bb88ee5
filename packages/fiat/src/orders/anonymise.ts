import { replaceInReceipts } from '@payments/ledger'
import { type AnonymisedCustomer, replaceInStoredReplies, sqlOf, type UnitOfWork } from '@payments/platform'
import { replaceInEvents } from '@payments/webhooks'
import { nameWords, sameHolder } from '../accounts/accounts.ts'

interface Named {
  readonly id: string
  readonly account_name: string | null
  readonly check_account_name: string | null
}

/** The column of a holder's name, by the table of the orders. */
const HOLDERS = { offramps: 'account_name', onramps: 'refund_account_name' } as const

/**
 * Erases the name of a customer where an order of theirs goes to, or came from, an account of their own: in the order, the list of
 * transactions, the events, the stored replies and the answers of banks that are kept for a day. Whom a customer paid stays.
 */
export async function anonymise(unit: UnitOfWork, customer: AnonymisedCustomer): Promise<void> {
  const { id: customerId, name: value, formerName } = customer
  const isOwn = (name: string | null) =>
    name !== null && (sameHolder(formerName, name) || nameWords(formerName).join(' ') === nameWords(name).join(' '))
  const holders: Record<keyof typeof HOLDERS, string[]> = { offramps: [], onramps: [] }
  const checked: string[] = []
  for (const table of ['offramps', 'onramps'] as const) {
    const rows = await ownOrders(unit, table, customerId)
    holders[table] = rows.filter((row) => isOwn(row.account_name)).map(({ id }) => id)
    checked.push(...rows.filter((row) => isOwn(row.check_account_name)).map(({ id }) => id))
    await sqlOf(unit.em).query(`update ${table} set ${HOLDERS[table]} = $2 where id = any ($1::uuid[])`, [
      holders[table],
      value,
    ])
  }
  const db = sqlOf(unit.em)
  await db.query('update offramps set check_account_name = $2 where id = any ($1::uuid[])', [checked, value])
  await eraseAnswers(unit, isOwn)
  await replaceInReceipts(unit, { ids: holders.offramps, field: ['bankAccount', 'holderName'], value })
  for (const [path, ids, field] of [
    ['/v1/offramps', holders.offramps, ['bankAccount', 'accountName']],
    ['/v1/offramps', checked, ['accountCheck', 'accountName']],
    ['/v1/onramps', holders.onramps, ['refundBankAccount', 'accountName']],
  ] as const) {
    await replaceInEvents(unit, { ids, field, value })
    if (ids.length > 0) await replaceInStoredReplies(unit, { path, customerId, field, value })
  }
}

/** The customer's orders, locked: none of them brings the name back. */
async function ownOrders(unit: UnitOfWork, table: keyof typeof HOLDERS, customerId: string): Promise<Named[]> {
  const check = table === 'offramps' ? 'check_account_name' : 'null::text as check_account_name'
  const { rows } = await sqlOf(unit.em).query<Named>(
    `select id, ${HOLDERS[table]} as account_name, ${check} from ${table}
      where organisation_id = $1 and environment = $2 and customer_id = $3 order by id for update`,
    [unit.actor.organisationId, unit.actor.environment, customerId],
  )
  return rows
}

/** What banks answered within the last day: asked again when it is needed. */
async function eraseAnswers(unit: UnitOfWork, isOwn: (name: string | null) => boolean): Promise<void> {
  const tenant = [unit.actor.organisationId, unit.actor.environment]
  const { rows } = await sqlOf(unit.em).query<{ account: string; account_name: string | null }>(
    'select account, account_name from fiat_account_names where organisation_id = $1 and environment = $2 and account_name is not null',
    tenant,
  )
  const own = rows.filter((row) => isOwn(row.account_name)).map(({ account }) => account)
  await sqlOf(unit.em).query(
    'delete from fiat_account_names where organisation_id = $1 and environment = $2 and account = any ($3)',
    [...tenant, own],
  )
}
