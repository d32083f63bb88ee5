import type { SwapsProvider } from '@payments/swaps'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { call, type SwapData, signedIn } from '#testing'
import { expectJournalEqualsChain, type Live, startLive } from '../test/live.ts'

const EUR = 1_000_000n

let live: Live
beforeEach(async () => {
  live = await startLive()
})
afterEach(() => live?.stop())

/** What a process does that the database has forgotten: it signs and sends with our keys, and nothing of it is stored. */
async function forget(swap: SwapData) {
  const { provider, chain } = live.world
  const { rows } = await live.service.runtime.pool.query<{ index: number; minimum: string }>(
    'select derivation_index as index, minimum_amount::text as minimum from swaps where id = $1',
    [swap.id],
  )
  const own = { depositAddress: swap.depositAddress, derivationIndex: rows[0]?.index ?? -1 }
  const send = async (prepared: Awaited<ReturnType<SwapsProvider['prepareSwap' | 'prepareRefund']>>) => {
    if (!('signature' in prepared)) throw new Error(JSON.stringify(prepared))
    await provider.send(prepared)
    chain.advance(2)
    return prepared.signature
  }
  return {
    swapped: async () =>
      send(
        await provider.prepareSwap({
          ...own,
          ...{ from: 'EURC', to: 'USDC', amount: 100n * EUR, destinationAddress: String(swap.destinationAddress) },
          ...{ minimumAmount: BigInt(rows[0]?.minimum ?? 0), slippageBasisPoints: 50 },
        }),
      ),
    refunded: async (amount: bigint, refundAddress = String(swap.refundAddress)) =>
      send(await provider.prepareRefund({ ...own, currency: 'EURC', amount, refundAddress, mayCreateAccount: true })),
    closed: async () => {
      const prepared = await provider.prepareClose?.(own)
      if (prepared) await provider.send(prepared)
      chain.advance(2)
    },
  }
}
const attention = async (id: string) => {
  const { accessToken } = await signedIn(live.service.runtime, { role: 'operator' })
  const body = { organisationId: live.merchant.organisationId }
  const answer = await call(live.service, 'POST /v1/admin/ops/attention', { token: accessToken, key: null, body })
  return answer.body.data.objects
    .filter((each: { id: string }) => each.id === id)
    .map(({ condition, reason }: { condition: string; reason: string }) => [condition, reason])
}
const spent = async () => {
  const { signers, chain } = live.world
  return chain.lamportsOf(signers.feePayer.address)
}

describe('after a restore, a swap that ended in the forgotten time', () => {
  test('ends as it did: with what its destination received', async () => {
    const swap = await live.create()
    await live.pay(swap, 100n * EUR)
    const signature = await (await forget(swap)).swapped()
    const before = await spent()
    await live.process(swap.id)
    const shown = await live.get(swap.id)
    expect(shown).toMatchObject({ status: 'completed', swapTxHash: signature, depositedAmount: '100' })
    expect(await live.eventsOf(swap.id)).toEqual([
      '>awaiting_deposit',
      'awaiting_deposit>swapping',
      'swapping>completed',
    ])
    // The empty account of the address is closed; nothing else is sent, and it stays so.
    for (let round = 0; round < 3; round++) {
      live.skip(30)
      await live.process(swap.id)
    }
    expect((await live.get(swap.id)).updatedAt).toBe(shown.updatedAt)
    expect((await spent()) - before).toBeGreaterThan(0n)
    expect(await attention(swap.id)).toEqual([])
    await expectJournalEqualsChain(live.service, live.world)
  })

  test('whose account was closed since is found before it expires, and so is one that was sent back', async () => {
    const [swapped, refunded] = [await live.create(), await live.create()]
    for (const swap of [swapped, refunded]) await live.pay(swap, 100n * EUR)
    const [one, other] = [await forget(swapped), await forget(refunded)]
    await one.swapped()
    await one.closed()
    await other.refunded(100n * EUR)
    await other.closed()
    for (const { id } of [swapped, refunded]) {
      await live.end(id)
      await live.process(id)
    }
    expect([(await live.get(swapped.id)).status, (await live.get(refunded.id)).status]).toEqual([
      'completed',
      'refunded',
    ])
    const { rows } = await live.service.runtime.pool.query(
      'select swap_id from swap_transactions where swap_id = any ($1)',
      [[swapped.id, refunded.id]],
    )
    expect(rows).toHaveLength(2)
  })

  test('with the excess sent back as well is both', async () => {
    const swap = await live.create()
    await live.pay(swap, 130n * EUR)
    const own = await forget(swap)
    await own.swapped()
    await own.refunded(30n * EUR)
    await live.until(swap.id, 'completed')
    expect(await live.world.chain.tokens(String(swap.refundAddress), 'EURC')).toBe(30n * EUR)
    await expectJournalEqualsChain(live.service, live.world)
  })
})

describe('what is not at its address', () => {
  test.each(['swapping', 'cancelled'])(
    'is neither swapped nor sent back, costs nothing, and is shown to operators: a swap that is %s',
    async (status) => {
      const swap = await live.create()
      await live.pay(swap, 60n * EUR)
      if (status === 'cancelled') {
        // The deposit is known before it is gone.
        await live.process(swap.id)
        await live.merchant.call(`POST /v1/swaps/${swap.id}/cancel`)
      } else await live.pay(swap, 40n * EUR)
      const own = await forget(swap)
      // To a wallet that is not the swap's.
      await own.refunded((status === 'cancelled' ? 60n : 100n) * EUR, live.world.exchange.table)
      for (let round = 0; round < 6; round++) {
        expect(await live.process(swap.id)).toBe(200)
        live.skip(3600)
      }
      await live.process(swap.id)
      expect((await live.get(swap.id)).status).toBe(status)
      const { rows } = await live.service.runtime.pool.query('select from swap_transactions where swap_id = $1', [
        swap.id,
      ])
      expect(rows).toEqual([])
      expect(await attention(swap.id)).toEqual([
        ['held', 'The deposit address holds less than the journal says: a transaction that is not known has moved it'],
      ])
    },
  )
})
