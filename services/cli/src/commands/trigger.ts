import { callOperation, operations, typedValue } from '@payments/agents'
import type { Payments } from '@payments/sdk'
import { UsageError } from '../output.ts'

/** Of the global `crypto`: the module `node:crypto` would be loaded by every command. */
const randomHex = (bytes: number): string => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex')

type Body = Record<string, unknown>

/** How the sandbox makes an event happen: an object is created, and moved on. */
interface Recipe {
  /** The operation that creates the object: `swaps.create`. */
  readonly create: string
  readonly body: Body
  /** The object needs a customer with cNGN, and money of that customer. */
  readonly customer?: 'enabled' | 'funded'
  /** What follows, with the id of the object. */
  readonly after?: readonly (readonly [operation: string, body?: Body])[]
}

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
const EVM = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const bankAccount = { accountNumber: '0123456789', bankCode: '058' }
const advance = ['sandbox.advance', { seconds: 10 }] as const

const swap = {
  create: 'swaps.create',
  body: { fromCurrency: 'USDC', toCurrency: 'EURC', amount: '100', destinationAddress: WALLET },
}
const route = {
  create: 'paymentRoutes.create',
  body: { name: 'Triggered', originChainKey: 'ethereum', destinationChainKey: 'base', destinationCurrency: 'USDC' },
}
const collection = {
  create: 'collections.create',
  body: { type: 'link', title: 'Triggered', currency: 'USDC', destinationChainKey: 'base', destinationAddress: EVM },
}
const offramp = {
  create: 'offramps.create',
  body: {
    amount: '25',
    sourceCurrency: 'USDC',
    destinationCurrency: 'NGN',
    networkKey: 'base',
    refundAddress: EVM,
    bankAccount,
  },
}
const delivered = [['sandbox.offramps.deposit', {}], advance, advance] as const
const onramp = {
  create: 'onramps.create',
  body: {
    amount: '50000',
    sourceCurrency: 'NGN',
    destinationCurrency: 'USDC',
    networkKey: 'base',
    destinationAddress: EVM,
  },
}
const cngn = (object: string, body: Body, customer: Recipe['customer'] = 'enabled') => ({
  create: `cngn.${object}.create`,
  body,
  customer,
})
const convert = cngn('converts', {
  fromCurrency: 'USDC',
  toCurrency: 'cNGN',
  amount: '100',
  networkKey: 'base',
  refundAddress: EVM,
})
const withdrawal = cngn('withdrawals', { amount: '25000', networkKey: 'base', address: EVM }, 'funded')
const payout = cngn('payouts', { amount: '25000', bankAccount }, 'funded')
const payin = cngn('payins', { amount: '25000' })
const deposit = cngn('deposits', { networkKey: 'base' })
const enable = (bvn: string): Recipe => ({
  create: 'customers.create',
  body: { name: 'Ada Obi' },
  after: [['cngn.enable', { bvn }]],
})

const recipes: Readonly<Record<string, Recipe>> = {
  'swap.created': swap,
  'swap.updated': { ...swap, after: [['sandbox.swaps.deposit', {}], advance] },
  'payment_route.created': route,
  'payment_route.updated': { ...route, after: [['paymentRoutes.delete']] },
  'payment_route.deposit.updated': {
    ...route,
    after: [['sandbox.paymentRoutes.deposit', { amount: '12.50' }], advance],
  },
  'collection.created': collection,
  'collection.updated': { ...collection, after: [['collections.delete']] },
  'offramp.created': offramp,
  'offramp.updated': { ...offramp, after: delivered },
  'offramp.settled': { ...offramp, after: delivered },
  'offramp.delivered': { ...offramp, after: delivered },
  'onramp.created': onramp,
  'onramp.updated': { ...onramp, after: [['sandbox.onramps.payment', {}], advance] },
  'cngn.customer.enabled': enable('22212345678'),
  'cngn.customer.failed': enable('11111111111'),
  'cngn.convert.created': convert,
  'cngn.convert.updated': { ...convert, after: [['sandbox.cngn.convert', {}], advance] },
  'cngn.withdrawal.created': withdrawal,
  'cngn.withdrawal.updated': { ...withdrawal, after: [advance] },
  'cngn.payout.created': payout,
  'cngn.payout.updated': { ...payout, after: [advance] },
  'cngn.payin.created': payin,
  'cngn.payin.updated': { ...payin, after: [['sandbox.cngn.payin', {}], advance] },
  'cngn.deposit.created': deposit,
  'cngn.deposit.updated': {
    ...deposit,
    after: [['sandbox.cngn.deposit', { amount: '25000' }], advance],
  },
}

