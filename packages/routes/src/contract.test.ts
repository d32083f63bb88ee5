import { routesContract, useService } from '#testing'
import { sandboxRoutes } from './provider/sandbox.ts'

const service = useService()

routesContract('The sandbox', { reusableAddresses: true }, async () => {
  const { pool } = service.runtime
  const provider = sandboxRoutes(pool)
  return {
    provider,
    async pay(depositAddress, amount, outcome) {
      await provider.simulateDeposit(pool, {
        depositAddress,
        amount,
        networkKey: 'ethereum',
        currency: 'USDC',
        outcome,
      })
    },
    async settle() {
      await pool.query(
        "update sandbox_relay_requests set settles_at = date_trunc('milliseconds', now()) where settles_at > now()",
      )
    },
  }
})
