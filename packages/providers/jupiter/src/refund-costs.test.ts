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
