import { afterEach, beforeEach, expect, test } from 'vitest'
import { MINTS, tokenAccountOf } from '../test/facts.ts'
import { startWorld, type World } from '../test/world.ts'

const AMOUNT = 100_000_000n
const RECEIVER = '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA'

let world: World
beforeEach(async () => {
  world = await startWorld()
})
afterEach(() => world.close())

async function report(depositAddress: string) {
  const [one] = await world.provider.deposits([{ depositAddress, currency: 'EURC' }])
  if (!one || one instanceof Error) throw one ?? new Error('No report')
  return one
}

/** A swap that is signed and not sent. */
async function signedSwap(amount = AMOUNT) {
  const own = await world.newAddress()
  await world.pay(own.depositAddress, amount)
  const request = { from: 'EURC', to: 'USDC', amount: AMOUNT, ...own, destinationAddress: RECEIVER } as const
  const prepared = await world.provider.prepareSwap({ ...request, minimumAmount: 1n, slippageBasisPoints: 50 })
  if ('refused' in prepared) throw new Error(prepared.refused)
  return { ...own, prepared }
}

const refundTo = (own: { depositAddress: string; derivationIndex: number }, refundAddress: string, may: boolean) =>
  world.provider.prepareRefund({ ...own, currency: 'EURC', amount: AMOUNT, refundAddress, mayCreateAccount: may })

/** Blocks go by until the blockhash of every transaction so far has expired. */
const expire = () => world.chain.advance(200)

test('a deposit counts once it is finalized, with the time of its block', async () => {
  const { depositAddress } = await world.newAddress()
  const txHash = await world.chain.pay(depositAddress, 'EURC', AMOUNT)
  expect((await report(depositAddress)).deposits).toEqual([])
  world.chain.advance()
  const { deposits, finalizedAt, holdings } = await report(depositAddress)
  const at = new Date(world.chain.timeOf(world.chain.executed.get(txHash)?.slot ?? 0) * 1000)
  expect(deposits).toEqual([{ txHash, amount: AMOUNT, at }])
  expect(finalizedAt.getTime()).toBe(world.chain.timeOf(world.chain.finalized) * 1000)
  expect(holdings).toEqual({ amount: AMOUNT, others: [], closable: false })
})

test('many addresses are read in few requests, and those that nobody paid into cost nothing more', async () => {
  const addresses = await Promise.all(Array.from({ length: 60 }, () => world.newAddress()))
  const watched = addresses.map(({ depositAddress }) => ({ depositAddress, currency: 'EURC' as const }))
  await world.provider.deposits(watched.slice(0, 1))
  world.node.calls.length = 0
  expect((await world.provider.deposits(watched)).length).toBe(60)
  expect(world.node.calls).toEqual(['getMultipleAccounts', 'getMultipleAccounts'])
})

test('a finalized transaction is read once', async () => {
  const { depositAddress } = await world.newAddress()
  await world.pay(depositAddress, AMOUNT)
  for (let time = 0; time < 3; time++) await report(depositAddress)
  expect(world.node.calls.filter((method) => method === 'getTransaction').length).toBe(1)
})

test('tokens of another kind and SOL at an address are reported, and are no deposit', async () => {
  const { depositAddress } = await world.newAddress()
  await world.chain.pay(depositAddress, 'USDC', 5n)
  world.chain.advance()
  expect(await report(depositAddress)).toMatchObject({
    deposits: [],
    holdings: { amount: 0n, others: [{ token: MINTS.USDC, amount: '5' }] },
  })
})

