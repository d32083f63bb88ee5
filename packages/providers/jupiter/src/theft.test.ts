import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, signedIn } from '#testing'
import { type Live, startLive } from '../test/live.ts'

const EUR = 1_000_000n

let live: Live
beforeAll(async () => {
  live = await startLive()
})
afterAll(() => live?.stop())

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${live.service.internalUrl}/metrics`)).text()
  return Number(text.match(new RegExp(`^${name}\\{[^}]*live[^}]*\\} (\\S+)$`, 'm'))?.[1])
}
const readFeePayer = () => live.readFeePayer()

test('a transaction that was signed elsewhere is found at the address that it emptied and at the fee payer', async () => {
  const { provider, chain, signers } = live.world
  const completed = await live.create()
  await live.pay(completed, 130n * EUR)
  await live.until(completed.id, 'completed')
  const swap = await live.create()
  await live.pay(swap, 30n * EUR)
  await live.process(swap.id)
  await readFeePayer()
  expect(await metric('swaps_fee_payer_lamports')).toBe(Number(chain.lamportsOf(signers.feePayer.address)))
  expect(await metric('swaps_fee_payer_unexplained_lamports')).toBe(0)

  // As if another party had the keys: signed, sent and never stored.
  const { rows } = await live.service.runtime.pool.query<{ index: number }>(
    'select derivation_index as index from swaps where id = $1',
    [swap.id],
  )
  const stolen = await provider.prepareRefund({
    depositAddress: swap.depositAddress,
    derivationIndex: rows[0]?.index ?? -1,
    currency: 'EURC',
    amount: 20n * EUR,
    refundAddress: live.world.exchange.table,
    mayCreateAccount: true,
  })
  if ('waits' in stolen) throw new Error(stolen.waits)
  await provider.send(stolen)
  live.skip(30)
  await live.process(swap.id)
  const { accessToken: token } = await signedIn(live.service.runtime, { role: 'operator' })
  const { swaps } = (await call(live.service, 'GET /v1/admin/ops/swaps', { token })).body.data
  expect(swaps.find(({ id }: { id: string }) => id === swap.id)).toMatchObject({
    heldAmount: '30',
    unexplainedAmount: '-20',
  })
  expect(await metric('swaps_suspense')).toBe(1)

  expect(live.service.logs.join('\n')).not.toContain('unknown transaction')
  await readFeePayer()
  expect(live.service.logs.join('\n')).toContain('fee payer spent by an unknown transaction')
  // Its fees, and the rent of the token account that it created.
  expect(await metric('swaps_fee_payer_unexplained_lamports')).toBeGreaterThan(2_000_000)
})
