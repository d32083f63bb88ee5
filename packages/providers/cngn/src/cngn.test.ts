import { newId } from '@payments/kernel'
import { afterEach, describe, expect, test } from 'vitest'
import { anyCalls, cngnContract, random } from '#testing'
import { type CngnServer, type Fault, startCngn } from '../test/server.ts'

const servers: CngnServer[] = []
afterEach(async () => void (await Promise.all(servers.splice(0).map((server) => server.close()))))
const begin = async (options: Parameters<typeof startCngn>[0] = {}) => {
  const server = await startCngn(options)
  servers.push(server)
  return server
}

cngnContract('The live adapter', begin)

for (const seed of [1, 2, 3])
  cngnContract(`The live adapter, of an API that omits, repeats, reorders and delays (seed ${seed}),`, async () => {
    const server = await begin()
    server.lie(random(seed))
    return Object.assign(server, { reports: 40 })
  })

const bank = { type: 'bank', bankCode: '058', accountNumber: '0123456789' } as const
const order = (
  amount = 5_000_000n,
  destination: Parameters<CngnServer['provider']['send']>[0]['destination'] = bank,
) => ({
  id: newId(),
  account: 'merchant',
  amount,
  destination,
})
const funded = async () => {
  const server = await begin()
  await server.pay('float', 1_000_000_000n)
  await server.settle()
  return server
}
const SINCE = new Date(Date.now() - 3_600_000)

test('amounts are sent in naira, with our id as idempotency key, and nothing of a request is readable on the way', async () => {
  const server = await funded()
  const sent = order(1_234_560_000n / 10n)
  await server.provider.send(sent, anyCalls)
  expect(server.calls.at(-1)).toMatchObject({
    line: 'POST /redeemAsset',
    body: { amount: 123.456, bankCode: '058', accountNumber: '0123456789' },
    idempotencyKey: sent.id,
  })
})

test('answers in clear are accepted too', async () => {
  const server = await funded()
  server.sealed = false
  expect(await server.provider.treasury(anyCalls)).toBe(1_000_000_000n)
})

describe('an order', () => {
  const refused: [string, Fault, object][] = [
    [
      'the API does nothing now',
      { status: 400, message: 'Service is currently unavailable. Please try again later.' },
      { status: 'not_sent', called: true, retryAfter: 60 },
    ],
    [
      'the address is not allowed',
      { status: 403, message: 'IP address not whitelisted' },
      {
        status: 'not_sent',
        because: 'Add every outgoing address of this service to the IP allow-list in the dashboard of cNGN',
      },
    ],
    [
      'a permission is missing',
      { status: 403, message: 'Permission denied', flag: true },
      { status: 'not_sent', because: 'The key lacks a permission: enable it in the dashboard of cNGN' },
    ],
    [
      'there were too many calls',
      { status: 429, message: 'Too many requests. Please try again later.' },
      { status: 'not_sent', called: true },
    ],
    [
      'the account does not exist',
      { status: 400, message: 'Could not resolve account details' },
      { status: 'rejected', called: true, reason: 'invalid_account_number' },
    ],
    [
      'a field is refused',
      { status: 400, message: 'amount: Number must be greater than or equal to 1' },
      { status: 'rejected', called: true, reason: 'payout_failed' },
    ],
  ]
  test.each(refused)('was not sent when %s', async (_name, fault, expected) => {
    const server = await funded()
    server.fail(fault)
    expect(await server.provider.send(order(), anyCalls)).toMatchObject(expected)
    expect(server.transactions).toHaveLength(1)
  })

  test.each<[string, Fault]>([
    ['a lost answer', 'lost'],
    ['no answer', 'silent'],
    ['half an answer', 'truncated'],
    ['a server error', { status: 500, message: 'x' }],
    ['an unknown refusal', { status: 400, message: 'Something happened' }],
    ['a documented text with more around it', { status: 400, message: 'Service is currently unavailable' }],
    ['a documented text in another status', { status: 500, message: 'Decryption failed' }],
    ['a documented text in a body of another status', { status: 403, message: 'Permission denied by the bank' }],
    ['a documented text with HTTP 200', { status: 200, message: 'Permission denied', flag: true }],
    ['a queue', { status: 400, message: 'Insufficient liquidity at the settlement bank, your redemption is queued' }],
    ['an answer that it could not encrypt', { status: 500, message: 'Response encryption failed' }],
    ['a field that it names in other words', { status: 400, message: 'accountNumber: redemption is queued' }],
    ['too many calls, in other words', { status: 429, message: 'Your redemption is queued' }],
  ])('is unknown after %s, and the merchant sees none of the API’s words', async (_name, fault) => {
    const server = await funded()
    server.fail(fault)
    const error = await server.provider.send(order(), anyCalls).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ name: 'ServiceError' })
    expect((error as Error).message).toMatch(/^The cNGN provider/)
  })

  test('is not sent over a network that the API has disabled or does not know', async () => {
    const server = await funded()
    for (const networkKey of ['polygon', 'solana']) {
      const destination = { type: 'wallet', networkKey, address: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' } as const
      expect(await server.provider.send(order(1n, destination), anyCalls)).toEqual({
        status: 'rejected',
        called: false,
        reason: 'withdrawal_failed',
      })
    }
    expect(server.calls.some(({ line }) => line === 'POST /withdraw')).toBe(false)
  })

  test('without a free call makes none', async () => {
    const server = await funded()
    const none = { take: () => Promise.reject(new Error('no call is free')), silence: async () => undefined }
    const { length } = server.calls
    await expect(server.provider.send(order(), none)).rejects.toThrow()
    expect(server.calls).toHaveLength(length)
  })
})

