import {
  type AcceptedOfframp,
  type AcceptedOnramp,
  fiatConversions,
  type ListedOrder,
  type NewOfframpOrder,
  type NewOnrampOrder,
} from '@payments/fiat'
import { invalid } from '@payments/kernel'
import { ProviderError } from '@payments/provider-http'
import type { z } from 'zod'
import type { PaycrestClient } from './client.ts'
import { isDuplicate } from './errors.ts'
import { payoutOf, textOf, unitsOf } from './offers/amounts.ts'
import { type FeeTerms, termsOf } from './offers/fees.ts'
import { networkNames } from './offers/offers.ts'
import { Offramp, Onramp, Order, OrderList, Orders, UNREADABLE } from './wire.ts'

/** Paycrest encrypts the recipient in at most 500 bytes, of which about 450 are usable. */
const RECIPIENT_BYTES = 450
const PAGE = 100
const RATE_READS = 3
/** How far back a duplicate reference is searched for. */
const PAGES = 5
/** How far back orders are listed: more than an account creates in the time that a restore forgets. */
const LISTED_PAGES = 200

const CHANNELS = { mobile: 'Mobile', till: 'Till', paybill: 'Paybill' } as const

/** Mobile numbers without the plus. */
export const identifier = (accountNumber: string): string => accountNumber.replace(/^\+/, '')

/** Corridor-specific hints of an account. */
export const accountMetadata = ({ channel, businessNumber }: Partial<NewOfframpOrder['account']>) =>
  channel || businessNumber
    ? {
        metadata: { ...(channel ? { channel: CHANNELS[channel] } : {}), ...(businessNumber ? { businessNumber } : {}) },
      }
    : {}

const networkName = (key: string): string => networkNames[key] ?? key

/** Creates an offramp at Paycrest, once. `institution`: its code of the bank. */
export async function createOfframp(
  client: PaycrestClient,
  order: NewOfframpOrder,
  institution: string,
): Promise<{ accepted: AcceptedOfframp; terms: FeeTerms }> {
  const { account, asset, quote, reference } = order
  const recipient = {
    institution,
    accountIdentifier: identifier(account.accountNumber),
    accountName: account.accountName,
    memo: `Payment ${reference.slice(-12)}`,
    ...accountMetadata(account),
  }
  if (Buffer.byteLength(JSON.stringify(recipient)) > RECIPIENT_BYTES)
    throw invalid({ 'bankAccount.accountName': 'Too long for the provider' })
  const providerIds = quote?.terms ? (JSON.parse(quote.terms) as string[]) : []
  const accepted = await create(client, Offramp, {
    amount: textOf(order.amount, asset),
    reference,
    ...(quote ? { rate: quote.rate } : {}),
    source: {
      type: 'crypto',
      currency: asset,
      network: networkName(order.networkKey),
      refundAddress: order.refundAddress,
    },
    destination: {
      type: 'fiat',
      currency: order.currency,
      ...(providerIds.length > 0 ? { providerIds } : {}),
      recipient,
    },
  })
  const fee = feeOf(accepted, asset)
  const rate = await rateOf(client, accepted)
  const { receiveAddress, validUntil } = accepted.providerAccount
  return {
    terms: termsOf(accepted, order.amount, asset),
    accepted: {
      providerOrderId: accepted.id,
      rate,
      convertedAmount: payoutOf(order.amount, asset, order.currency, rate),
      fee,
      deposit: { address: receiveAddress, amount: order.amount + fee, expiresAt: validUntil },
    },
  }
}

