import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  BVN,
  call,
  type Data,
  isSigned,
  type Received,
  type Sample,
  START_SESSION,
  samples,
  until,
  WALLETS,
} from '@payments/stand'
import { DOMAIN, type Outside } from './outside.ts'

const PATIENCE_MS = 40_000
export const SERVICE = { url: `https://${DOMAIN}` } as const

/** A request of the customer, which repeats what is not available yet. @throws Error for another reply that is no success */
export async function send(token: string | null, line: string, body?: object): Promise<Data> {
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(500)) {
    const answer = await call(SERVICE, line, { token, ...(body ? { body } : {}), ...(token ? {} : { key: null }) })
    if (answer.status === 503 && Date.now() < end) continue
    if (answer.status >= 300) throw new Error(`${line}: ${answer.status} ${answer.text}`)
    return answer.body.data
  }
}

/** A customer with live access: its key, and the secret of its endpoint. */
export interface Customer {
  readonly key: string
  secret: string
  readonly endpointId: string
}

/** Creates a live key and registers an endpoint, as a customer does first. */
export async function goLive({ receiverUrl }: Outside, session: { accessToken: string }): Promise<Customer> {
  const { key } = await send(session.accessToken, 'POST /v1/api-keys', { name: 'Shop', environment: 'live' })
  const { id, secret } = await send(key, 'POST /v1/webhooks', { url: receiverUrl })
  return { key, secret, endpointId: id }
}

/** One story per product: created, paid at the provider, and ended by an event that the endpoint's secret signed. Returns seconds by story; all of them unless some are named. */
export async function tellStories(
  outside: Outside,
  customer: Customer,
  names?: readonly string[],
): Promise<Record<string, number>> {
  const { relay, paycrest, cngn, chain } = outside
  const create = (sample: Sample, given: object = {}) =>
    send(customer.key, `POST ${sample.path}`, sample.body(given as never))
  const ended = (type: string, id: string, status: string) =>
    arrival(
      outside,
      customer,
      (event) => event.type === type && idsOf(event.data).includes(id) && event.data.status === status,
    )

  const stories: Record<string, () => Promise<unknown>> = {
    async 'payment route'() {
      const route = await create(samples.route)
      await relay.pay(route.depositAddress, 12_500_000n, 'completed')
      await relay.settle()
      await tellRelay(route.depositAddress)
      return ended('payment_route.deposit.updated', route.id, 'completed')
    },
    async 'payment link'() {
      const link = await create(samples.collection)
      const session = await send(null, `POST /v1/pay/${link.id}`, START_SESSION)
      await relay.pay(session.depositAddress, BigInt(Math.round(Number(session.amount) * 1e6)), 'completed')
      await relay.settle()
      await tellRelay(session.depositAddress)
      return ended('collection.updated', session.id, 'paid')
    },
    async swap() {
      const swap = await create(samples.swap, { refundAddress: WALLETS.solana })
      await chain.pay(swap.depositAddress, 'EURC', 100_000_000n)
      return ended('swap.updated', swap.id, 'completed')
    },
    async offramp() {
      const order = await create(samples.offramp, { refundAddress: WALLETS.evm })
      paycrest.receive(order.id, String(order.deposit.amount))
      await tellPaycrest(order.id)
      return ended('offramp.updated', order.id, 'delivered')
    },
    async onramp() {
      const refundBankAccount = { accountNumber: '0123456789', bankCode: '058', accountName: 'Ada Obi' }
      const order = await create(samples.onramp, { refundBankAccount })
      paycrest.receive(order.id, String(order.paymentAccount.amount))
      await tellPaycrest(order.id)
      return ended('onramp.updated', order.id, 'delivered')
    },
    async cNGN() {
      const { id: customerId } = await create(samples.customer)
      await send(customer.key, `POST /v1/cngn/customers/${customerId}/enable`, { bvn: BVN })
      await until('cNGN is enabled', async () => {
        const { cngn: own } = await send(customer.key, `GET /v1/customers/${customerId}`)
        return own.status === 'enabled'
      })
      const payin = await create(samples.payin, { customerId })
      await cngn.pay(payin.reference, 5_000_000_000n)
      await cngn.settle()
      await tellCngn()
      await ended('cngn.payin.updated', payin.id, 'completed')
      const payout = await create(samples.payout, { customerId })
      await until('the payout is sent', async () => cngn.transactions.some(({ trx_type: type }) => type === 'redeem'))
      await cngn.settle()
      await tellCngn()
      return ended('cngn.payout.updated', payout.id, 'completed')
    },
  }

  const tellRelay = (address: string) => {
    const body = JSON.stringify({ event: 'request.status.updated', data: { depositAddress: { address } } })
    const at = String(Date.now())
    const signature = createHmac('sha256', relay.calls.at(-1)?.key ?? '').update(`${at}.${body}`)
    return callback('relay', body, { 'x-signature-timestamp': at, 'x-signature-sha256': signature.digest('hex') })
  }
  const tellPaycrest = async (reference: string) => {
    for (let step = 0; step < 10; step++) paycrest.step()
    const { body, signature } = paycrest.callback(paycrest.order(reference), 'payment_order.settled')
    await callback('paycrest', body.toString(), { 'x-paycrest-signature': signature })
  }
  const tellCngn = () => {
    const { body, header } = cngn.callback({ event: 'changed' })
    return callback('cngn', body.toString(), { 'x-cngn-signature': header('x-cngn-signature') ?? '' })
  }
  // Blocks go by, with whatever the service sends to the chain.
  const blocks = setInterval(() => void chain.advance(), 400)
  try {
    const told = Object.entries(stories).filter(([name]) => names?.includes(name) ?? true)
    const times = told.map(async ([name, tell]) => {
      const from = performance.now()
      await tell().catch((error: Error) => {
        throw new Error(`${name}: ${error.message}`)
      })
      return [name, Math.round((performance.now() - from) / 100) / 10] as const
    })
    return Object.fromEntries(await Promise.all(times))
  } finally {
    clearInterval(blocks)
  }
}

/** What a provider reports over the public address. */
async function callback(provider: string, body: string, headers: Record<string, string>): Promise<void> {
  const { status, text } = await call(SERVICE, `POST /v1/callbacks/${provider}`, {
    ...{ body, key: null, headers: { ...headers, 'content-type': 'application/json' } },
  })
  if (status !== 200) throw new Error(`The callback of ${provider} was answered with ${status} ${text}`)
}

interface Event {
  readonly type: string
  readonly data: Data
}
const idsOf = (data: Data): unknown[] => [data.id, data.paymentRouteId, data.sessionId, data.session?.id, data.parentId]

/** Waits for such an event. @throws Error when its signature is wrong, or none arrives */
async function arrival({ receiver }: Outside, { secret }: Customer, wanted: (event: Event) => boolean): Promise<Event> {
  const isWanted = ({ body }: Received) => wanted(JSON.parse(body) as Event)
  const found = (await receiver.until((all) => all.some(isWanted), PATIENCE_MS)).find(isWanted) as Received
  if (!isSigned(found.body, String(found.headers['x-service-signature']), secret))
    throw new Error(`A signature is wrong: ${found.body}`)
  return JSON.parse(found.body) as Event
}
