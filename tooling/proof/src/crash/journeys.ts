import { randomBytes } from 'node:crypto'
import { newId } from '@payments/kernel'
import { type Data, retried } from '@payments/stand'
import { countRetry, type Member, type World } from './world.ts'

/** A piece of work from its first request to its final status, with whatever is refused as an error. */
export type Journey = (world: World, member: Member) => Promise<void>

const wallet = (): string => `0x${randomBytes(20).toString('hex')}`
const SOLANA = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T'
const some = (world: World): string => `${10 + world.random.below(400)}.${10 + world.random.below(3)}`

async function customer(world: World, member: Member): Promise<string> {
  const { id } = await member.command('POST /v1/customers', { name: 'Ada Obi', email: `${newId()}@example.com` })
  if (world.random.chance(0.5)) await member.command(`PATCH /v1/customers/${id}`, { name: 'Ada N. Obi' })
  return id
}

const route: Journey = async (world, member) => {
  const made = await member.command('POST /v1/payment-routes', {
    ...{ name: 'Treasury', originChainKey: 'ethereum', destinationChainKey: 'base', destinationCurrency: 'USDC' },
    destinationAddress: wallet(),
    ...(world.random.chance(0.3) ? { customerId: await customer(world, member) } : {}),
  })
  const path = `/v1/payment-routes/${made.id}`
  for (let deposits = 1 + world.random.below(2); deposits > 0; deposits--) {
    const outcome = world.random.pick(['completed', 'completed', 'refunded', 'failed'])
    const body = { amount: some(world), outcome }
    const { relayRequestId } = await member.command(`POST /v1/sandbox/payment-routes/${made.id}/deposits`, body)
    await member.ends(`${path}/deposits`, made.id, outcome, ({ deposits }) =>
      deposits.find((each: Data) => each.relayRequestId === relayRequestId),
    )
  }
  if (world.random.chance(0.2)) await member.command(`DELETE ${path}`)
}

const collection: Journey = async (world, member) => {
  const amount = `${20 + world.random.below(50)}`
  const type = world.random.pick(['link', 'checkout'])
  const { id } = await member.command('POST /v1/collections', {
    ...{ type, title: 'Consulting', amount, currency: 'USDC', destinationChainKey: 'base' },
    destinationAddress: wallet(),
  })
  const line = `POST /v1/pay/${id}`
  // A payer has no idempotency key. One who got no reply starts again; the first session, if there is one, is never paid.
  const started = await retried(world.url, line, {
    body: { action: 'start', networkKey: 'ethereum', currency: 'USDC' },
    key: null,
    deadline: world.deadline,
    onRetry: countRetry(world, line),
  })
  if (started.status !== 200) throw new Error(`${line}: ${started.status} ${started.text}`)
  const session = started.data.id as string
  const pay = (body: object) => member.command(`POST /v1/sandbox/checkout-sessions/${session}/payments`, body)
  const ends = (status: string) =>
    member.ends(`/v1/collections/${id}/sessions`, session, status, ({ sessions }) =>
      sessions.find((each: Data) => each.id === session),
    )
  if (world.random.chance(0.3)) {
    await pay({ amount: '10' })
    if (!(await ends('underpaid'))) return
  }
  await pay({})
  await ends('paid')
}

const swap: Journey = async (world, member) => {
  const [fromCurrency, toCurrency] = world.random.pick([
    ['EURC', 'USDC'],
    ['USDC', 'EURC'],
  ])
  const body = { fromCurrency, toCurrency, amount: some(world), destinationAddress: SOLANA }
  const { id } = await member.command('POST /v1/swaps', body)
  const outcome = world.random.pick(['completed', 'completed', 'price_moved', 'failed', 'cancelled'])
  if (outcome === 'cancelled') {
    await member.command(`POST /v1/swaps/${id}/cancel`)
    await member.ends(`/v1/swaps/${id}`, id, 'cancelled')
    return
  }
  await member.command(`POST /v1/sandbox/swaps/${id}/deposits`, { outcome })
  await member.ends(`/v1/swaps/${id}`, id, outcome === 'completed' ? 'completed' : 'refunded')
}