test('each request takes one call first, and a 429 silences all of them for a minute', async () => {
  const server = await funded()
  let taken = 0
  let silent = 0
  const budget = {
    take: async () => void taken++,
    silence: async (seconds: number) => {
      silent = seconds
    },
  }
  const before = server.calls.length
  await server.provider.banks(budget)
  await server.provider.banks(budget)
  await server.provider.transactions('merchant', SINCE, budget)
  expect([taken, server.calls.length - before]).toEqual([2, 2])
  server.fail({ status: 429, message: 'Too many requests. Please try again later.' })
  await expect(server.provider.treasury(budget)).rejects.toMatchObject({ code: 'cngn_provider_busy', retryAfter: 60 })
  expect(silent).toBe(60)
})

test('the names of types and states that the sources disagree on mean the same', async () => {
  const server = await begin()
  await server.pay('PIN-0123456789AB', 1_000_000n)
  const one = async (change: object) => {
    server.distort = (page) => page.map((each) => ({ ...each, ...change }))
    const { movements } = await server.provider.transactions('merchant', SINCE, anyCalls)
    const [first] = movements
    return first && [first.channel, first.status]
  }
  expect(await one({ trx_type: 'fiat_buy', status: 'completed' })).toEqual(['bank_in', 'completed'])
  expect(await one({ trx_type: 'enaira_buy', status: 'pending_deposit' })).toEqual(['bank_in', 'pending'])
  expect(await one({ trx_type: 'crypto_deposit', status: 'success' })).toEqual(['crypto_in', 'completed'])
  expect(await one({ trx_type: 'deposit', base_trx_hash: '0x1', receiver: { address: '0x2' } })).toEqual([
    'crypto_in',
    'pending',
  ])
  expect(
    await one({ trx_type: 'fiat_redeem', status: 'rejected', receiver: { bank: 'x', accountNumber: '1' } }),
  ).toEqual(['payout', 'failed'])
  expect(await one({ trx_type: 'withdraw', status: 'something new', receiver: '0x2' })).toEqual([
    'withdrawal',
    'pending',
  ])
  expect(await one({ trx_type: 'swap' })).toBeUndefined()
})

test('a long list is read page by page to its time; of one that is too long, the newest part, and it says so', async () => {
  const server = await begin()
  const read = () => server.provider.transactions('merchant', SINCE, anyCalls)
  for (let count = 0; count < 250; count++) await server.pay(`PIN-${count}`, 1_000_000n)
  const listed = await read()
  expect([new Set(listed.movements.map(({ reference }) => reference)).size, listed.complete]).toEqual([250, true])
  for (const each of server.transactions.slice(0, 150)) each.createdAt = '2026-01-01T00:00:00.000Z'
  server.calls.length = 0
  expect(await read()).toMatchObject({ complete: true, movements: { length: 100 } })
  expect(server.calls).toHaveLength(2)
  for (let count = 0; count < 1500; count++) await server.pay(`PIN-${count}`, 1_000_000n)
  expect(await read()).toMatchObject({ complete: false, movements: { length: 1500 } })
})

test('an account that does not exist has no name, and an outage says nothing about it', async () => {
  const server = await begin()
  const account = { bankCode: '058', accountNumber: '9999999999' }
  expect(await server.provider.accountName(account, anyCalls)).toBeNull()
  server.fail({ status: 500, message: 'Could not resolve account details' })
  await expect(server.provider.accountName(account, anyCalls)).rejects.toMatchObject({ status: 503 })
})

test('only callbacks that the API signed are believed', async () => {
  const server = await begin()
  const good = server.callback({ event: 'deposit.completed', data: { transactionId: '1' } })
  expect(server.provider.callback?.(good)).toBe(true)
  expect(server.provider.callback?.({ ...good, body: Buffer.from(`${good.body} `) })).toBe(false)
  expect(server.provider.callback?.({ ...good, header: () => undefined })).toBe(false)
  const unset = await begin({ webhookSecret: undefined })
  expect(unset.provider.callback?.(good)).toBe(false)
})