test('a node that is behind reports an older time with the older state', async () => {
  const { depositAddress } = await world.newAddress()
  world.chain.aheadSeconds = 1000
  world.chain.advance(20)
  await world.pay(depositAddress, AMOUNT)
  const now = await report(depositAddress)
  world.node.behind = () => 15
  const behind = await report(depositAddress)
  expect(behind.deposits).toEqual([])
  expect(behind.finalizedAt.getTime()).toBeLessThanOrEqual(now.finalizedAt.getTime())
  // One answer from a node that is behind, the next from one that is not, and the other way round.
  for (const first of [0, 15]) {
    let call = 0
    world.node.behind = () => (call++ % 2 === 0 ? first : 15 - first)
    const mixed = await world.provider.deposits([{ depositAddress, currency: 'EURC' }])
    const [one] = mixed
    if (one instanceof Error) expect(one).toMatchObject({ code: 'swap_provider_unavailable' })
    else expect(one?.deposits.length).toBe(first === 0 ? 1 : 0)
  }
})

test.each([
  ['leaves a transaction out', 'getSignaturesForAddress', (list: unknown[]) => list.slice(1)],
  ['lacks a transaction', 'getTransaction', () => null],
  [
    'names a transaction with text that no database stores',
    'getSignaturesForAddress',
    (list: object[]) => list.map((each) => ({ ...each, signature: 'a\u0000b' })),
  ],
  ['tells a time of the year 0', 'getTransaction', (answer: object) => ({ ...answer, blockTime: -62_167_219_200 })],
  ['tells a time that no calendar has', 'getTransaction', (answer: object) => ({ ...answer, blockTime: 1e15 })],
  [
    'gives a transaction another amount',
    'getTransaction',
    (answer: object) => JSON.parse(JSON.stringify(answer).replace('"100000000"', '"200000000"')),
  ],
  [
    'shows another balance',
    'getMultipleAccounts',
    (answer: { value: ({ data: string[] } | null)[] }) => ({
      ...answer,
      value: answer.value.map((account) => {
        const data = Buffer.from(account?.data[0] ?? '', 'base64')
        if (account && data.length === 165) data.writeBigUInt64LE(AMOUNT * 3n, 64)
        return account && { ...account, data: [data.toString('base64'), 'base64'] }
      }),
    }),
  ],
  [
    'shows the account of another owner',
    'getMultipleAccounts',
    (answer: { value: ({ data: string[] } | null)[] }) => ({
      ...answer,
      value: answer.value.map((account) => {
        const data = Buffer.from(account?.data[0] ?? '', 'base64')
        if (account && data.length === 165) data.fill(7, 32, 64)
        return account && { ...account, data: [data.toString('base64'), 'base64'] }
      }),
    }),
  ],
] as const)('a node that %s is found out, for this address alone', async (_name, method, distort) => {
  const { depositAddress } = await world.newAddress()
  const other = await world.newAddress()
  await world.pay(depositAddress, AMOUNT)
  world.node.distort = (called, result) => (called === method ? (distort as (one: unknown) => unknown)(result) : result)
  const watched = [depositAddress, other.depositAddress].map((each) => ({
    depositAddress: each,
    currency: 'EURC' as const,
  }))
  const [wrong, right] = await world.provider.deposits(watched)
  expect(wrong).toBeInstanceOf(Error)
  expect(right).toMatchObject({ deposits: [] })
  world.node.distort = (_called, result) => result
  expect((await report(depositAddress)).deposits.length).toBe(1)
})

test('a node whose clock shows the year 0 tells nothing, and the next one is read', async () => {
  const { depositAddress } = await world.newAddress()
  await world.pay(depositAddress, AMOUNT)
  world.node.distort = (method, result) => {
    const [clock] = (result as { value?: { data: string[] }[] }).value ?? []
    if (method !== 'getMultipleAccounts' || !clock) return result
    const data = Buffer.from(clock.data[0] ?? '', 'base64')
    data.writeBigInt64LE(-62_167_219_200n, 32)
    clock.data[0] = data.toString('base64')
    return result
  }
  await expect(report(depositAddress)).rejects.toMatchObject({ code: 'swap_provider_failed' })
  world.node.distort = (_method, result) => result
  expect((await report(depositAddress)).deposits.length).toBe(1)
})