const offramp: Journey = async (world, member) => {
  const accountNumber = world.random.pick(['0123456789', '0123456789', '0000000000', '0000000001'])
  const { id } = await member.command('POST /v1/offramps', {
    ...{ amount: some(world), sourceCurrency: 'USDC', destinationCurrency: 'NGN' },
    bankAccount: { accountNumber, bankCode: '058' },
  })
  await member.command(`POST /v1/sandbox/offramps/${id}/deposits`, {})
  await member.ends(`/v1/offramps/${id}`, id, accountNumber === '0123456789' ? 'delivered' : 'failed')
}

const onramp: Journey = async (world, member) => {
  const { id } = await member.command('POST /v1/onramps', {
    ...{ amount: `${20_000 + world.random.below(50_000)}`, sourceCurrency: 'NGN', destinationCurrency: 'USDC' },
    ...{ networkKey: 'base', destinationAddress: wallet() },
  })
  await member.command(`POST /v1/sandbox/onramps/${id}/payments`, {})
  await member.ends(`/v1/onramps/${id}`, id, 'delivered')
}

/** A customer with cNGN, who receives and sends it in every way at once. */
const cngn: Journey = async (world, member) => {
  const customerId = await customer(world, member)
  await member.command(`POST /v1/cngn/customers/${customerId}/enable`, { bvn: '22212345678' })
  const enabled = await member.ends(`/v1/customers/${customerId}`, customerId, 'enabled', (data) => data.cngn)
  if (!enabled) return
  await member.command(`POST /v1/sandbox/cngn/customers/${customerId}/bank-transfers`, { amount: '5000' })
  const arrived = await member.ends(`/v1/cngn/customers/${customerId}/balance`, customerId, '5000', (data) => ({
    status: data.available,
  }))
  if (!arrived) return
  const accountNumber = world.random.pick(['0123456789', '0000000000'])
  const follow = async (kind: string, body: object, fund: object | undefined, status = 'completed') => {
    const { id } = await member.command(`POST /v1/cngn/${kind}`, { customerId, ...body })
    if (fund) {
      const money = kind === 'payins' ? 'payments' : 'deposits'
      await member.command(`POST /v1/sandbox/cngn/${kind}/${id}/${money}`, fund)
    }
    await member.ends(`/v1/cngn/${kind}/${id}`, id, status)
  }
  const convert = { fromCurrency: 'USDC', toCurrency: 'cNGN', amount: '10', networkKey: 'base' }
  const out = {
    fromCurrency: 'cNGN',
    toCurrency: 'USDC',
    amount: '2000',
    networkKey: 'base',
    destinationAddress: wallet(),
  }
  await together([
    follow(
      'payouts',
      { amount: '200', bankAccount: { accountNumber, bankCode: '058' } },
      undefined,
      accountNumber === '0123456789' ? 'completed' : 'failed',
    ),
    // Equal orders, which the provider's list does not tell apart.
    follow('withdrawals', { amount: '100', networkKey: 'base', address: SAME_WALLET }, undefined),
    follow('withdrawals', { amount: '100', networkKey: 'base', address: SAME_WALLET }, undefined),
    follow('converts', out, undefined),
    follow('payins', { amount: '700' }, {}),
    follow('deposits', { networkKey: 'base' }, { amount: '30' }),
    follow('converts', convert, {}),
  ])
}
const SAME_WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'

/** Waits for all of them, also when one fails, and then fails with the first error. */
async function together(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((each) => each.status === 'rejected')
  if (failed) throw failed.reason
}

/** What merchants do beside money: test deliveries, a changed endpoint, notifications marked as read. */
const settings: Journey = async (world, member) => {
  const { webhookEndpoints } = await member.read('/v1/webhooks')
  const { id } = webhookEndpoints[0]
  await member.command(`POST /v1/webhooks/${id}/test`, {})
  await member.command(`PATCH /v1/webhooks/${id}`, { description: `Changed ${world.random.below(1000)}` })
  await member.command('POST /v1/notifications/read-all')
  await member.read('/v1/notifications')
  await customer(world, member)
}

export const journeys: Readonly<Record<string, Journey>> = { route, collection, swap, offramp, onramp, cngn, settings }
