import { fiatContract, useService } from '#testing'
import { sandboxFiat } from './provider/sandbox.ts'

const service = useService()

fiatContract('The sandbox', async () => {
  const { pool } = service.runtime
  const provider = sandboxFiat(pool)
  const shift = (column: string, seconds: number) =>
    pool.query(`update sandbox_fiat_orders set ${column} = ${column} - make_interval(secs => $1)`, [seconds])
  return {
    provider,
    async pay(reference, amount) {
      await provider.simulatePayment(pool, { reference, amount })
    },
    settle: async () => void (await shift('received_at', 3)),
    expire: async () => void (await shift('expires_at', 1800)),
  }
})
