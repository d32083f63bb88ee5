import { expect, test } from 'vitest'
import { connected, useService } from '#testing'
import { arrayOf, lockName, renumbered, sqlOf } from './sql.ts'

const service = useService()

test('a part of a statement keeps its own parameters behind others, also where it has more than nine', () => {
  expect(renumbered('f($1, $2, $10) = $1', 0)).toBe('f($1, $2, $10) = $1')
  expect(renumbered('f($1, $2, $10) = $1', 11)).toBe('f($12, $13, $21) = $12')
})

test('of two transactions that lock one name the second waits for the end of the first, and another name does not wait', async () => {
  const [first, second] = [await connected(service), await connected(service)]
  try {
    for (const each of [first, second]) await each.query('begin')
    await lockName(first, 'tested')
    await lockName(second, 'another')
    let locked = false
    const waiting = lockName(second, 'tested').then(() => {
      locked = true
    })
    await expect
      .poll(async () => {
        const { rows } = await service.runtime.pool.query(
          "select from pg_locks where locktype = 'advisory' and not granted",
        )
        return rows.length
      })
      .toBe(1)
    expect(locked).toBe(false)
    await first.query('commit')
    await waiting
  } finally {
    await Promise.all([first.end(), second.end()])
  }
})

test('a value of a statement is a parameter, whatever it says', async () => {
  const said = "'); drop table organisations; --"
  const { rows } = await sqlOf(service.runtime.orm.em.fork()).query('select $1::text as said', [said])
  expect(rows).toEqual([{ said }])
})

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
