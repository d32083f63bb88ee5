import { newId } from '@payments/kernel'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '#testing'
import { checkEffects } from './effects.ts'

let database: TestDatabase
let pool: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.ownerUrl, max: 2 })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

test('an order that the provider has twice, money without an order and a job that was given up are findings', async () => {
  expect((await checkEffects({ pool })).findings).toEqual([])
  await pool.query(
    `insert into sandbox_cngn_transactions (reference, account, channel, asset, amount, fee, targets, times_out, at, settles_from)
     values ($1, 'any', 'payout', 'cNGN', 5, 0, '{0123456789}', false, now(), now())`,
    [newId()],
  )
  await pool.query(
    `insert into sandbox_fiat_orders (reference, direction, asset, currency, rate, amount, fee, expires_at, received_amount, received_at)
     values ($1, 'offramp', 'USDC', 'NGN', '1500', 5, 0, now(), 5, now())`,
    [newId()],
  )
  await pool.query(
    "insert into pgboss.job (name, state) values ('accounts.mail', 'failed'), ('collections.due', 'failed')",
  )
  const findings = (await checkEffects({ pool })).findings.join('\n')
  expect(findings).toMatch(/each order that sends cNGN reached the provider once/)
  expect(findings).toMatch(/the treasury of cNGN holds what the journal holds.*provider -5, journal 0/)
  expect(findings).toMatch(/each order of local fiat was placed once/)
  expect(findings).toMatch(/no job was given up.*accounts.mail/)
  expect(findings).not.toContain('collections.due')
})
