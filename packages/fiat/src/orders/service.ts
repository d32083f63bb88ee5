import { invalid, isId } from '@payments/kernel'
import { newestAndTotal, type QueryContext } from '@payments/platform'
import type { z } from 'zod'
import { accountName } from '../accounts/accounts.ts'
import { isFiatCurrency } from '../currencies/currencies.ts'
import { OfframpEntity, type OfframpRow } from '../entities/offramp.ts'
import { OnrampEntity, type OnrampRow, VISIBLE } from '../entities/onramp.ts'
import { errors } from '../errors.ts'
import type { Account } from '../provider/provider.ts'
import { providerOf } from '../provider/providers.ts'
import { bankOf } from '../quotes/rules.ts'
import type { AccountToVerify, VerifiedAccount } from '../schemas.ts'

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

const ofCustomer = (
  customerId: string | undefined,
): { readonly where?: string; readonly values?: readonly string[]; readonly scopes?: string } =>
  customerId ? { where: 'customer_id = $3', values: [customerId], scopes: 'scope = $3::uuid::text' } : {}

/** The newest 200 offramps of the organisation or of one customer, and the exact total. */
export const listOfframps = (context: QueryContext, customerId: string | undefined) =>
  newestAndTotal(context, OfframpEntity, ofCustomer(customerId))

/** The newest 200 onramps of the organisation or of one customer, and the exact total. */
export function listOnramps(context: QueryContext, customerId: string | undefined) {
  const { where, ...listed } = ofCustomer(customerId)
  return newestAndTotal(context, OnrampEntity, { ...listed, where: where ? `${VISIBLE} and ${where}` : VISIBLE })
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