/** Creates an onramp at Paycrest, once. `institution`: its code of the refund account's bank. */
export async function createOnramp(
  client: PaycrestClient,
  order: NewOnrampOrder,
  institution: string | null,
): Promise<AcceptedOnramp> {
  const { amount, asset, currency, reference, refundAccount } = order
  const accepted = await create(client, Onramp, {
    // With `crypto` the server asks for what the amount costs at the rate that it chooses, and delivers exactly the amount (sender.go).
    ...('output' in amount
      ? { amount: textOf(amount.output, asset), amountIn: 'crypto' }
      : { amount: textOf(amount.input, currency), amountIn: 'fiat' }),
    reference,
    source: {
      type: 'fiat',
      currency,
      ...(refundAccount
        ? {
            refundAccount: {
              institution,
              accountIdentifier: identifier(refundAccount.accountNumber),
              accountName: refundAccount.accountName,
            },
          }
        : {}),
    },
    destination: {
      type: 'crypto',
      currency: asset,
      recipient: { address: order.address, network: networkName(order.networkKey) },
    },
  })
  const { providerAccount } = accepted
  const rate = await rateOf(client, accepted)
  const paid = unitsOf(providerAccount.amountToTransfer, currency)
  // The server delivers the `amount` of its reply, and `amountToTransfer` contains the sender's fee (paycrest/aggregator,
  // controllers/sender/sender.go). Its documents read as if the fees were taken from what was paid: both figures are evidence.
  const convertedAmount = unitsOf(accepted.amount, asset)
  const asDocumented = fiatConversions.bought(paid, currency, asset, rate) - feeOf(accepted, asset)
  const worth = fiatConversions.sold(convertedAmount, asset, currency, rate)
  return {
    providerOrderId: accepted.id,
    rate,
    fee: paid > worth ? paid - worth : 0n,
    convertedAmount,
    evidence: {
      amount: textOf(convertedAmount, asset),
      amountAsDocumented: textOf(asDocumented > 0n ? asDocumented : 0n, asset),
      amountToTransfer: textOf(paid, currency),
      senderFee: accepted.senderFee ?? '0',
      transactionFee: accepted.transactionFee ?? '0',
    },
    paymentAccount: {
      accountNumber: providerAccount.accountIdentifier,
      accountName: providerAccount.accountName,
      bankName: providerAccount.institution,
      reference,
      amount: paid,
      expiresAt: providerAccount.validUntil,
    },
  }
}

const feeOf = ({ senderFee, transactionFee }: Offramp | Onramp, asset: string): bigint =>
  unitsOf(senderFee ?? '0', asset) + unitsOf(transactionFee ?? '0', asset)

/** The rate of a new order. The server omits an empty one; then the order itself is read. */
async function rateOf(client: PaycrestClient, { id, rate }: Offramp | Onramp): Promise<string> {
  if (rate !== null) return rate
  for (let tries = 0; tries < RATE_READS; tries++) {
    const order = await client.get(`/sender/orders/${id}`, {}, Order)
    if (order.rate !== null) return order.rate
  }
  throw new ProviderError('unreadable', 'The order has no rate')
}

/** Creates an order. A reference that Paycrest has already means that it was created: the order is searched for. */
async function create<T extends z.ZodType>(
  client: PaycrestClient,
  shape: T,
  body: Readonly<Record<string, unknown>> & { readonly reference: string },
): Promise<z.output<T>> {
  try {
    return await client.post('/sender/orders', body, shape)
  } catch (error) {
    if (!isDuplicate(error)) throw error
    const found = await findByReference(client, body.reference)
    const known = shape.safeParse(found)
    if (!known.success) throw new ProviderError('unavailable', 'An order of this reference exists', { cause: error })
    return known.data
  }
}

/** Every order of the account since then. The list is newest first, and new orders push others to the next page: none is missed. */
export async function ordersSince(client: PaycrestClient, from: Date): Promise<readonly ListedOrder[]> {
  const found = new Map<string, ListedOrder>()
  for (let page = 1; page <= LISTED_PAGES; page++) {
    const { orders } = await client.get('/sender/orders', { page: String(page), pageSize: String(PAGE) }, Orders)
    for (const [index, { id, reference, status, amount, createdAt }] of orders.entries())
      if (createdAt === null || createdAt >= from)
        found.set(id === UNREADABLE ? `${page} ${index}` : id, { reference, providerOrderId: id, status, amount })
    const last = orders.findLast(({ createdAt }) => createdAt !== null)?.createdAt
    if (orders.length < PAGE || (last && last < from)) return [...found.values()]
  }
  throw new ProviderError(
    'unreadable',
    `The list has more than ${LISTED_PAGES * PAGE} orders since ${from.toISOString()}`,
  )
}

/** Paycrest's list has no filter for references. */
async function findByReference(client: PaycrestClient, reference: string): Promise<unknown> {
  for (let page = 1; page <= PAGES; page++) {
    const { orders } = await client.get('/sender/orders', { page: String(page), pageSize: String(PAGE) }, OrderList)
    const found = orders.find((order) => order.reference === reference)
    if (found || orders.length < PAGE) return found
  }
  return undefined
}
