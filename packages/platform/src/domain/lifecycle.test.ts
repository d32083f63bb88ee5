import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { connected, useService } from '#testing'
import { lifecycle, type Variant } from './lifecycle.ts'

const service = useService()
const states = { open: [], paid: ['paid_at', 'payer'], void: [] }
const edges = ['open>paid', 'open>void', 'void>open']

/** A table whose rows obey these states, all or those of one kind. `attempt` is the outcome of a statement on it. */
async function withTable(
  variant: Variant | undefined,
  work: (attempt: (sql: string) => Promise<string>) => Promise<void>,
): Promise<void> {
  const owner = await connected(service)
  const name = `orders_${newId().slice(-12)}`
  const attempt = async (sql: string) => {
    try {
      await owner.query(sql.replace('orders', name))
      return 'done'
    } catch (error) {
      const { constraint, message } = error as Error & { constraint?: string }
      return (constraint ?? message).replaceAll(name, 'orders')
    }
  }
  try {
    await owner.query(`create table ${name} (id text, kind text, status text, paid_at text, payer text)`)
    for (const statement of lifecycle(name, 'open', states, edges, variant)) await owner.query(statement)
    await work(attempt)
  } finally {
    await owner.query(`drop table if exists ${name}`)
    await owner.end()
  }
}

for (const variant of [undefined, { column: 'kind', value: 'invoice' }]) {
  const name = variant ? 'orders_invoice' : 'orders'

  test(`the database lets ${name} begin in the initial state only, and move along the edges only`, () =>
    withTable(variant, async (attempt) => {
      const insert = (status: string) =>
        attempt(
          `insert into orders (id, kind, status, paid_at, payer) values ('${status}', 'invoice', '${status}', 'now', 'Ada')`,
        )
      expect(await insert('open')).toBe('done')
      expect(await insert('paid')).toBe('orders starts in open, not in paid')
      const move = (status: string) => attempt(`update orders set status = '${status}'`)
      expect(await move('open')).toBe('done')
      for (const status of ['void', 'open', 'paid', 'paid']) expect(await move(status)).toBe('done')
      expect(await move('open')).toBe('orders open cannot go from paid to open')
    }))

  test(`the database knows the states of ${name}, and the columns that each needs`, () =>
    withTable(variant, async (attempt) => {
      await attempt(`insert into orders (id, kind, status) values ('a', 'invoice', 'open')`)
      // The trigger comes before the check, so an unknown state is tried without it.
      expect(await attempt(`update orders set status = 'paid'`)).toBe(`${name}_status_needs`)
      expect(await attempt(`update orders set status = 'paid', paid_at = 'now'`)).toBe(`${name}_status_needs`)
      expect(await attempt(`update orders set status = 'paid', payer = 'Ada'`)).toBe(`${name}_status_needs`)
      expect(await attempt(`update orders set status = 'paid', payer = 'Ada', paid_at = 'now'`)).toBe('done')
      await attempt('alter table orders disable trigger user')
      expect(await attempt(`update orders set status = 'lost'`)).toBe(`${name}_status_known`)
      for (const status of ['open', 'void', 'paid'])
        expect(await attempt(`update orders set status = '${status}'`)).toBe('done')
    }))
}

test('rows of another kind have other states, and none of these checks', () =>
  withTable({ column: 'kind', value: 'invoice' }, async (attempt) => {
    expect(await attempt(`insert into orders (id, kind, status) values ('a', 'link', 'paid')`)).toBe('done')
    for (const status of ['lost', 'open']) expect(await attempt(`update orders set status = '${status}'`)).toBe('done')
  }))

test('states without needs have no check of them', () => {
  const statements = lifecycle('orders', 'open', { open: [] }, [])
  expect(statements.filter((statement) => statement.includes('_needs'))).toEqual([])
})
