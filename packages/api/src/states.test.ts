import { machine } from '@payments/kernel'
import { transactionKinds } from '@payments/ledger'
import { type Domain, lifecycleName, type ReceiptDeclaration } from '@payments/platform'
import { describe, expect, test } from 'vitest'
import { useService } from '#testing'
import { domains } from './domains.ts'

test('a state table with an unreachable or unknown state is refused', () => {
  expect(() => machine('x', 'a', { a: { description: '', moves: { go: 'b' } } })).toThrow(
    'x: a move leads to the unknown state b',
  )
  expect(() => machine('x', 'a', { a: { description: '' }, b: { description: '' } })).toThrow('x: no move leads to b')
})

type Receipts = Readonly<Record<string, ReceiptDeclaration>>

const service = useService()
const resources = (domains as readonly Domain[]).flatMap((domain) => domain.data?.resources ?? [])

test('each resource has a name, by which messages name it', () => {
  const names = resources.map(({ machine: { name } }) => name)
  expect(names.filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([])
})

const receipts = Object.entries(
  Object.assign({}, ...(domains as readonly Domain[]).map(({ money }) => money?.receipts)) as Receipts,
)

test('each kind of transaction says which of its statuses are a success and which a failure, and all of them are statuses', () => {
  expect(receipts.map(([kind]) => kind).sort()).toEqual([...transactionKinds].sort())
  const known = new Set(resources.flatMap(({ machine: { states } }) => Object.keys(states)))
  for (const [kind, { outcomes }] of receipts) {
    expect(outcomes.succeeded, kind).toHaveLength(1)
    for (const status of [...outcomes.succeeded, ...outcomes.failed]) expect(known).toContain(status)
  }
})

/** The lifecycles of kinds whose transactions are not the resource of their name. */
const LIFECYCLES: Readonly<Record<string, string>> = {
  payment_route: 'payment_route_deposit',
  collection: 'checkout_session',
}

test.each(receipts)(
  'a status of %s that is a success or a failure is the same for every kind that has it',
  (kind, own) => {
    const lifecycle = resources.find(({ machine: { name } }) => name === (LIFECYCLES[kind] ?? kind))
    expect(lifecycle).toBeDefined()
    const statuses = Object.keys(lifecycle?.machine.states ?? {})
    for (const outcome of ['succeeded', 'failed'] as const) {
      const ofAny = receipts.flatMap(([, { outcomes }]) => outcomes[outcome])
      expect(statuses.filter((status) => ofAny.includes(status))).toEqual(
        statuses.filter((status) => own.outcomes[outcome].includes(status)),
      )
    }
  },
)

describe.each(resources.map((resource) => [lifecycleName(resource.table, resource.variant), resource] as const))(
  'the database and the code agree on %s:',
  (name, { table, machine: declared, variant }) => {
    const triggers = async (trigger: string) => {
      const { rows } = await service.runtime.pool.query<{ args: string }>(
        "select encode(tgargs, 'escape') as args from pg_trigger where tgrelid = $1::regclass and tgname = $2",
        [table, trigger],
      )
      return rows[0]?.args.split('\\000').filter(Boolean)
    }

    test('the moves that a row can make', async () => {
      expect((await triggers(`${name}_status_moves`))?.sort()).toEqual([...declared.edges])
    })

    test('the initial state', async () => {
      expect(await triggers(`${name}_status_initial`)).toEqual([declared.initial])
    })

    test('the columns that each state needs', async () => {
      const { rows } = await service.runtime.pool.query<{ text: string }>(
        'select pg_get_constraintdef(oid) as text from pg_constraint where conrelid = $1::regclass and conname = $2',
        [table, `${name}_status_needs`],
      )
      const found = [...(rows[0]?.text ?? '').matchAll(/\bstatus <> '(\w+)'::text\) OR \((\w+) IS NOT NULL/g)]
      const needed = Object.entries(declared.states).flatMap(([state, { needs = [] }]) =>
        needs.map((column) => `${state} ${column}`),
      )
      expect(found.map(([, state, column]) => `${state} ${column}`).sort()).toEqual(needed.sort())
    })

    test('the status values, and an edge for every event of every state', async () => {
      const { rows } = await service.runtime.pool.query<{ text: string }>(
        'select pg_get_constraintdef(oid) as text from pg_constraint where conrelid = $1::regclass and conname = $2',
        [table, `${name}_status_known`],
      )
      const known = [...(rows[0]?.text ?? '').matchAll(/'([a-z_]+)'/g)]
        .map((match) => match[1])
        .filter((word) => word !== variant?.value)
      expect(known.sort()).toEqual(Object.keys(declared.states).sort())
      for (const from of Object.keys(declared.states)) {
        for (const event of declared.events) {
          const to = declared.step(from, event)
          if (to !== undefined) expect(declared.edges).toContain(`${from}>${to}`)
        }
      }
    })
  },
)
