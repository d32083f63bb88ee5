import { walletTransactions } from '@payments/collections'
import { assetNamed, bind, toMinor } from '@payments/kernel'
import {
  address,
  type EncodedAccount,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  partiallySignTransaction,
} from '@solana/kit'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import {
  call,
  newCollection,
  newMerchant,
  paySession,
  signedIn,
  startService,
  startSession,
  type TestService,
} from '#testing'
import { Chain } from '../test/chain.ts'
import { MINTS, tokenAccountOf } from '../test/facts.ts'
import { type Node, startNode } from '../test/node.ts'
import { payerTransactions } from './payer-transfer.ts'

let chain: Chain
let node: Node
let service: TestService & { stop(): Promise<void> }
beforeAll(async () => {
  chain = await Chain.start()
  node = await startNode(chain)
  const builder = payerTransactions({ rpcUrl: node.url, retryMs: 1, restMs: 1 })
  // Sessions of the sandbox are the same, so a test needs no live provider.
  service = (await startService({
    worker: true,
    live: [bind(walletTransactions, 'test', builder)],
    settings: { RATE_LIMIT_GLOBAL: '100000' },
  })) as typeof service
})
afterAll(async () => {
  await service.stop()
  await node.close()
})
beforeEach(() => {
  node.spoil = () => undefined
})

async function newSession(currency = 'USDC') {
  const merchant = await newMerchant(service)
  const { id: linkId } = await newCollection(merchant)
  const { id } = await startSession(service, linkId, { networkKey: 'solana', currency })
  return { merchant, linkId, id, page: await pageOf(id) }
}

const pageOf = async (id: string) => (await (await fetch(`${service.url}/v1/pay/${id}`)).json()).data

/** Waits until a session has this status. */
const until = (id: string, status: string) =>
  vi.waitFor(async () => expect((await pageOf(id)).status).toBe(status), { timeout: 30_000, interval: 50 })

/** What a wallet asks for, which sends its own origin. */
async function ask(id: string, account: unknown = chain.payer.address) {
  const reply = await fetch(`${service.url}/pay/${id}/transaction`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://wallet.example' },
    body: JSON.stringify({ account }),
  })
  return { reply, body: await reply.json() }
}

/** Signs as the payer's wallet does, and sends it. @returns whether it was executed without an error */
async function signAndSend(transaction: string): Promise<boolean> {
  const decoded = getTransactionDecoder().decode(Buffer.from(transaction, 'base64'))
  expect(Object.entries(decoded.signatures)).toEqual([[chain.payer.address, null]])
  const signed = await partiallySignTransaction([chain.payer.keyPair], decoded)
  const signature = chain.submit(getBase64EncodedWireTransaction(signed as never))
  return chain.executed.get(signature)?.err === null
}

test.each(['USDC', 'EURC'] as const)(
  'the transaction, signed, moves exactly what is missing in %s to the account of the deposit address, which it creates',
  async (currency) => {
    const { page, id } = await newSession(currency)
    const { depositAddress, remainingAmount } = page.session
    const held = () => chain.tokens(chain.payer.address, currency)
    const before = await held()
    const { reply, body } = await ask(id)
    expect([reply.status, reply.headers.get('access-control-allow-origin'), Object.keys(body)]).toEqual([
      200,
      '*',
      ['transaction', 'message'],
    ])
    expect(await signAndSend(body.transaction)).toBe(true)
    const units = toMinor(remainingAmount, assetNamed(currency))
    expect([await chain.tokens(depositAddress, currency), before - (await held())]).toEqual([units, units])
  },
)

test('of a session that is paid in part, the transaction moves the rest to the account that exists then, and nothing is built while the part is being confirmed', async () => {
  const { page, id, merchant } = await newSession()
  await chain.pay(page.session.depositAddress, 'USDC', 10_000_000n)
  await paySession(merchant, id, { amount: '10' })
  const settlesIn = (time: string) =>
    service.runtime.pool.query(
      "update sandbox_relay_requests set settles_at = date_trunc('milliseconds', now()) + $2::interval where address = $1",
      [page.session.depositAddress, time],
    )
  await settlesIn('1 hour')
  await until(id, 'processing')
  expect((await ask(id)).reply.status).toBe(409)
  await settlesIn('0')
  await until(id, 'underpaid')
  expect(await signAndSend((await ask(id)).body.transaction)).toBe(true)
  expect(await chain.tokens(page.session.depositAddress, 'USDC')).toBe(25_000_000n)
})

