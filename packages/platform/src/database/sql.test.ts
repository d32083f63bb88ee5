import { expect, test } from 'vitest'
import { connected, useService } from '#testing'
import { arrayOf } from './sql.ts'

const service = useService()

test('a prepared statement with one id in an array is planned for each of its first five runs, and then never again', async () => {
  const owner = await connected(service)
  try {
    await owner.query('create table planned as select n as id from generate_series(1, 10000) n')
    await owner.query('create unique index planned_id on planned (id)')
    await owner.query('analyze planned')
    const text = `update planned p set id = p.id from unnest(${arrayOf('int', '$1')}) as q (id)
      where p.id = q.id and p.id = any (${arrayOf('int', '$1')})`
    for (let run = 0; run < 12; run++)
      expect((await owner.query({ name: 'by_ids', text, values: [[run + 1]] })).rowCount).toBe(1)
    const { rows } = await owner.query(
      "select custom_plans::int as planned, generic_plans::int as kept from pg_prepared_statements where name = 'by_ids'",
    )
    expect(rows).toEqual([{ planned: 5, kept: 7 }])
  } finally {
    await owner.query('drop table planned')
    await owner.end()
  }
})
