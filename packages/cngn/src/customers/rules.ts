import { checkCustomer } from '@payments/customers'
import { checked, invalid, isId, type Network, networkField, networkOf, unknownNetwork } from '@payments/kernel'
import { accountId, balanceSql } from '@payments/ledger'
import { lookupsOf, type QueryContext, sqlOf, type UnitOfWork } from '@payments/platform'
import { errors } from '../errors.ts'
import { CNGN } from '../kinds/kinds.ts'
import { enabledNetworks } from './networks.ts'

/** How a customer that does not exist is refused: as a field of the body, or as the object of the path. */
type CheckExists = (context: QueryContext, id: string) => Promise<unknown>

/**
 * The customer of a request can use cNGN.
 * @throws what `checkExists` throws, by default validation_failed 422 on `customerId`; cngn_not_enabled 409
 */
export async function checkEnabled(
  context: QueryContext,
  customerId: string,
  checkExists?: CheckExists,
): Promise<void> {
  const { organisationId, environment } = context.actor
  const { rows } = await sqlOf(context.em).query<{ enabled: boolean }>(
    `select ${enabledSql('$1', '$2', '$3')} as enabled`,
    [organisationId, environment, isId(customerId) ? customerId : null],
  )
  if (!rows[0]?.enabled) await refuseNotEnabled(context, customerId, checkExists)
}

/** @throws as {@link checkEnabled}, for a customer of whom a statement with {@link enabledSql} has found that it cannot use cNGN */
export async function refuseNotEnabled(
  context: QueryContext,
  customerId: string,
  checkExists: CheckExists = checkCustomer,
): Promise<never> {
  await checkExists(context, customerId)
  throw errors.cngn_not_enabled()
}

/**
 * SQL: the identity of a customer was verified. The id may be null. Its order is that of the index by customer alone, so that no plan
 * that is kept reads all customers of the organisation.
 */
export const enabledSql = (organisationId: string, environment: string, customerId: string): string =>
  `exists (select from (select from cngn_enablements where organisation_id = ${organisationId} and environment = ${environment}
      and customer_id = any (array[${customerId}]::uuid[]) and status = 'enabled' order by customer_id limit 1) e)`

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
 * What must hold before money leaves: the customer can use cNGN, the treasury has it (see {@link holdBack}), and the
 * customer can pay it. Asked before a provider is, whose calls are few. The journal decides in the end.
 * @throws validation_failed 422 on `customerId`, cngn_not_enabled 409, cngn_float_short 503, cngn_insufficient_balance 422
 */
export async function checkMoneyOut(
  context: QueryContext | UnitOfWork,
  customerId: string,
  amount: bigint,
): Promise<void> {
  const { organisationId, environment } = context.actor
  const account = accountId(context.actor, { purpose: 'available', asset: CNGN, customerId })
  const { rows } = await lookupsOf(context).query<{ enabled: boolean; differs: boolean; balance: string }>(
    `select ${enabledSql('$1', '$2', '$3')} as enabled, ${balanceSql('$1', '$2', '$4')}::text as balance,
            exists (select from cngn_treasuries where environment = $2 and difference <> 0) as differs`,
    [organisationId, environment, isId(customerId) ? customerId : null, account],
  )
  const [found] = rows
  if (!found?.enabled) return refuseNotEnabled(context, customerId)
  if (found.differs && (await holdBack(context, amount))) throw errors.cngn_float_short({ retryAfter: 60 })
  if (BigInt(found.balance) < amount) throw errors.cngn_insufficient_balance()
}

/**
 * Is an amount more than what is certainly at the provider? While the last comparison found too little, as much as is missing is held
 * back, beside what is being sent; everything else goes on. `treasury.ts` compares, and operators book the difference.
 */
export async function holdBack({ em, actor }: Pick<QueryContext, 'em' | 'actor'>, amount: bigint): Promise<boolean> {
  const { rows } = await sqlOf(em).query<{ short: boolean }>(
    `select exists (select from cngn_treasuries t where environment = $1 and difference < 0
        and $2::numeric > balance + difference - (
          select coalesce(sum(c.amount), 0) from cngn_sends s join cngn_transfers c on c.id = s.id
           where s.environment = t.environment and s.status in ('claimed', 'unresolved', 'accepted', 'delivering', 'held') and s.sent_at is not null)) as short`,
    [actor.environment, amount.toString()],
  )
  return rows[0]?.short === true
}
