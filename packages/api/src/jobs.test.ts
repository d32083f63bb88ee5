import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call, useService } from '#testing'

const service = useService({ worker: true })
const emails = () => (existsSync(join(service.dataDir, 'mail')) ? readdirSync(join(service.dataDir, 'mail')) : [])

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 300 && !condition(); tries++) await new Promise((resolve) => setTimeout(resolve, 50))
  expect(condition()).toBe(true)
}

test('a job whose worker died while running it is retried by another worker', async () => {
  const body = { email: 'ada@example.com', organisationName: 'Ada' }
  await call(service, 'POST /v1/auth/register', { body, key: null })
  await until(() => emails().length === 1)
  // The same job as a worker that died leaves it: started an hour ago and never completed.
  await service.runtime.pool.query(
    `insert into pgboss.job (id, name, data, state, started_on, expire_seconds, retry_limit, retry_delay, retry_backoff, policy, dead_letter)
     select gen_random_uuid(), name, data, 'active', now() - interval '1 hour', expire_seconds, retry_limit, 0, false, policy, dead_letter
       from pgboss.job where name = 'accounts.mail' limit 1`,
  )
  await service.runtime.boss.supervise('accounts.mail')
  await until(() => emails().length === 2)
})
