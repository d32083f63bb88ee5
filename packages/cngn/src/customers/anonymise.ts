import { sameHolder } from '@payments/fiat'
import { replaceInReceipts } from '@payments/ledger'
import { type AnonymisedCustomer, replaceInStoredReplies, sqlOf, type UnitOfWork } from '@payments/platform'
import { replaceInEvents } from '@payments/webhooks'
import { recordResult } from './enablement.ts'

interface Named {
  readonly id: string
  readonly kind: string
  readonly account_name: string | null
  readonly check_account_name: string | null
}

/**
 * Erases the name of a customer: in the permanent account, in payins and in payouts to an account of their own, in the list of
 * transactions, the events and the stored replies. A verification on its way ends, so that it opens no account in the old name.
 */
export async function anonymise(unit: UnitOfWork, customer: AnonymisedCustomer): Promise<void> {
  const db = sqlOf(unit.em)
  const tenant = [unit.actor.organisationId, unit.actor.environment, customer.id]
  await endVerification(unit, customer.id)
  const { rows: accounts } = await db.query<{ account_name: string }>(
    `with former as (select account_name from cngn_virtual_accounts where organisation_id = $1 and environment = $2 and customer_id = $3)
     update cngn_virtual_accounts set account_name = $4 where organisation_id = $1 and environment = $2 and customer_id = $3
     returning (select account_name from former)`,
    [...tenant, customer.name],
  )
  const names = [customer.formerName, ...accounts.map(({ account_name }) => account_name)]
  const isOwn = (name: string | null) => name !== null && names.some((own) => sameHolder(own, name))
  const { rows } = await db.query<Named>(
    `select id, kind, account_name, check_account_name from cngn_transfers
      where organisation_id = $1 and environment = $2 and customer_id = $3 and kind in ('payin', 'payout') for update`,
    tenant,
  )
  const payins = rows.filter(({ kind, account_name }) => kind === 'payin' && account_name !== null).map(({ id }) => id)
  const holders = rows.filter(({ kind, account_name }) => kind === 'payout' && isOwn(account_name)).map(({ id }) => id)
  const checked = rows.filter(({ check_account_name }) => isOwn(check_account_name)).map(({ id }) => id)
  await db.query(
    `update cngn_transfers set account_name = case when id = any ($1::uuid[]) then $3 else account_name end,
            check_account_name = case when id = any ($2::uuid[]) then $3 else check_account_name end
      where id = any ($1::uuid[] || $2::uuid[])`,
    [[...payins, ...holders], checked, customer.name],
  )
  const value = customer.name
  await replaceInReceipts(unit, { ids: [...payins, ...holders], field: ['bankAccount', 'holderName'], value })
  await replaceInEvents(unit, { ids: payins, field: ['account', 'accountName'], value })
  await replaceInEvents(unit, { ids: holders, field: ['bankAccount', 'accountName'], value })
  await replaceInEvents(unit, { ids: checked, field: ['accountCheck', 'accountName'], value })
  for (const [field, erased] of Object.entries(customer.erased))
    await replaceInEvents(unit, { ids: [customer.id], field: [field], value: erased })
  await replaceInStoredReplies(unit, {
    ...{ path: '/v1/cngn/payins', customerId: customer.id, field: ['account', 'accountName'], value },
  })
  if (holders.length > 0)
    await replaceInStoredReplies(unit, {
      ...{ path: '/v1/cngn/payouts', customerId: customer.id, field: ['bankAccount', 'accountName'], value },
    })
  if (checked.length > 0)
    await replaceInStoredReplies(unit, {
      ...{ path: '/v1/cngn/payouts', customerId: customer.id, field: ['accountCheck', 'accountName'], value },
    })
}

async function endVerification(unit: UnitOfWork, customerId: string): Promise<void> {
  const { rows } = await sqlOf(unit.em).query<{ id: string }>(
    `select id from cngn_enablements where organisation_id = $1 and environment = $2 and customer_id = $3 and status = 'pending'`,
    [unit.actor.organisationId, unit.actor.environment, customerId],
  )
  for (const { id } of rows)
    await recordResult(unit, id, { failureReason: 'verification_unavailable', provider: null, account: null })
}
