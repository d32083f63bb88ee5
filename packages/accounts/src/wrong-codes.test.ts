import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { call, useService } from '#testing'
import { wrongCodesAlert, wrongCodesMetric } from './wrong-codes.ts'

const service = useService()

test('many wrong codes in total raise the metric and an alert, and nobody is refused because of them', async () => {
  const { pool } = service.runtime
  const run = () => wrongCodesAlert.run(service.runtime, {}, new AbortController().signal)
  const challenge = (tries: number, used: boolean, minutes: number) =>
    pool.query(
      `insert into challenges (id, email, code_hash, tries, expires_at, used_at, created_at)
       values ($1, 'guessed@example.com', '', $2, now(), case when $3 then now() end, now() - make_interval(mins => $4))`,
      [newId(), tries, used, minutes],
    )
  for (let index = 0; index < 20; index++) await challenge(5, false, 1)
  await challenge(1, true, 1)
  await challenge(5, false, 11)
  expect(await wrongCodesMetric.read(service.runtime)).toBe(100)
  await run()
  expect(service.logs.join('')).not.toContain('many wrong sign-in codes')
  await challenge(3, true, 1)
  expect(await wrongCodesMetric.read(service.runtime)).toBe(102)
  await run()
  expect(service.logs.join('')).toContain('many wrong sign-in codes')
  const body = { email: 'another@example.com', organisationName: 'Another' }
  expect((await call(service, 'POST /v1/auth/register', { body, key: null })).status).toBe(200)
})
