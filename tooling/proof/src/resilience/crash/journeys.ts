import { BVN, type Data, retried, type Sample, START_SESSION, samples, someWallet } from '@payments/stand'
import { type CrashStand, countRetry, type Member } from './stand.ts'

/** A piece of work from its first request to its final status, with whatever is refused as an error. */
export type Journey = (stand: CrashStand, member: Member) => Promise<void>

const some = (stand: CrashStand): string => `${10 + stand.random.below(400)}.${10 + stand.random.below(3)}`

const make = (member: Member, { path, body }: Sample, given: object = {}): Promise<Data> =>
  member.command(`POST ${path}`, body({ ...given }))
const fund = (member: Member, sample: Required<Pick<Sample, 'fund'>>, id: string, given: object = {}): Promise<Data> =>
  member.command(...sample.fund(id, { ...given }))

async function customer(stand: CrashStand, member: Member): Promise<string> {
  const { id } = await make(member, samples.customer)
  if (stand.random.chance(0.5)) await member.command(`PATCH /v1/customers/${id}`, { name: 'Ada N. Obi' })
  return id
}

const route: Journey = async (stand, member) => {
  const given = stand.random.chance(0.3) ? { customerId: await customer(stand, member) } : {}
  const made = await make(member, samples.route, given)
  const path = `/v1/payment-routes/${made.id}`
  for (let deposits = 1 + stand.random.below(2); deposits > 0; deposits--) {
    const outcome = stand.random.pick(['completed', 'completed', 'refunded', 'failed'])
    const { relayRequestId } = await fund(member, samples.route, made.id, { amount: some(stand), outcome })
    await member.ends(`${path}/deposits`, made.id, outcome, ({ deposits }) =>
      deposits.find((each: Data) => each.relayRequestId === relayRequestId),
    )
  }
  if (stand.random.chance(0.2)) await member.command(`DELETE ${path}`)
}

const collection: Journey = async (stand, member) => {
  const amount = `${20 + stand.random.below(50)}`
  const type = stand.random.pick(['link', 'checkout'])
  const { id } = await make(member, samples.collection, { type, amount })
  const line = `POST /v1/pay/${id}`
  // A payer has no idempotency key. One who got no reply starts again; the first session, if there is one, is never paid.
  const started = await retried(stand.url, line, {
    body: START_SESSION,
    key: null,
    deadline: stand.deadline,
    onRetry: countRetry(stand, line),
  })
  if (started.status !== 200) throw new Error(`${line}: ${started.status} ${started.text}`)
  const session = started.data.id as string
  const pay = (given: object) => fund(member, samples.collection, session, given)
  const ends = (status: string) =>
    member.ends(`/v1/collections/${id}/sessions`, session, status, ({ sessions }) =>
      sessions.find((each: Data) => each.id === session),
    )
  if (stand.random.chance(0.3)) {
    await pay({ amount: '10' })
    if (!(await ends('underpaid'))) return
  }
  await pay({})
  await ends('paid')
}

const swap: Journey = async (stand, member) => {
  const [fromCurrency, toCurrency] = stand.random.pick([
    ['EURC', 'USDC'],
    ['USDC', 'EURC'],
  ])
  const { id } = await make(member, samples.swap, { fromCurrency, toCurrency, amount: some(stand) })
  const outcome = stand.random.pick(['completed', 'completed', 'price_moved', 'failed', 'cancelled'])
  if (outcome === 'cancelled') {
    await member.command(`POST /v1/swaps/${id}/cancel`)
    await member.ends(`/v1/swaps/${id}`, id, 'cancelled')
    return
  }
  await fund(member, samples.swap, id, { outcome })
  await member.ends(`/v1/swaps/${id}`, id, outcome === 'completed' ? 'completed' : 'refunded')
}

const offramp: Journey = async (stand, member) => {
  const accountNumber = stand.random.pick(['0123456789', '0123456789', '0000000000', '0000000001'])
  const bankAccount = { accountNumber, bankCode: '058' }
  const { id } = await make(member, samples.offramp, { amount: some(stand), bankAccount })
  await fund(member, samples.offramp, id)
  await member.ends(`/v1/offramps/${id}`, id, accountNumber === '0123456789' ? 'delivered' : 'failed')
}

const onramp: Journey = async (stand, member) => {
  const { id } = await make(member, samples.onramp, { amount: `${20_000 + stand.random.below(50_000)}` })
  await fund(member, samples.onramp, id)
  await member.ends(`/v1/onramps/${id}`, id, 'delivered')
}

/** A customer with cNGN, who receives and sends it in every way at once. */
const cngn: Journey = async (stand, member) => {
  const customerId = await customer(stand, member)
  await member.command(`POST /v1/cngn/customers/${customerId}/enable`, { bvn: BVN })
  const enabled = await member.ends(`/v1/customers/${customerId}`, customerId, 'enabled', (data) => data.cngn)
  if (!enabled) return
  await member.command(`POST /v1/sandbox/cngn/customers/${customerId}/bank-transfers`, { amount: '5000' })
  const arrived = await member.ends(`/v1/cngn/customers/${customerId}/balance`, customerId, '5000', (data) => ({
    status: data.available,
  }))
  if (!arrived) return
  const accountNumber = stand.random.pick(['0123456789', '0000000000'])
  const follow = async (sample: Required<Sample>, given: object, money?: object, status = sample.ended) => {
    const { id } = await make(member, sample, { customerId, ...given })
    if (money) await fund(member, sample, id, money)
    await member.ends(`${sample.path}/${id}`, id, status)
  }
  const paid = accountNumber === '0123456789' ? 'completed' : 'failed'
  const fromCngn = { fromCurrency: 'cNGN', toCurrency: 'USDC', amount: '2000', destinationAddress: someWallet() }
  await together([
    follow(samples.payout, { amount: '200', bankAccount: { accountNumber, bankCode: '058' } }, undefined, paid),
    // Equal orders, which the provider's list does not tell apart.
    follow(samples.withdrawal, {}),
    follow(samples.withdrawal, {}),
    follow(samples.convert, fromCngn),
    follow(samples.payin, { amount: '700' }, {}),
    follow(samples.cngnDeposit, {}, { amount: '30' }),
    follow(samples.convert, { amount: '10' }, {}),
  ])
}

/** Waits for all of them, also when one fails, and then fails with the first error. */
async function together(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((each) => each.status === 'rejected')
  if (failed) throw failed.reason
}

/** What merchants do beside money: test deliveries, a changed endpoint, notifications marked as read. */
const settings: Journey = async (stand, member) => {
  const { webhookEndpoints } = await member.read('/v1/webhooks')
  const { id } = webhookEndpoints[0]
  await member.command(`POST /v1/webhooks/${id}/test`, {})
  await member.command(`PATCH /v1/webhooks/${id}`, { description: `Changed ${stand.random.below(1000)}` })
  await member.command('POST /v1/notifications/read-all')
  await member.read('/v1/notifications')
  await customer(stand, member)
}

export const journeys: Readonly<Record<string, Journey>> = { route, collection, swap, offramp, onramp, cngn, settings }
