import { afterAll, beforeAll, expect, test } from 'vitest'
import { connected, useService } from '#testing'

const service = useService()
let owner: Awaited<ReturnType<typeof connected>>
beforeAll(async () => {
  owner = await connected(service)
})
afterAll(() => owner.end())

/** The columns of a tenant that a table has. */
const TENANT = ['organisation_id', 'environment']

test('a foreign key between rows of organisations includes the organisation, and the environment where both have one', async () => {
  const { rows } = await owner.query<{
    name: string
    own: string[]
    other: string[]
    columns: string[]
    shared: string[]
  }>(
    `select c.conrelid::regclass || '.' || c.conname as name,
            array(select attname::text from pg_attribute a where a.attrelid = c.conrelid and attnum = any (c.conkey) order by array_position(c.conkey, attnum)) as own,
            array(select attname::text from pg_attribute a where a.attrelid = c.confrelid and attnum = any (c.confkey) order by array_position(c.confkey, attnum)) as other,
            array(select attname::text from pg_attribute a where a.attrelid = c.conrelid and attname = any ($1)) as columns,
            array(select attname::text from pg_attribute a where a.attrelid = c.confrelid and attname = any ($1)) as shared
       from pg_constraint c where c.contype = 'f' and c.connamespace = 'public'::regnamespace and c.conparentid = 0`,
    [TENANT],
  )
  expect(rows.length).toBeGreaterThan(20)
  const wrong = rows.flatMap(({ name, own, other, columns, shared }) =>
    TENANT.filter((column) => columns.includes(column) && shared.includes(column))
      .filter((column) => !own.includes(column) || other[own.indexOf(column)] !== column)
      .map((column) => `${name} leaves out ${column}`),
  )
  expect(wrong).toEqual([])
})
