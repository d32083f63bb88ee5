import { invalid, isId } from '@payments/kernel'
import { newest, type QueryContext, sqlOf } from '@payments/platform'
import type { z } from 'zod'
import { accountName } from './accounts.ts'
import { isFiatCurrency } from './currencies.ts'
import { OfframpEntity, type OfframpRow, OnrampEntity, type OnrampRow } from './entity.ts'
import { errors } from './errors.ts'
import type { Account, Direction } from './provider.ts'
import { providerOf } from './providers.ts'
import { bankOf } from './rules.ts'
import type { AccountToVerify, VerifiedAccount } from './schemas.ts'

/** In `fiat_order_counts`, the customer id of the rows that count a whole organisation. */
const ALL_CUSTOMERS = '00000000-0000-0000-0000-000000000000'

/** @throws offramp_not_found 404 */
export async function findOfframp(context: QueryContext, id: string | undefined): Promise<OfframpRow> {
  const row = id && isId(id) ? await context.em.findOne(OfframpEntity, { id }) : null
  if (!row) throw errors.offramp_not_found()
  return row
}

/** @throws onramp_not_found 404 */
export async function findOnramp(context: QueryContext, id: string): Promise<OnrampRow> {
  const row = isId(id) ? await context.em.findOne(OnrampEntity, { id }) : null
  if (!row) throw errors.onramp_not_found()
  return row
}

const ofCustomer = (customerId: string | undefined) =>
  customerId ? { where: 'customer_id = $3', values: [customerId] } : {}

/** The newest 200 offramps of the organisation or of one customer, and the exact total. */
export const listOfframps = async (context: QueryContext, customerId: string | undefined) => ({
  rows: await newest(context, OfframpEntity, ofCustomer(customerId)),
  total: await count(context, 'offramp', customerId),
})

/** The newest 200 onramps of the organisation or of one customer, and the exact total. */
export const listOnramps = async (context: QueryContext, customerId: string | undefined) => ({
  rows: await newest(context, OnrampEntity, ofCustomer(customerId)),
  total: await count(context, 'onramp', customerId),
})

/** The exact number of orders, summed from a few counters: counting a million rows costs a hundred times the page. */
async function count(context: QueryContext, direction: Direction, customerId: string | undefined): Promise<number> {
  const { organisationId, environment } = context.actor
  const { rows } = await sqlOf(context.em).query<{ total: string }>(
    `select coalesce(sum(count), 0) as total from fiat_order_counts
      where organisation_id = $1 and environment = $2 and direction = $3 and customer_id = $4`,
    [organisationId, environment, direction, customerId ?? ALL_CUSTOMERS],
  )
  return Number(rows[0]?.total ?? 0)
}

/**
 * What the bank says of an account. A bank that tells no name is never shown as a verification.
 * @throws validation_failed 422 for an account that cannot exist, fiat_provider_unavailable 503 after the deadline
 */
export async function verifyAccount(
  context: QueryContext,
  { currency, channel, businessNumber, ...number }: z.output<typeof AccountToVerify>,
): Promise<z.input<typeof VerifiedAccount>> {
  const provider = await providerOf(context, currency)
  const offered = (await provider.offers()).currencies.some(({ code }) => code === currency)
  if (!isFiatCurrency(currency) || !offered)
    throw invalid({ currency: `Unknown currency "${currency}": see GET /fiat/currencies` })
  const account: Account = {
    currency,
    ...number,
    ...(channel ? { channel } : {}),
    ...(businessNumber ? { businessNumber } : {}),
  }
  const bank = bankOf(await provider.institutions(currency), account, '')
  const answer = await accountName(context, provider, account, 'verification')
  if (answer.status === 'not_found') throw invalid({ accountNumber: `No such account at ${bank.name}` })
  return {
    status: answer.status,
    accountName: answer.status === 'verified' ? answer.accountName : null,
    bankName: bank.name,
    accountNumber: account.accountNumber,
  }
}
