import { checkCustomer } from '@payments/customers'
import { checked, invalid, isId, type Network, networkField, networkOf, unknownNetwork } from '@payments/kernel'
import { balance } from '@payments/ledger'
import { type QueryContext, sqlOf } from '@payments/platform'
import { errors } from '../states/errors.ts'
import { CNGN } from '../transfers/kinds.ts'
import { enabledNetworks } from './networks.ts'

/**
 * The customer of a request can use cNGN.
 * @param checkExists how a customer that does not exist is refused: as a field of the body, or as the object of the path
 * @throws what `checkExists` throws, by default validation_failed 422 on `customerId`; cngn_not_enabled 409
 */
export async function checkEnabled(
  context: QueryContext,
  customerId: string,
  checkExists: (context: QueryContext, id: string) => Promise<unknown> = checkCustomer,
): Promise<void> {
  if (await isEnabled(context, customerId)) return
  await checkExists(context, customerId)
  throw errors.cngn_not_enabled()
}

/** Whether the identity of a customer was verified. */
async function isEnabled({ em, actor }: QueryContext, customerId: string): Promise<boolean> {
  if (!isId(customerId)) return false
  const { rows } = await sqlOf(em).query(
    `select 1 from cngn_enablements
      where organisation_id = $1 and environment = $2 and customer_id = $3 and status = 'enabled'`,
    [actor.organisationId, actor.environment, customerId],
  )
  return rows.length > 0
}

/** A network on which cNGN can be sent and received. @throws validation_failed 422 on `networkKey` */
export function cngnNetwork(key: string): Network {
  const row = enabledNetworks().find(({ networkKey }) => networkKey === key)
  if (row) return row.network
  const known = enabledNetworks().map(({ networkKey }) => networkKey)
  throw invalid({
    networkKey: networkOf(key) ? `Must be one of ${known.join(', ')}` : unknownNetwork(key, 'GET /cngn/networks'),
  })
}

/** A network on which a stablecoin can be sent and received. @throws validation_failed 422 on `networkKey` */
export function networkWith(key: string, symbol: string): Network {
  const network = checked((wrong) => networkField(wrong, 'networkKey', key))
  if (!(network.currencies as readonly string[]).includes(symbol))
    throw invalid({ networkKey: `${symbol} is not available on ${network.name}` })
  return network
}

/**
 * Refuses money out that the treasury may not have: see {@link holdBack}.
 * @throws cngn_float_short 503
 */
export async function checkFloat(context: QueryContext, amount: bigint): Promise<void> {
  if (await holdBack(context, amount)) throw errors.cngn_float_short({ retryAfter: 60 })
}

/**
 * Is an amount more than what is certainly at the provider? While the last comparison found too little, as much as is missing is held
 * back, beside what is being sent; everything else goes on. `treasury.ts` compares, and operators book the difference.
 */
export async function holdBack({ em, actor }: Pick<QueryContext, 'em' | 'actor'>, amount: bigint): Promise<boolean> {
  const { rows } = await sqlOf(em).query(
    `select 1 from cngn_treasuries t where environment = $1 and difference < 0
        and $2::numeric > balance + difference - (
          select coalesce(sum(c.amount), 0) from cngn_sends s join cngn_transfers c on c.id = s.id
           where s.environment = t.environment and s.sent_at is not null and not s.ended)`,
    [actor.environment, amount.toString()],
  )
  return rows.length > 0
}

/** The customer can pay it: asked before a provider is, whose calls are few. The journal decides in the end. @throws cngn_insufficient_balance 422 */
export async function checkBalance(context: QueryContext, customerId: string, amount: bigint): Promise<void> {
  if ((await balance(context, { purpose: 'available', asset: CNGN, customerId })) < amount)
    throw errors.cngn_insufficient_balance()
}
