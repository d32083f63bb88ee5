import { randomBytes } from 'node:crypto'
import bs58 from 'bs58'
import { swapsContract, useService } from '#testing'
import { sandboxSwaps } from './provider/sandbox.ts'

const service = useService()

swapsContract('The sandbox', async () => {
  const { pool } = service.runtime
  const provider = sandboxSwaps(pool)
  return {
    provider,
    newAddress: async () => ({ depositAddress: bs58.encode(randomBytes(32)), derivationIndex: 0 }),
    async pay(depositAddress, amount) {
      await provider.simulateDeposit(pool, { depositAddress, amount, outcome: 'completed' })
    },
    async settle() {
      await pool.query(
        "update sandbox_swap_transactions set settles_at = date_trunc('milliseconds', now()) where settles_at > now()",
      )
    },
  }
})
