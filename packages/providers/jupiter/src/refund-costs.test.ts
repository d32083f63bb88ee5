import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { getCloseAccountInstruction, getTransferCheckedInstruction } from '@solana-program/token'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { call, newMerchant, signedIn } from '#testing'
import { DECIMALS, MINTS, tokenAccountOf } from '../test/facts.ts'
import { type Live, startLive } from '../test/live.ts'

const EUR = 1_000_000n
const RENT = 2_039_280n

let live: Live
let owner: KeyPairSigner
beforeEach(async () => {
  live = await startLive({ settings: { SWAP_REFUND_SOL_PER_DAY: '0.005' } })
  owner = await generateKeyPairSigner()
  await live.world.chain.send([
    getTransferSolInstruction({ source: live.world.chain.payer, destination: owner.address, amount: 1_000_000_000n }),
  ])
  live.world.chain.advance()
})
afterEach(() => live.stop())

/** The owner of the refund address takes what arrived, closes the token account and keeps its rent. */
async function takeRent(): Promise<void> {
  const { chain } = live.world
  const account = await tokenAccountOf(owner.address, MINTS.EURC)
  await chain.send(
    [
      getTransferCheckedInstruction({
        source: account,
        mint: MINTS.EURC,
        destination: await tokenAccountOf(chain.pool, MINTS.EURC),
        authority: owner,
        amount: await chain.tokens(owner.address, 'EURC'),
        decimals: DECIMALS,
      }),
      getCloseAccountInstruction({ account, destination: owner.address, owner }),
    ],
    owner,
  )
  chain.advance()
}

const paidByFeePayer = () => live.world.chain.lamportsOf(live.world.signers.feePayer.address)
const refundsOf = async (id: string) =>
  (
    await live.service.runtime.pool.query(
      "select outcome from swap_transactions where swap_id = $1 and kind = 'refund' order by created_at",
      [id],
    )
  ).rows.map(({ outcome }) => outcome)

test('the rent of a refund is paid once for each swap: after its owner has closed the account, refunds wait until there is one again', async () => {
  const swap = await live.create({ refundAddress: owner.address })
  await live.merchant.call(`POST /v1/swaps/${swap.id}/cancel`)
  await live.pay(swap, 3n * EUR)
  await live.until(swap.id, 'refunded')
  await takeRent()
  const before = paidByFeePayer()
  for (let round = 0; round < 3; round++) {
    await live.pay(swap, 2n * EUR)
    expect(await live.process(swap.id)).toBe(409)
  }
  expect(await refundsOf(swap.id)).toEqual(['finalized'])
  expect(before - paidByFeePayer()).toBeLessThan(RENT)

  await live.runTask('swaps.poll')
  const { accessToken: token } = await signedIn(live.service.runtime, { role: 'operator' })
  const { swaps } = (await call(live.service, 'GET /v1/admin/ops/swaps', { token })).body.data
  expect(swaps.find(({ id }: { id: string }) => id === swap.id)).toMatchObject({ heldAmount: '6' })

  await live.world.chain.pay(owner.address, 'EURC', 1n)
  live.world.chain.advance()
  await live.until(swap.id, 'refunded')
  expect(await live.world.chain.tokens(owner.address, 'EURC')).toBe(6n * EUR + 1n)
  expect(await refundsOf(swap.id)).toEqual(['finalized', 'finalized'])
})

test('what refunds of one organisation cost in a day is limited, and another organisation is not', async () => {
  const refund = async (merchant: Live['merchant']) => {
    const { body } = await merchant.call('POST /v1/swaps', {
      body: {
        fromCurrency: 'EURC',
        toCurrency: 'USDC',
        amount: '100',
        destinationAddress: owner.address,
        refundAddress: (await generateKeyPairSigner()).address,
      },
    })
    await merchant.call(`POST /v1/swaps/${body.data.id}/cancel`)
    await live.pay(body.data, 3n * EUR)
    const status = await live.process(body.data.id)
    live.world.chain.advance(2)
    await live.process(body.data.id)
    return { id: body.data.id as string, status }
  }
  const results = [await refund(live.merchant), await refund(live.merchant), await refund(live.merchant)]
  expect(results.map(({ status }) => status)).toEqual([200, 200, 409])
  expect(await refundsOf(results[2]?.id ?? '')).toEqual([])
  const other = await newMerchant(live.service, { environment: 'live' })
  expect((await refund(other)).status).toBe(200)

  // The next day the refund that waited is sent.
  await live.service.runtime.pool.query("update swap_transactions set created_at = created_at - interval '1 day'")
  expect(await live.process(results[2]?.id ?? '')).toBe(200)
})

