import { type Account, type FiatProvider, fiatErrors } from '@payments/fiat'
import { credentialsFingerprint } from '@payments/platform'
import { ProviderError } from '@payments/provider-http'
import { isAuthentic, referenceOf } from './callback.ts'
import { type PaycrestOptions, paycrestClient } from './client.ts'
import { isHidden, isNoAccount, mapErrors } from './errors.ts'
import { payoutOf, textOf } from './offers/amounts.ts'
import { type FeeTerms, feeUnder } from './offers/fees.ts'
import { networkNames, paycrestMarket } from './offers/offers.ts'
import { accountMetadata, createOfframp, createOnramp, identifier, ordersSince } from './orders.ts'
import { hiddenReport, mayBeHeld, reportOf } from './reports.ts'
import { AccountHolder, Deliveries, Order, Rates } from './wire.ts'

const QUOTE_SECONDS = 120
const NEW_PER_MINUTE = 400
const ACCOUNT_TIMEOUT_MS = 60_000
/** What Paycrest answers where nobody tells the name of a holder. */
const UNRESOLVED = 'OK'
const HOLD = 'payment_order.compliance_hold'
/** Deliveries of one order, retries included, are fewer. */
const DELIVERIES = 100

/**
 * Local fiat over Paycrest's API, version 2. Orders move no money until their payer does, so creating one is sent once and
 * never repeated.
 * @throws ServiceError 502 or 503, and 422 where Paycrest rejects a field of the merchant's.
 */
export function paycrest(options: PaycrestOptions): FiatProvider {
  const client = paycrestClient(options)
  const market = paycrestMarket(client, options.maxOrder, options.offersMs)
  /** The fees of the last order of each token and network: quotes of Paycrest do not tell them. */
  const lastTerms = new Map<string, FeeTerms>()
  const feeKey = (order: { asset: string; networkKey: string }) => `${order.asset} ${order.networkKey}`

  /** Paycrest's code of a bank. */
  async function codeOf({ currency, bankCode }: Pick<Account, 'currency' | 'bankCode'>): Promise<string> {
    const { institutions } = await market()
    const found = institutions.get(currency)?.find(({ code }) => code === bankCode)
    if (!found) throw fiatErrors.fiat_provider_failed({ cause: new Error(`No code for bank ${bankCode}`) })
    return found.paycrestCode
  }

  return {
    name: 'paycrest',
    credentials: credentialsFingerprint('paycrest', options.apiKey),
    isAvailable: client.isAvailable,
    callsPerMinute: options.requestsPerMinute,
    newCallsPerMinute: options.newRequestsPerMinute ?? NEW_PER_MINUTE,
    offers: () => mapErrors(market),
    institutions: (currency) =>
      mapErrors(async () =>
        ((await market()).institutions.get(currency) ?? []).map(({ code, name, type }) => ({ code, name, type })),
      ),
    accountName: (account) =>
      mapErrors(async () => {
        try {
          const holder = await client.post(
            '/verify-account',
            {
              institution: await codeOf(account),
              accountIdentifier: identifier(account.accountNumber),
              ...accountMetadata(account),
            },
            AccountHolder,
            options.accountTimeoutMs ?? ACCOUNT_TIMEOUT_MS,
          )
          return holder === UNRESOLVED ? { status: 'unresolved' } : { status: 'verified', accountName: holder }
        } catch (error) {
          // A 5xx may be about the bank, and a 401 is about us: they say nothing of the account.
          if (isNoAccount(error)) return { status: 'not_found' }
          throw error
        }
      }),
    sellQuote: (request) =>
      mapErrors(async () => {
        const { amount, asset, networkKey, currency } = request
        const network = networkNames[networkKey] ?? networkKey
        const text = textOf(amount, asset)
        const { sell } = await client.get(`/rates/${network}/${asset}/${text}/${currency}`, { side: 'sell' }, Rates)
        return {
          rate: sell.rate,
          convertedAmount: payoutOf(amount, asset, currency, sell.rate),
          fee: feeUnder(lastTerms.get(feeKey(request)), amount, asset),
          expiresAt: new Date(Date.now() + QUOTE_SECONDS * 1000),
          terms: sell.providerIds.length > 0 ? JSON.stringify(sell.providerIds) : null,
        }
      }),
    createOfframp: (order) =>
      mapErrors(async () => {
        const { accepted, terms } = await createOfframp(client, order, await codeOf(order.account))
        lastTerms.set(feeKey(order), terms)
        return accepted
      }, 'offramp'),
    createOnramp: (order) =>
      mapErrors(async () => {
        const { currency, refundAccount } = order
        const institution = refundAccount ? await codeOf({ currency, bankCode: refundAccount.bankCode }) : null
        return createOnramp(client, order, institution)
      }, 'onramp'),
    report: (query) =>
      mapErrors(async () => {
        const order = await read(query.providerOrderId)
        if (!order) return { report: hiddenReport, calls: 1 }
        const asks = mayBeHeld(query, order)
        const held = asks && (await wasHeld(query.providerOrderId))
        return { report: reportOf(query, order, held), calls: asks ? 2 : 1 }
      }),
    ordersSince: (from) => mapErrors(() => ordersSince(client, from)),
    callback: (request) =>
      isAuthentic(options.apiSecret, request) ? { reference: referenceOf(request.body) } : undefined,
  }

  /** An order; undefined for one that is hidden. */
  async function read(orderId: string): Promise<Order | undefined> {
    try {
      const order = await client.get(`/sender/orders/${orderId}`, {}, Order)
      // The answer about another order says nothing about this one.
      if (order.id.toLowerCase() !== orderId.toLowerCase()) throw new ProviderError('unreadable', 'Another order')
      return order
    } catch (error) {
      if (isHidden(error)) return undefined
      throw error
    }
  }

  /** Held orders keep their status; only the list of callbacks tells. */
  async function wasHeld(orderId: string): Promise<boolean> {
    const query = { event: HOLD, order_id: orderId, page: '1', pageSize: String(DELIVERIES) }
    const { total, deliveries } = await client.get('/sender/webhooks', query, Deliveries)
    if (deliveries.some(({ event, orderId: id }) => event === HOLD && id === orderId)) return true
    // A list of other deliveries was not asked for: what it leaves out may be the one.
    if (total > deliveries.length) throw new ProviderError('unreadable', 'A list of other deliveries')
    return false
  }
}
