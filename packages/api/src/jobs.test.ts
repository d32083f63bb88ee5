import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call, useService } from '#testing'
import { everyDomain } from './index.ts'

const service = useService({ worker: true })
const emails = () => (existsSync(join(service.dataDir, 'mail')) ? readdirSync(join(service.dataDir, 'mail')) : [])

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 300 && !condition(); tries++) await new Promise((resolve) => setTimeout(resolve, 50))
  expect(condition()).toBe(true)
}

/** A job as a worker that died leaves it, started long ago and never completed; pg-boss looks for such jobs every minute. @returns its id */
async function leaveActive(name: string, data: string): Promise<string> {
  const { rows } = await service.runtime.pool.query<{ id: string }>(
    `insert into pgboss.job (id, name, data, state, started_on, expire_seconds, retry_limit, retry_delay, retry_backoff, policy, dead_letter)
     select gen_random_uuid(), name, (${data}), 'active', now() - interval '1 day', expire_seconds, retry_limit, 0, false, policy, dead_letter
       from pgboss.queue where name = $1 returning id`,
    [name],
  )
  await service.runtime.boss.supervise(name)
  return rows[0]?.id ?? ''
}

test('a job whose worker died while running it is retried by another worker', async () => {
  const body = { email: 'ada@example.com', organisationName: 'Ada' }
  await call(service, 'POST /v1/auth/register', { body, key: null })
  await until(() => emails().length === 1)
  await leaveActive('accounts.mail', "select data from pgboss.job where name = 'accounts.mail' limit 1")
  await until(() => emails().length === 2)
})

const recurring = everyDomain.flatMap(({ work }) => work?.jobs ?? []).filter(({ schedule }) => schedule)

test.each(recurring.map(({ name }) => name))(
  '%s, whose worker died, runs again and is no dead letter',
  async (name) => {
    const { pool } = service.runtime
    const id = await leaveActive(name, "select '{}'::jsonb")
    const stateOf = async () => (await pool.query('select state from pgboss.job where id = $1', [id])).rows[0]?.state
    await expect.poll(stateOf).toBe('completed')
    const dead = await pool.query("select from pgboss.job where name = 'dead-letter' and source_name = $1", [name])
    expect(dead.rowCount).toBe(0)
  },
)
