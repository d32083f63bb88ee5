import { newId } from '@payments/kernel'
import { cngnContract, useService } from '#testing'
import { sandboxCngn } from './provider/sandbox.ts'

const service = useService()

cngnContract('The sandbox', async () => {
  const { pool } = service.runtime
  const provider = sandboxCngn(pool)
  const account = newId()
  // Its treasury is that of all organisations: the other tests' movements are not this world's.
  await pool.query('delete from sandbox_cngn_transactions')
  return {
    provider,
    account,
    async pay(narration, amount) {
      await provider.simulateReceipt(pool, {
        organisationId: account,
        ...{ channel: 'bank_in', asset: 'cNGN', amount, targets: [narration] },
        ...{ convertedAmount: null, fee: 0n, timesOut: false },
      })
    },
    settle: async () =>
      void (await pool.query(
        "update sandbox_cngn_transactions set settles_from = settles_from - interval '5 seconds'",
      )),
  }
})
