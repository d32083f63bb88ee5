import { describe, expect, test } from 'vitest'
import { useService } from '#testing'
import { receiptMachine, sendMachine } from '../states.ts'

// Orders and receipts are no resources with events: here the database is held against their tables of states.

const service = useService()

describe.each([
  ['cngn_sends', sendMachine],
  ['cngn_receipts', receiptMachine],
] as const)('the database and the code agree on %s:', (table, machine) => {
  const constraint = async (name: string) =>
    (
      await service.runtime.pool.query<{ text: string }>(
        'select pg_get_constraintdef(oid) as text from pg_constraint where conrelid = $1::regclass and conname = $2',
        [table, `${table}_${name}`],
      )
    ).rows[0]?.text ?? ''

  test('the moves that a row can make', async () => {
    const { rows } = await service.runtime.pool.query<{ args: string }>(
      "select encode(tgargs, 'escape') as args from pg_trigger where tgrelid = $1::regclass and tgname = $2",
      [table, `${table}_status_moves`],
    )
    expect(rows[0]?.args.split('\\000').filter(Boolean).sort()).toEqual([...machine.edges])
  })

  test('the states, and the columns that each needs', async () => {
    const known = [...(await constraint('status_known')).matchAll(/'([a-z_]+)'/g)].map((match) => match[1])
    expect(known.sort()).toEqual(Object.keys(machine.states).sort())
    const needs = [...(await constraint('status_needs')).matchAll(/status <> '(\w+)'::text\) OR \((\w+) IS NOT NULL/g)]
    const declared: readonly [string, { readonly needs?: readonly string[] }][] = Object.entries(machine.states)
    expect(needs.map(([, state, column]) => `${state} ${column}`).sort()).toEqual(
      declared.flatMap(([state, { needs: columns = [] }]) => columns.map((column) => `${state} ${column}`)).sort(),
    )
  })
})