test('the transaction, signed, moves exactly what is missing in SOL to the deposit address', async () => {
  const { page, id } = await newSession('SOL')
  const { depositAddress, remainingAmount } = page.session
  const { body } = await ask(id)
  expect(await signAndSend(body.transaction)).toBe(true)
  expect(chain.lamportsOf(depositAddress)).toBe(toMinor(remainingAmount, assetNamed('SOL')))
})

test('the address answers as a transaction request of Solana Pay, and the page names it', async () => {
  const { page, id } = await newSession()
  expect(page.transactionUrl).toMatch(new RegExp(`/pay/${id}/transaction$`))
  const reply = await fetch(`${service.url}/pay/${id}/transaction`, { headers: { origin: 'https://wallet.example' } })
  const body = await reply.json()
  expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  expect(body).toEqual({ label: page.merchant.name, icon: page.transactionUrl.replace('transaction', 'icon.svg') })
  const icon = await fetch(`${service.url}/pay/${id}/icon.svg`)
  expect([icon.status, icon.headers.get('content-type'), await icon.text()]).toEqual([
    200,
    'image/svg+xml',
    expect.stringContaining('<svg '),
  ])
})

test('a session that asks for nothing, a link, another network and a wrong account get no transaction', async () => {
  const { id, linkId } = await newSession()
  expect((await ask(id, 'nobody')).body).toMatchObject({ errors: { account: expect.any(String) } })
  expect((await ask(id, null)).reply.status).toBe(422)
  expect((await ask(linkId)).reply.status).toBe(409)
  expect((await pageOf(linkId)).transactionUrl).toBe(null)
  const { id: other } = await startSession(service, linkId, { networkKey: 'polygon' })
  expect((await ask(other)).reply.status).toBe(409)
  expect((await pageOf(other)).transactionUrl).toBe(null)
  await fetch(`${service.url}/v1/pay/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"action":"cancel"}',
  })
  expect((await ask(id)).body).toMatchObject({
    message: 'Checkout session asks for no payment from a wallet at present',
  })
})

test('an operator who switches the node off takes the transactions from every page', async () => {
  const { id } = await newSession()
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
  const change = (state: string) =>
    call(service, 'PATCH /v1/admin/ops/providers/solana', {
      token,
      key: null,
      body: { environment: 'test', state, reason: 'Asked for' },
    })
  expect((await change('off')).status).toBe(200)
  try {
    expect((await pageOf(id)).transactionUrl).toBe(null)
    expect((await ask(id)).reply.status).toBe(409)
  } finally {
    await change('active')
  }
  expect((await ask(id)).reply.status).toBe(200)
})

test('nothing is built for a deposit address that is a token account, or while the node does not answer', async () => {
  const { page, id } = await newSession()
  const { depositAddress } = page.session
  await chain.hold(chain.payer.address, MINTS.USDC, 10n ** 15n)
  const account = chain.svm.getAccount(await tokenAccountOf(chain.payer.address, MINTS.USDC)) as EncodedAccount
  chain.put(address(depositAddress), account.data)
  expect((await ask(id)).reply.status).toBe(502)
  const { id: other } = await newSession()
  node.spoil = () => ({ status: 500 })
  const { reply } = await ask(other)
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, expect.any(String)])
})

test('a wallet without the money cannot send the transaction, and one link takes no more than its share of the node', async () => {
  const { id } = await newSession()
  const poor = await generateKeyPairSigner()
  const answers = await Promise.all(Array.from({ length: 31 }, () => ask(id, poor.address)))
  expect(answers.filter(({ reply }) => reply.status === 200)).toHaveLength(30)
  expect(answers.filter(({ reply }) => reply.status === 503)).toHaveLength(1)
  const { transaction } = answers.find(({ reply }) => reply.status === 200)?.body ?? {}
  expect(chain.simulate(transaction, []).err).not.toBe(null)
})