test('a node of another network is never used', async () => {
  world.node.distort = (method, result) =>
    method === 'getGenesisHash' ? 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' : result
  const { depositAddress } = await world.newAddress()
  await expect(report(depositAddress)).rejects.toMatchObject({ code: 'swap_provider_failed' })
  expect(new Set(world.node.calls)).toEqual(new Set(['getGenesisHash']))
})

test('a transaction that the network lost is dropped once its blockhash has expired in a finalized block', async () => {
  const { prepared } = await signedSwap()
  world.chain.loses = () => true
  await world.provider.send(prepared)
  expect(await world.provider.outcome(prepared)).toEqual({ status: 'unknown' })
  world.chain.advance(200, false)
  expect(await world.provider.outcome(prepared)).toEqual({ status: 'unknown' })
  expire()
  expect(await world.provider.outcome(prepared)).toEqual({ status: 'dropped' })
  // It can never be accepted any more.
  world.chain.loses = () => false
  await world.provider.send(prepared)
  expire()
  expect(await world.provider.outcome(prepared)).toEqual({ status: 'dropped' })
})

test('a transaction whose answer was lost is found by its signature', async () => {
  const { prepared } = await signedSwap()
  world.node.spoil = (method) => (method === 'sendTransaction' ? 'lost' : undefined)
  await expect(world.provider.send(prepared)).rejects.toMatchObject({ code: 'swap_provider_unavailable' })
  expect(await world.provider.outcome(prepared)).toEqual({ status: 'pending' })
  expire()
  expect(await world.provider.outcome(prepared)).toMatchObject({ status: 'finalized', receivedAmount: 108_000_000n })
})

test('a node that forgot a transaction cannot make it dropped', async () => {
  // The account holds as much again, so that its balance alone would not tell.
  const { prepared } = await signedSwap(AMOUNT * 3n)
  await world.provider.send(prepared)
  expire()
  world.node.distort = (method, result) =>
    method === 'getSignatureStatuses' ? { ...(result as object), value: [null] } : result
  expect(await world.provider.outcome(prepared)).toEqual({ status: 'pending' })
  // It forgot the history too: what the account holds does not sum up.
  world.node.distort = (method, result) => {
    if (method === 'getSignatureStatuses') return { ...(result as object), value: [null] }
    const list = result as { signature: string }[]
    return method === 'getSignaturesForAddress' ? list.filter((each) => each.signature !== prepared.signature) : result
  }
  await expect(world.provider.outcome(prepared)).rejects.toMatchObject({ code: 'swap_provider_unavailable' })
})

test('a node that is behind makes nothing dropped', async () => {
  const { prepared } = await signedSwap()
  world.chain.loses = () => true
  await world.provider.send(prepared)
  expire()
  let call = 0
  world.node.distort = (method, result) =>
    method === 'getSignatureStatuses' && call++ === 0 ? { context: { slot: 1 }, value: [null] } : result
  expect(await world.provider.outcome(prepared)).toEqual({ status: 'unknown' })
  expect(await world.provider.outcome(prepared)).toEqual({ status: 'dropped' })
})

test('a node that calls a transaction finalized which changed something else is not believed', async () => {
  const { prepared, depositAddress } = await signedSwap()
  await world.provider.send(prepared)
  expire()
  const source = await tokenAccountOf(depositAddress, MINTS.EURC)
  world.node.distort = (method, result) =>
    method === 'getTransaction' ? JSON.parse(JSON.stringify(result).replaceAll(source, RECEIVER)) : result
  await expect(world.provider.outcome(prepared)).rejects.toMatchObject({ code: 'swap_provider_failed' })
})

