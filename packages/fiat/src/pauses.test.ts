import { bind } from '@payments/kernel'
import { ProviderLimited } from '@payments/platform'
import { expect, test } from 'vitest'
import { newMerchant, newOfframp, type TestService, useService } from '#testing'
import { errors } from './errors.ts'
import { pollTask } from './polling/polls.ts'
import { type FiatProvider, fiatProvider, type SandboxFiat } from './provider/provider.ts'
import { sandboxFiat } from './provider/sandbox.ts'

let limited: 'report' | 'sellQuote' | undefined
const calls: string[] = []
/** The sandbox as a provider that counts its calls, and refuses one kind of them while it is `limited`. */
const counting = (): FiatProvider =>
  new Proxy({} as SandboxFiat, {
    get(_, name: keyof SandboxFiat) {
      // Asked for before the service runs.
      if (name === ('name' as string)) return 'sandbox'
      if (name === ('newCallsPerMinute' as string)) return 1000
      const own = sandboxFiat(service.runtime.pool)[name]
      if (typeof own !== 'function' || !['report', 'sellQuote'].includes(name)) return own
      return (...given: unknown[]) => {
        calls.push(name)
        if (limited === name)
          return Promise.reject(errors.fiat_provider_unavailable({ cause: new ProviderLimited(30), retryAfter: 30 }))
        return (own as (...all: unknown[]) => unknown)(...given)
      }
    },
  })
const service: TestService = useService({ live: [bind(fiatProvider, 'test', counting())] })

test.each(['sellQuote', 'report'] as const)(
  'when the provider limits a %s, no process asks it for anything until its pause has passed',
  async (kind) => {
    const { pool } = service.runtime
    const merchant = await newMerchant(service)
    const { id } = await newOfframp(merchant)
    const quote = () =>
      merchant.call('POST /v1/fiat/quotes/sell', {
        body: { sourceCurrency: 'USDC', destinationCurrency: 'NGN', amount: '25' },
      })
    const poll = async () => {
      await pool.query('update fiat_polls set next_poll_at = now() - make_interval(secs => 1) where id = $1', [id])
      const own = { ...service.runtime, trigger: () => undefined }
      await pollTask.run(own)
      await pollTask.stop?.(own)
    }
    limited = kind
    await (kind === 'report' ? poll() : quote())
    limited = undefined
    calls.length = 0
    // Nothing of the pause is kept in this process: another one would do the same.
    await poll()
    const { status, headers } = await quote()
    const wait = Number(headers.get('retry-after'))
    expect([status, wait > 20 && wait <= 30, calls]).toEqual([503, true, []])
    await pool.query("update provider_budgets set paused_until = now() - interval '1 second'")
    await poll()
    expect((await quote()).status).toBe(201)
    expect(calls).toEqual(['report', 'sellQuote'])
  },
)
