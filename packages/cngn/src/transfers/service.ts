import { findCustomer } from '@payments/customers'
import { isId } from '@payments/kernel'
import { accountId, balanceSql } from '@payments/ledger'
import { lookupsOf, type QueryContext } from '@payments/platform'
import type { z } from 'zod'
import { enabledNetworks } from '../customers/networks.ts'
import { checkEnabled, enabledSql, refuseNotEnabled } from '../customers/rules.ts'
import { VirtualAccountEntity } from '../entity.ts'
import { errors } from '../errors.ts'
import { decimal } from '../kinds/amounts.ts'
import { CNGN } from '../kinds/kinds.ts'
import { customerAccountsProvider } from '../provider/provider.ts'
import type { Balance, Networks, VirtualAccount } from '../schemas.ts'

/** The networks on which cNGN can be sent and received. */
export function networks(): z.input<typeof Networks> {
  const rows = enabledNetworks().map(({ network, contract, decimals }) => ({
    ...{ key: network.key, name: network.name, type: network.type },
    ...{ contract, decimals },
  }))
  return { networks: rows, total: rows.length }
}

/**
 * The permanent account of a customer.
 * @throws customer_not_found 404, cngn_not_enabled 409, capability_unavailable 503 where customers have no accounts
 */
export async function virtualAccount(
  context: QueryContext,
  customerId: string,
): Promise<z.input<typeof VirtualAccount>> {
  await checkEnabled(context, customerId, findCustomer)
  const row = await context.em.findOne(VirtualAccountEntity, { customerId })
  if (!row) {
    await context.runtime.providers.for(customerAccountsProvider, context.actor.environment)
    throw errors.cngn_provider_unavailable({ retryAfter: 60 })
  }
  const { accountNumber, accountName, bankName, bankCode } = row
  return { accountNumber, accountName, bankName, bankCode, currency: 'NGN', permanent: true }
}

/** The cNGN of a customer, both parts at one moment: what becomes available is in one of them. @throws customer_not_found 404, cngn_not_enabled 409 */
export async function balance(context: QueryContext, customerId: string): Promise<z.input<typeof Balance>> {
  const { organisationId, environment } = context.actor
  const account = accountId(context.actor, { purpose: 'available', asset: CNGN, customerId })
  const { rows } = await lookupsOf(context).query<{ enabled: boolean; available: string; pending: string }>(
    `select ${enabledSql('$1', '$2', '$3')} as enabled, ${balanceSql('$1', '$2', '$5')}::text as available,
            (select coalesce(sum(case when kind = 'convert' then converted_amount else amount - fee end), 0)
               from cngn_transfers where organisation_id = $1 and environment = $2 and customer_id = $3 and status = 'processing'
                and (kind in ('payin', 'deposit') or (kind = 'convert' and to_currency = $4)))::text as pending`,
    [organisationId, environment, isId(customerId) ? customerId : null, CNGN, account],
  )
  const [found] = rows
  if (!found?.enabled) return refuseNotEnabled(context, customerId, findCustomer)
  const { available, pending } = found
  return { available: decimal(BigInt(available), CNGN), pending: decimal(BigInt(pending), CNGN) }
}
