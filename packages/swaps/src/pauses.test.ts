import { bind } from '@payments/kernel'
import { ProviderLimited } from '@payments/platform'
import { expect, test } from 'vitest'
import { newMerchant, newSwap, type TestService, useService } from '#testing'
import { errors } from './errors.ts'
import { pollTask } from './polling/poller.ts'
import { type SandboxSwaps, type SwapsProvider, swapsProvider } from './provider/provider.ts'
import { sandboxSwaps } from './provider/sandbox.ts'

let isLimited = false
let calls = 0
/** The sandbox as a provider that refuses to read deposits while it is limited. */
const limiting = (): SwapsProvider =>
  new Proxy({} as SandboxSwaps, {
    get(_, name: keyof SandboxSwaps) {
      // Asked for before the service runs.
      if (name === ('name' as string)) return 'sandbox'
      const own = sandboxSwaps(service.runtime.pool)[name]
      if (name !== 'deposits') return own
      return (...given: Parameters<SwapsProvider['deposits']>) => {
        calls++
        if (isLimited)
          return Promise.reject(errors.swap_provider_unavailable({ cause: new ProviderLimited(30), retryAfter: 30 }))
        return (own as SwapsProvider['deposits'])(...given)
      }
    },
  })
const service: TestService = useService({ live: [bind(swapsProvider, 'test', limiting())] })

test('when the node limits its calls, no process reads deposits until the pause has passed, and no swap is held to have failed', async () => {
  const { pool } = service.runtime
  const { id } = await newSwap(await newMerchant(service))
  const poll = async () => {
    await pool.query('update swap_polls set next_poll_at = now() - make_interval(secs => 1) where id = $1', [id])
    await pollTask.run({ ...service.runtime, trigger: () => undefined })
  }
  isLimited = true
  await poll()
  isLimited = false
  expect(calls).toBe(1)
  // The column has milliseconds, to which a time is rounded.
  const { rows } = await pool.query(
    `select failing_since, next_poll_at between now() + interval '20 seconds' and now() + interval '30.001 seconds' as soon
       from swap_polls where id = $1`,
    [id],
  )
  expect(rows).toEqual([{ failing_since: null, soon: true }])
  // Nothing of the pause is kept in this process: another one would do the same.
  await poll()
  expect(calls).toBe(1)
  await pool.query("update provider_budgets set paused_until = now() - interval '1 second'")
  await poll()
  expect(calls).toBe(2)
})
