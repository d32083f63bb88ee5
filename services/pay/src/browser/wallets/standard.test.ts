import bs58 from 'bs58'
import { afterEach, expect, test, vi } from 'vitest'
import { base58, isStandardWallet, type StandardWallet, sendWith } from './standard.ts'

const SIGNATURE = Uint8Array.from({ length: 64 }, (_, index) => index)
const ACCOUNT = { address: 'payer', chains: ['solana:mainnet'], features: ['solana:signAndSendTransaction'] }

/** A wallet, and what it was asked for; the service gives the bytes 1, 2, 3. */
function wallet(
  answers: { connect?: () => unknown; send?: () => unknown } = {},
  reply: () => Response = () => Response.json({ transaction: 'AQID' }),
) {
  const calls: unknown[] = []
  vi.stubGlobal('fetch', async (url: string, { body }: RequestInit) => {
    calls.push([url, body])
    return reply()
  })
  const features = {
    'standard:connect': {
      async connect() {
        calls.push('connect')
        return answers.connect?.() ?? { accounts: [ACCOUNT] }
      },
    },
    'solana:signAndSendTransaction': {
      supportedTransactionVersions: ['legacy', 0],
      async signAndSendTransaction(input: unknown) {
        calls.push(input)
        return answers.send ? answers.send() : [{ signature: SIGNATURE }]
      },
    },
  }
  return { calls, wallet: { name: 'Fake', chains: ['solana:mainnet'], features } as unknown as StandardWallet }
}
afterEach(() => {
  vi.unstubAllGlobals()
})
const fails = (error: object) => () => {
  throw Object.assign(new Error('failed'), error)
}

test('the transaction of the service is what the wallet is asked to send, on mainnet, and its signature is shown as Solana writes it', async () => {
  const { calls, wallet: fake } = wallet()
  expect(await sendWith(fake, () => 'link', '/t')).toEqual({ hash: bs58.encode(SIGNATURE) })
  expect(calls).toEqual([
    'connect',
    ['/t', '{"account":"payer"}'],
    { account: ACCOUNT, transaction: Uint8Array.of(1, 2, 3), chain: 'solana:mainnet' },
  ])
})

test.each([
  ['its user refuses to connect', wallet({ connect: fails({ code: 4001 }) }), 'refused'],
  ['it has no account on mainnet', wallet({ connect: () => ({ accounts: [{ ...ACCOUNT, chains: [] }] }) }), 'network'],
])('nothing is sent where %s', async (_why, { calls, wallet: fake }, problem) => {
  expect(await sendWith(fake, () => 'link', '/t')).toEqual({ problem })
  expect(calls).toEqual(['connect'])
})

test('nothing is sent where the service gives no transaction', async () => {
  const { calls, wallet: fake } = wallet({}, () => new Response('{}', { status: 409 }))
  expect(await sendWith(fake, () => 'link', '/t')).toEqual({ problem: 'refused' })
  expect(calls).toHaveLength(2)
})

test('a payment that was asked for otherwise in the meantime is not sent', async () => {
  let link = 'before'
  const { calls, wallet: fake } = wallet({}, () => {
    link = 'after'
    return Response.json({ transaction: 'AQID' })
  })
  expect(await sendWith(fake, () => link, '/t')).toEqual({ problem: 'refused' })
  expect(calls).toHaveLength(2)
})

test('a wallet that fails after it was asked to send may have sent it; one that was refused by its user has not', async () => {
  const sent = async (send: () => unknown) => {
    let noted = 0
    const result = await sendWith(
      wallet({ send }).wallet,
      () => 'link',
      '/t',
      () => noted++,
    )
    return [result, noted]
  }
  expect(await sent(fails({}))).toEqual([{ problem: 'unknown' }, 1])
  expect(await sent(() => [])).toEqual([{ problem: 'unknown' }, 1])
  expect(await sent(fails({ code: 4001 }))).toEqual([{ problem: 'refused' }, 1])
  expect(await sent(fails({ context: { __code: 4_001_000 } }))).toEqual([{ problem: 'refused' }, 1])
})

test('only a wallet that can send a transaction of version 0 on mainnet is offered', () => {
  const good = wallet().wallet
  const send = good.features['solana:signAndSendTransaction']
  expect(isStandardWallet(good)).toBe(true)
  for (const other of [
    undefined,
    {},
    { ...good, chains: ['solana:devnet'] },
    { ...good, features: { 'solana:signAndSendTransaction': send } },
    { ...good, features: { ...good.features, 'solana:signAndSendTransaction': undefined } },
    {
      ...good,
      features: {
        ...good.features,
        'solana:signAndSendTransaction': { ...send, supportedTransactionVersions: ['legacy'] },
      },
    },
  ])
    expect(isStandardWallet(other as Partial<StandardWallet>)).toBe(false)
})

test('a signature with leading zeros keeps them', () => {
  for (const bytes of [Uint8Array.of(), Uint8Array.of(0, 0), Uint8Array.of(0, 1, 255), SIGNATURE])
    expect(base58(bytes)).toBe(bs58.encode(bytes))
})