test('a refund creates the token account of its receiver, at the cost of the fee payer', async () => {
  const own = await world.newAddress()
  const receiver = (await world.newAddress()).depositAddress
  await world.pay(own.depositAddress, AMOUNT)
  const refund = await refundTo(own, receiver, true)
  if ('waits' in refund) throw new Error(refund.waits)
  expect(refund).toMatchObject({ createsAccount: true })
  const { feePayer } = world.signers
  const before = world.chain.lamportsOf(feePayer.address)
  await world.provider.send(refund)
  expire()
  expect(await world.provider.outcome(refund)).toEqual({
    status: 'finalized',
    costLamports: refund.costLamports,
    receivedAmount: AMOUNT,
    fees: 0n,
  })
  expect(await world.chain.tokens(receiver, 'EURC')).toBe(AMOUNT)
  expect(before - world.chain.lamportsOf(feePayer.address)).toBe(refund.costLamports)

  // The account exists: another refund costs the fee alone, and needs no permission to create one.
  await world.pay(own.depositAddress, AMOUNT)
  const second = await refundTo(own, receiver, false)
  expect(second).toMatchObject({ createsAccount: false, costLamports: 13_000n })
})

test('a refund to a wallet without a token account waits where the rent may not be paid again', async () => {
  const own = await world.newAddress()
  await world.pay(own.depositAddress, AMOUNT)
  expect(await refundTo(own, (await world.newAddress()).depositAddress, false)).toEqual({ waits: 'account_missing' })
})

test('what changed an address is read once: a report goes on where the last one ended', async () => {
  const { depositAddress } = await world.newAddress()
  await world.pay(depositAddress, AMOUNT)
  const watch = async (readTo: string | null) => {
    const [one] = await world.provider.deposits([{ depositAddress, currency: 'EURC', readTo }])
    if (!one || one instanceof Error) throw one ?? new Error('No report')
    return one
  }
  const first = await watch(null)
  expect(first).toMatchObject({ complete: true, deposits: [{ amount: AMOUNT }] })
  expect(await watch(first.readTo)).toMatchObject({ complete: true, deposits: [], readTo: first.readTo })
  await world.pay(depositAddress, 7n)
  const third = await watch(first.readTo)
  expect(third.deposits.map(({ amount }) => amount)).toEqual([7n])
  // A node that forgot what was read before contradicts the sum.
  world.node.distort = (method, result) => (method === 'getSignaturesForAddress' ? [] : result)
  await world.pay(depositAddress, 8n)
  await expect(watch(third.readTo)).rejects.toMatchObject({ code: 'swap_provider_unavailable' })
})

test('a history that strangers made long is read in bounded parts, exact to the unit, and delays no other address', async () => {
  await world.close()
  world = await startWorld({ pageSize: 5 })
  const { depositAddress } = await world.newAddress()
  const { depositAddress: other } = await world.newAddress()
  await world.pay(depositAddress, AMOUNT)
  for (let spam = 1n; spam <= 23n; spam++) await world.pay(depositAddress, spam)
  await world.pay(other, 5n)
  let readTo: string | null = null
  let [parts, deposited, entries] = [0, 0n, 0]
  for (;;) {
    world.node.calls.length = 0
    const [spammed, quiet] = await world.provider.deposits([
      { depositAddress, currency: 'EURC', readTo },
      { depositAddress: other, currency: 'EURC' },
    ])
    if (!spammed || spammed instanceof Error || !quiet || quiet instanceof Error) throw new Error('No report')
    expect(quiet).toMatchObject({ complete: true, deposits: [{ amount: 5n }] })
    expect(world.node.calls.filter((method) => method === 'getTransaction').length).toBeLessThanOrEqual(6)
    readTo = spammed.readTo
    parts++
    if (!spammed.complete) {
      expect(spammed.deposits).toEqual([])
      // More arrives while the history is read: it belongs to the next read.
      if (parts === 2) await world.pay(depositAddress, 1000n)
      continue
    }
    deposited += spammed.deposits.reduce((sum, { amount }) => sum + amount, 0n)
    entries += spammed.deposits.length
    if (deposited === AMOUNT + 276n + 1000n) break
  }
  expect(parts).toBeGreaterThan(4)
  // Small ones count for each page together; the payer's own deposit is itself.
  expect(entries).toBeLessThan(10)
})

