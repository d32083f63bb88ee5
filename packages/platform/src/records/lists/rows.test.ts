import { newId, system } from '@payments/kernel'
import { expect, test } from 'vitest'
import { useService } from '#testing'
import { queryContext } from '../../transactions/unit.ts'
import { AuditEntryEntity } from '../audit-log.ts'
import { rowsOf } from './rows.ts'

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