/** A paid swap of a merchant, processed until it has ended; where it ended and why. */
async function swapTo(destinationAddress: string, amount = 1n): Promise<{ id: string; end: string }> {
  const swap = await live.create({ amount: `${amount}`, destinationAddress, refundAddress: owner.address })
  await live.pay(swap, amount * EUR)
  const { status, failureReason } = await live.until(swap.id, 'completed', 'refunded')
  return { id: swap.id, end: failureReason ? `${status} ${failureReason}` : status }
}

test('the accounts of destinations share the limit with refunds: beyond it a swap is sent back, and one to a wallet with an account goes on', async () => {
  // So that refunds cost their fee only.
  await live.world.chain.pay(owner.address, 'EURC', 1n)
  await live.world.chain.pay(owner.address, 'USDC', 1n)
  const wallets = await Promise.all([1, 2, 3, 4].map(async () => (await generateKeyPairSigner()).address))
  const ends: string[] = []
  for (const wallet of wallets) ends.push((await swapTo(wallet)).end)
  expect(ends).toEqual([
    'completed',
    'completed',
    'refunded destination_account_missing',
    'refunded destination_account_missing',
  ])
  expect((await swapTo(owner.address)).end).toBe('completed')
  const { rows } = await live.service.runtime.pool.query<{ cost: string }>(
    "select sum(cost_lamports)::text as cost from swap_transactions where creates_account or kind = 'refund'",
  )
  expect(BigInt(rows[0]?.cost ?? 0) < 5_000_000n).toBe(true)
})

test('a transaction counts what it cost: one that failed has created no account, and one that was dropped cost nothing', async () => {
  const { chain } = live.world
  const swap = await live.create({ refundAddress: (await generateKeyPairSigner()).address })
  await live.merchant.call(`POST /v1/swaps/${swap.id}/cancel`)
  await live.pay(swap, 3n * EUR)
  // Accepted without effect: the account is frozen between the signature and the block.
  const before = paidByFeePayer()
  const account = await tokenAccountOf(swap.depositAddress, MINTS.EURC)
  const submit = chain.submit.bind(chain)
  chain.submit = (wire) => {
    chain.freezeNow(account)
    return submit(wire)
  }
  await live.process(swap.id)
  chain.submit = submit
  chain.freezeNow(account, false)
  chain.advance(2)
  await live.process(swap.id)
  const costs = async () =>
    (
      await live.service.runtime.pool.query<{ outcome: string; cost: string }>(
        'select outcome, cost_lamports::text as cost from swap_transactions where swap_id = $1',
        [swap.id],
      )
    ).rows
  expect(await costs()).toEqual([{ outcome: 'failed', cost: `${before - paidByFeePayer()}` }])
  expect(before - paidByFeePayer()).toBeLessThan(100_000n)
})

test.each(['deposit', 'refund address'])(
  'a refund whose %s is frozen says so and is not sent until it is not, at no cost',
  async (which) => {
    const { chain } = live.world
    await chain.pay(owner.address, 'EURC', 1n)
    const swap = await live.create({ refundAddress: owner.address })
    await live.merchant.call(`POST /v1/swaps/${swap.id}/cancel`)
    await live.pay(swap, 3n * EUR)
    const frozen = which === 'deposit' ? swap.depositAddress : owner.address
    await chain.freeze(frozen, 'EURC')
    const before = paidByFeePayer()
    for (let round = 0; round < 4; round++) expect(await live.process(swap.id)).toBe(409)
    await live.service.runtime.pool.query('update swap_polls set next_poll_at = now() where id = $1', [swap.id])
    await live.runTask('swaps.poll')
    expect([paidByFeePayer(), await refundsOf(swap.id)]).toEqual([before, []])
    const { accessToken: token } = await signedIn(live.service.runtime, { role: 'operator' })
    const { swaps } = (await call(live.service, 'GET /v1/admin/ops/swaps', { token })).body.data
    expect(swaps.find(({ id }: { id: string }) => id === swap.id).error).toMatch(/has frozen the token account/)
    await chain.freeze(frozen, 'EURC', false)
    await live.until(swap.id, 'refunded')
    expect(await chain.tokens(owner.address, 'EURC')).toBe(3n * EUR + 1n)
  },
)

test('a swap to a frozen account fails with that reason, is never sent, and its deposit goes back', async () => {
  const { chain } = live.world
  await chain.pay(owner.address, 'EURC', 1n)
  const receiver = (await generateKeyPairSigner()).address
  await chain.pay(receiver, 'USDC', 1n)
  await chain.freeze(receiver, 'USDC')
  const { id, end } = await swapTo(receiver)
  expect(end).toBe('refunded account_frozen')
  const { rows } = await live.service.runtime.pool.query('select kind from swap_transactions where swap_id = $1', [id])
  expect(rows).toEqual([{ kind: 'refund' }])
})