test('an account with more lamports than JavaScript counts exactly does not break the history of an address', async () => {
  const { depositAddress } = await world.newAddress()
  await world.pay(depositAddress, AMOUNT)
  world.node.distort = (method, result) => {
    if (method !== 'getTransaction') return result
    const answer = structuredClone(result) as { meta: { preBalances: number[]; postBalances: number[] } }
    for (const list of [answer.meta.preBalances, answer.meta.postBalances]) list[list.length - 1] = 2 ** 60
    return answer
  }
  expect((await report(depositAddress)).deposits.map(({ amount }) => amount)).toEqual([AMOUNT])
})

test('a token account or a mint is no wallet; a new address and one with SOL are', async () => {
  const { depositAddress } = await world.newAddress()
  await world.pay(depositAddress, AMOUNT)
  const problem = 'Must be a wallet, not a token account or mint'
  expect(await world.provider.checkWallet?.(await tokenAccountOf(depositAddress, MINTS.EURC))).toBe(problem)
  expect(await world.provider.checkWallet?.(MINTS.USDC)).toBe(problem)
  expect(await world.provider.checkWallet?.(RECEIVER)).toBeUndefined()
  expect(await world.provider.checkWallet?.(world.signers.feePayer.address)).toBeUndefined()
})

test('an empty token account is closed, one that was paid into meanwhile is not', async () => {
  const { prepared, ...own } = await signedSwap()
  await world.provider.send(prepared)
  expire()
  expect((await report(own.depositAddress)).holdings).toMatchObject({ amount: 0n, closable: true })
  const close = await world.provider.prepareClose?.(own)
  if (!close) throw new Error('Nothing to close')
  await world.chain.pay(own.depositAddress, 'EURC', 7n)
  await world.provider.send(close)
  expire()
  expect(await world.provider.outcome(close)).toMatchObject({ status: 'failed' })
  expect((await report(own.depositAddress)).holdings).toMatchObject({ amount: 7n, closable: false })
  expect(await world.provider.prepareClose?.(own)).toBeNull()
})

test('a process without keys reads, and signs nothing', async () => {
  const { jupiter } = await import('./jupiter.ts')
  const reader = jupiter({
    baseUrl: world.exchange.url,
    rpcUrl: world.node.url,
    apiKey: 'jupiter-key',
    signers: undefined,
    mostLamports: 1n,
  })
  const own = await world.newAddress()
  await world.pay(own.depositAddress, AMOUNT)
  expect(await reader.deposits([{ depositAddress: own.depositAddress, currency: 'EURC' }])).toMatchObject([
    { holdings: { amount: AMOUNT } },
  ])
  expect(await reader.readFeePayer?.(null)).toBeNull()
  await expect(
    reader.prepareRefund({
      ...own,
      currency: 'EURC',
      amount: AMOUNT,
      refundAddress: RECEIVER,
      mayCreateAccount: true,
    }),
  ).rejects.toMatchObject({ code: 'swap_provider_unavailable' })
})

test('the changes of the fee payer sum up to its balance, and only new ones are read again', async () => {
  const start = world.chain.lamportsOf(world.signers.feePayer.address)
  const { prepared } = await signedSwap()
  await world.provider.send(prepared)
  expire()
  const first = await world.provider.readFeePayer?.(null)
  expect(first?.changes.length).toBe(2)
  expect(first?.changes.at(-1)?.signature).toBe(prepared.signature)
  expect(first?.lamports).toBe(start + (first?.changes[1]?.lamports ?? 0n))
  expect(first?.changes.reduce((sum, { lamports }) => sum + lamports, 0n)).toBe(first?.lamports)
  expect(await world.provider.readFeePayer?.(first?.readTo ?? null)).toMatchObject({ changes: [] })
})
