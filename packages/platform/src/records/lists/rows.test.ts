import { newId, system } from '@payments/kernel'
import { expect, test } from 'vitest'
import { useService } from '#testing'
import { queryContext } from '../../transactions/unit.ts'
import { AuditEntryEntity } from '../audit-log.ts'
import { columnsOf, rowReader, rowsOf } from './rows.ts'

const service = useService()

test('columns of an entity have the names and types of its properties, and others are as the statement calls them', async () => {
  const resourceId = newId()
  const context = queryContext(service.runtime, system(newId(), 'test'))
  const rows = await rowsOf(
    context,
    AuditEntryEntity,
    `select $1::uuid as resource_id, null as user_id, '{"a": 1}'::json as input, timestamptz '2026-01-02T03:04:05.006Z' as created_at,
            2 as other_column, 'x' as "otherName"`,
    [resourceId],
  )
  const createdAt = new Date('2026-01-02T03:04:05.006Z')
  expect(rows).toEqual([{ resourceId, userId: null, input: { a: 1 }, createdAt, other_column: 2, otherName: 'x' }])
})

test('equal JSON is read once for all rows of a list, as what it is, also where the JSON itself is text or null', async () => {
  const { runtime } = service
  const organisationId = newId()
  const inputs = [{ a: 1 }, { a: 1 }, 'text', null]
  await runtime.pool.query(
    `insert into audit_log (id, organisation_id, operation, summary, input, after, created_at)
     select gen_random_uuid(), $1, 'POST /x', 'x', '{}', v::jsonb, now() + n * interval '1 ms'
       from unnest($2::text[]) with ordinality as t (v, n)`,
    [organisationId, inputs.map((input) => (input === null ? null : JSON.stringify(input)))],
  )
  const { rows } = await runtime.pool.query({
    text: `select ${columnsOf(runtime, AuditEntryEntity)} from audit_log t where organisation_id = $1 order by created_at`,
    values: [organisationId],
    rowMode: 'array',
  })
  const read = rows.map((row) => rowReader(runtime, AuditEntryEntity)(row).after)
  expect(read).toEqual(inputs)
  const toRow = rowReader(runtime, AuditEntryEntity)
  const [one, other] = rows.map((row) => toRow(row).after)
  expect(one).toBe(other)
})
