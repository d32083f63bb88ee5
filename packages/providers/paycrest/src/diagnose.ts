import type { Diagnosis } from '@payments/platform'
import { probe } from '@payments/provider-http'
import { type PaycrestOptions, paycrestClient } from './client.ts'
import { isHidden } from './errors.ts'
import { networkNames, paycrestMarket } from './offers/offers.ts'
import { Order, OrderList, Rates } from './wire.ts'

/** No order has it. */
const NO_ORDER = '00000000-0000-4000-8000-000000000000'

/** Asks Paycrest what it offers, for a rate, for the list of this key's orders, and for an order that does not exist. */
export function diagnosePaycrest(options: PaycrestOptions): Promise<readonly Diagnosis[]> {
  const client = paycrestClient(options)
  const address = 'Compare PAYCREST_BASE_URL with the documents: it ends with /v2'
  const key =
    'Compare PAYCREST_API_KEY with the dashboard of Paycrest: it must be the key of a sender whose account is approved'
  return Promise.all([
    probe(
      'paycrest: currencies and networks',
      async () => {
        const { corridors, institutions } = await paycrestMarket(client, options.maxOrder)()
        const missing = Object.keys(networkNames).filter(
          (each) => !corridors.some(({ networkKey }) => networkKey === each),
        )
        const currencies = [...new Set(corridors.map(({ currency }) => currency))].sort()
        if (currencies.length === 0)
          return { status: 'failed', message: 'Paycrest offers no currency', action: address }
        const offered = `${currencies.join(', ')}; banks of ${[...institutions.keys()].sort().join(', ')}`
        return missing.length === 0
          ? offered
          : {
              status: 'warning',
              message: `${offered}; nothing on ${missing.join(', ')}`,
              action: 'Nothing, if Paycrest has disabled them; else compare the networks with GET /tokens',
            }
      },
      address,
    ),
    probe(
      'paycrest: rates',
      async () => {
        const { sell } = await client.get('/rates/base/USDC/100/NGN', { side: 'sell' }, Rates)
        return `1 USDC sells for ${sell.rate} NGN`
      },
      address,
    ),
    probe(
      'paycrest: key',
      async () => {
        const { total } = await client.get('/sender/orders', { page: '1', pageSize: '1' }, OrderList)
        return `The key is accepted; its account has ${total} orders`
      },
      key,
    ),
    probe(
      'paycrest: an order that it does not know',
      async () => {
        try {
          await client.get(`/sender/orders/${NO_ORDER}`, {}, Order)
        } catch (error) {
          if (isHidden(error)) return 'Answered with the text that cancelled orders are recognised by'
          throw error
        }
        return { status: 'failed', message: 'An order that does not exist was answered', action: address }
      },
      `${key}. Of a 404 the text differs from the one that cancelled orders are recognised by: tell the maintainers before going live`,
    ),
  ])
}