/** The types of events that can be made to happen. */
export const triggers: readonly string[] = [...Object.keys(recipes), 'webhook.test'].sort()

/**
 * Makes an event happen in the sandbox, and returns the object that it is about. `overrides` are `path=value` for the object's creation.
 * @throws UsageError for another type or an unknown field
 */
export async function trigger(payments: Payments, type: string, overrides: readonly string[]): Promise<unknown> {
  if (type === 'webhook.test') return testEvent(payments)
  const recipe = recipes[type]
  if (!recipe) throw new UsageError(`"${type}" cannot be triggered: one of ${triggers.join(', ')}`)
  const body: Body = structuredClone(recipe.body)
  if (recipe.create === 'paymentRoutes.create') body.destinationAddress = `0x${randomHex(20)}`
  if (recipe.create === 'customers.create') body.email = `ada.${randomHex(6)}@example.com`
  for (const each of overrides) override(recipe.create, body, each)
  if (recipe.customer && body.customerId === undefined)
    body.customerId = await customerWithCngn(payments, recipe.customer)
  const object = (await run(payments, recipe.create, [], body)) as { id: string }
  for (const [operation, given] of recipe.after ?? []) await run(payments, operation, [object.id], given)
  return object
}

function run(payments: Payments, name: string, ids: readonly string[], body: Body = {}): Promise<unknown> {
  const operation = operationOf(name)
  return callOperation(payments, operation, ids.slice(0, operation.ids.length), body)
}

function operationOf(name: string) {
  const found = operations.find((each) => `${each.resource}.${each.name}` === name)
  if (!found) throw new UsageError(`The service has no operation ${name}`)
  return found
}

function override(create: string, body: Body, text: string): void {
  const [, path = '', value = ''] = text.match(/^([\w.]+)=(.*)$/s) ?? []
  const { fields } = operationOf(create)
  const [first = '', ...rest] = path.split('.')
  const field = fields.find(({ name }) => name === first)
  if (!field)
    throw new UsageError(`--override ${text}: one of ${fields.map(({ name }) => name).join(', ')}, as in amount=5`)
  if (field.choices && !field.choices.includes(value))
    throw new UsageError(`--override ${first}: one of ${field.choices.join(', ')}`)
  let at = body
  for (const name of rest.length > 0 ? [first, ...rest.slice(0, -1)] : []) {
    at[name] = { ...(at[name] as Body | undefined) }
    at = at[name] as Body
  }
  at[rest.at(-1) ?? first] = rest.length > 0 ? value : typedValue(field, value)
}

/** A new customer of the sandbox for whom cNGN is enabled, with money if it is needed. */
async function customerWithCngn(payments: Payments, needs: 'enabled' | 'funded'): Promise<string> {
  const { id } = await payments.customers.create({
    name: 'Ada Obi',
    email: `ada.${randomHex(6)}@example.com`,
  })
  await payments.cngn.enable(id, { bvn: '22212345678' })
  await until(async () => (await payments.customers.get(id)).cngn.status === 'enabled')
  if (needs === 'enabled') return id
  await payments.sandbox.cngn.bankTransfer(id, { amount: '100000' })
  await until(async () => (await payments.cngn.balance(id)).available !== '0')
  return id
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; !(await reached()); attempt++) {
    if (attempt > 100) throw new UsageError('The sandbox has not prepared the customer within 30 seconds')
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
}

async function testEvent(payments: Payments): Promise<unknown> {
  const { webhookEndpoints } = await payments.webhooks.list()
  const endpoint = webhookEndpoints.find(({ status }) => status === 'enabled')
  if (!endpoint) throw new UsageError('webhook.test goes to an endpoint: create one with `payments webhooks create`')
  return payments.webhooks.test(endpoint.id)
}
