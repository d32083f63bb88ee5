import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { everyDomain } from '@payments/api'
import { newId } from '@payments/kernel'
import { createLog, migrate } from '@payments/platform'
import { expect, test } from 'vitest'
import { hasTools, newMerchant, runService, startSystemPostgres } from '#testing'

// The embedded server is one that its supervisor keeps a primary.
test.runIf(hasTools('pg_ctlcluster', 'setpriv'))(
  'while the server that is reached is a standby or recovers, a gateway is not ready and refuses writes; once it is promoted, it serves without a restart',
  { timeout: 120_000 },
  async () => {
    const server = await startSystemPostgres()
    const serviceUrl = server.url()
    await migrate(serviceUrl, serviceUrl, everyDomain, createLog('fatal'))
    const service = await runService({ serviceUrl }, { logLevel: 'fatal' })
    try {
      const merchant = await newMerchant(service)
      const create = async () => {
        const body = { name: 'Ada', email: `${newId()}@example.com` }
        const { status, headers } = await merchant.call('POST /v1/customers', { body })
        return [status, Number(headers.get('retry-after')) > 0]
      }
      const readiness = async () => {
        const reply = await fetch(`${service.internalUrl}/readyz`)
        return `${reply.status} ${((await reply.json()) as { problem?: string }).problem ?? 'ready'}`
      }
      const signal = join(server.data, 'standby.signal')
      const fails = async (problem: string) => {
        await expect.poll(readiness, { timeout: 30_000 }).toBe(`503 ${problem}`)
        expect(await create()).toEqual([503, true])
      }
      const serves = async () => {
        await expect.poll(readiness, { timeout: 30_000 }).toBe('200 ready')
        await expect.poll(create).toEqual([201, false])
      }
      await serves()

      // A standby answers, as after a failover that a proxy has not noticed.
      await server.end('SIGINT')
      writeFileSync(signal, '')
      server.start()
      await server.accepts()
      await fails('read_only')
      await service.runtime.pool.query('select pg_promote()')
      await serves()

      // A server that recovers takes no connections before it has.
      await server.end('SIGINT')
      writeFileSync(signal, '')
      server.start('hot_standby=off')
      await fails('unreachable')
      await server.end('SIGQUIT')
      rmSync(signal)
      server.start()
      await serves()
    } finally {
      await service.stop()
      await server.remove()
    }
  },
)
