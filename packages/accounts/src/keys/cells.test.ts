import { createHash } from 'node:crypto'
import { belongToCell, cellOfLookup, system } from '@payments/kernel'
import { queryContext, unitOfWork } from '@payments/platform'
import { afterEach, expect, test } from 'vitest'
import { call, newMerchant, signedIn, useService } from '#testing'
import { NewApiKey } from '../schemas.ts'
import { emailsOfCell, keysOfCell } from './cells.ts'
import { insertKey } from './keys.ts'

const service = useService()
afterEach(() => belongToCell(0))

test('what a proxy must know of a cell: the digest of each address that signs in there, and each key that does not begin with the cell, revoked ones aside', async () => {
  const { pool } = service.runtime
  const merchant = await newMerchant(service)
  const { rows } = await pool.query<{ email: string }>('select email from users')
  const digests = rows.map(({ email }) => createHash('sha256').update(email).digest('hex'))
  expect((await Array.fromAsync(emailsOfCell(pool))).sort()).toEqual(digests.sort())

  const random = await Array.fromAsync(keysOfCell(pool, '000'))
  const ids = (await pool.query<{ id: string }>('select id from api_keys')).rows.map(({ id }) => id)
  // Keys from before there were cells.
  for (const lookup of ['Q2f9aaaa', '0a1bbbbb', '000ccccc', '00adddd1']) {
    await pool.query(
      `insert into api_keys select (jsonb_populate_record(k, jsonb_build_object('id', gen_random_uuid(), 'lookup', $2::text,
         'revoked_at', case when $2 = '00adddd1' then now() end))).* from api_keys k where id = $1`,
      [ids[0], lookup],
    )
  }
  expect(await Array.fromAsync(keysOfCell(pool, '000'))).toEqual(['0a1bbbbb', ...random].sort())
  const listed = new Map((await Array.fromAsync(keysOfCell(pool, '000'))).map((lookup) => [lookup, 0]))
  for (const lookup of ['Q2f9aaaa', '0a1bbbbb', '000ccccc']) expect(cellOfLookup(lookup, listed)).toBe(0)
  expect((await call(service, 'GET /v1/customers', { token: merchant.key })).status).toBe(200)
})

test('keys of another cell than 0 begin with it, and are no other than those that are listed', async () => {
  belongToCell(10)
  const { organisationId } = await newMerchant(service)
  const { pool } = service.runtime
  const input = NewApiKey.parse({ name: 'Server', environment: 'test' })
  const { row } = await unitOfWork(queryContext(service.runtime, system(organisationId, 'test')), (unit) =>
    insertKey(unit, { organisationId, createdBy: null }, input),
  )
  expect(row.lookup).toMatch(/^00a[A-Za-z0-9]{5}$/)
  expect(await Array.fromAsync(keysOfCell(pool, '00a'))).not.toContain(row.lookup)
  expect(await Array.fromAsync(keysOfCell(pool, '00b'))).toContain(row.lookup)
})

test('what has moved to another cell is not listed here any more: keys of the organisation, and people of no other one', async () => {
  const { pool } = service.runtime
  const [{ organisationId }, other] = [await newMerchant(service), await newMerchant(service)]
  const person = async (organisation: string) =>
    createHash('sha256')
      .update((await signedIn(service.runtime, { organisationId: organisation, role: 'owner' })).email)
      .digest('hex')
  const [alone, both] = [await person(organisationId), await person(organisationId)]
  await pool.query(
    `insert into memberships (organisation_id, user_id, role, created_at)
     select $1, user_id, 'member', now() from memberships m join users u on u.id = m.user_id where encode(sha256(u.email::bytea), 'hex') = $2`,
    [other.organisationId, both],
  )
  const listed = async () =>
    [await Array.fromAsync(emailsOfCell(pool)), await Array.fromAsync(keysOfCell(pool, '00b'))] as const
  const [, before] = await listed()
  await pool.query('update organisations set moved_to = 1, suspended_at = now() where id = $1', [organisationId])
  const [emails, keys] = await listed()
  expect([emails.includes(alone), emails.includes(both)]).toEqual([false, true])
  expect(before.length - keys.length).toBe(1)
  await pool.query('update organisations set moved_to = null where id = $1', [organisationId])
})
