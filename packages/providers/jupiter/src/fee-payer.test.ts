import { expect, test } from 'vitest'
import { connected } from '#testing'
import { startLive } from '../test/live.ts'

const EUR = 1_000_000n

test('what the fee payer spends is explained by stored transactions; anything else is shown and logged', async () => {
  const live = await startLive()
  try {
    const { pool } = live.service.runtime
    const swap = await live.create()
    await live.pay(swap, 100n * EUR)
    await live.until(swap.id, 'completed')
    const metric = async (name: string) => {
      await live.runTask('swaps.fee-payer')
      const text = await (await fetch(`${live.service.internalUrl}/metrics`)).text()
      return Number(text.match(new RegExp(`^${name}\\{[^}]*live[^}]*\\} (\\S+)$`, 'm'))?.[1])
    }
    const { address } = live.world.signers.feePayer
    expect(await metric('swaps_fee_payer_lamports')).toBe(Number(live.world.chain.lamportsOf(address)))
    expect(await metric('swaps_fee_payer_unexplained_lamports')).toBe(0)
    const { rows } = await pool.query<{ signature: string }>(
      "select signature from swap_transactions where swap_id = $1 and kind = 'swap'",
      [swap.id],
    )
    expect(live.service.logs.join('\n')).not.toContain('fee payer spent')
    // As if the transaction had been signed elsewhere with the same key.
    const known = rows[0]?.signature ?? ''
    const owner = await connected(live.service)
    try {
      await owner.query('delete from swap_transactions where signature = $1', [known])
      await owner.query('delete from swap_fee_payer_changes')
    } finally {
      await owner.end()
    }
    expect(await metric('swaps_fee_payer_unexplained_lamports')).toBeGreaterThan(5000)
    expect(live.service.logs.join('\n')).toContain('fee payer spent by an unknown transaction')
  } finally {
    await live.stop()
  }
})
