import { machine } from '@payments/kernel'
import type { Domain } from '@payments/platform'
import { describe, expect, test } from 'vitest'
import { useService } from '#testing'
import { domains } from './domains.ts'

test('a table of states with a dead end or an unknown state does not load', () => {
  expect(() => machine('x', 'a', { a: { description: '', moves: { go: 'b' } } })).toThrow(
    'x: a move leads to the unknown state b',
  )
  expect(() => machine('x', 'a', { a: { description: '' }, b: { description: '' } })).toThrow('x: no move leads to b')
})

const service = useService()
const resources = (domains as readonly Domain[]).flatMap((domain) => domain.resources ?? [])

describe.each(resources.map((resource) => [resource.table, resource] as const))(
  'the database and the code agree on %s:',
  (table, { machine: table_ }) => {
    const triggers = async (name: string) => {
      const { rows } = await service.runtime.pool.query<{ args: string }>(
        "select encode(tgargs, 'escape') as args from pg_trigger where tgrelid = $1::regclass and tgname = $2",
        [table, name],
      )
      return rows[0]?.args.split('\\000').filter(Boolean)
    }

    test('the moves that a row can make', async () => {
      expect((await triggers(`${table}_status_moves`))?.sort()).toEqual([...table_.edges])
    })

    test('the initial state', async () => {
      expect(await triggers(`${table}_status_initial`)).toEqual([table_.initial])
    })

    test('the states there are, and every event of every state', async () => {
      const { rows } = await service.runtime.pool.query<{ text: string }>(
        'select pg_get_constraintdef(oid) as text from pg_constraint where conrelid = $1::regclass and conname = $2',
        [table, `${table}_status_known`],
      )
      const known = [...(rows[0]?.text ?? '').matchAll(/'([a-z_]+)'/g)].map((match) => match[1])
      expect(known.sort()).toEqual(Object.keys(table_.states).sort())
      for (const from of Object.keys(table_.states)) {
        for (const event of table_.events) {
          const to = table_.step(from, event)
          if (to !== undefined) expect(table_.edges).toContain(`${from}>${to}`)
        }
      }
    })
  },
)
