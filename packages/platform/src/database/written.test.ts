import { defineEntity, MikroORM, p } from '@mikro-orm/postgresql'
import { newId } from '@payments/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connected, useService } from '#testing'
import { minorUnits } from '../domain/entity.ts'
import { RequestLogEntity } from '../records/request-log/entity.ts'
import { changedRow, newRow } from './written.ts'

const service = useService()

const SampleEntity = defineEntity({
  name: 'Sample',
  tableName: 'samples',
  properties: {
    id: p.uuid().primary(),
    key: p.text().fieldName('from').nullable(),
    tags: p.array().$type<string[]>().nullable(),
    body: p.json().nullable(),
    payload: p.json().columnType('json').nullable(),
    bytes: p.blob().nullable(),
    amount: minorUnits().nullable(),
    isOpen: p.boolean().default(true),
    times: p.integer().nullable(),
    place: p.bigint().nullable(),
    share: p.double().nullable(),
    day: p.date().nullable(),
    at: p.datetime(3).nullable(),
  },
})
type Sample = Parameters<typeof newRow<typeof SampleEntity>>[2]

let orm: MikroORM
let owner: Awaited<ReturnType<typeof connected>>
beforeAll(async () => {
  owner = await connected(service)
  await owner.query(`create table samples (id uuid primary key, "from" text, tags text[], body jsonb, payload json, bytes bytea,
    amount numeric(78,0), is_open boolean not null default true, times integer, place bigint, share double precision, day date, at timestamptz(3))`)
  orm = await MikroORM.init({ entities: [SampleEntity], clientUrl: service.database.ownerUrl })
})
afterAll(async () => {
  await orm.close()
  await owner.query('drop table samples')
  await owner.end()
})

const insert = ({ into: { text }, json }: ReturnType<typeof newRow>) =>
  owner.query(`${text[0]}$1${text[1]}`, [`[${json}]`])
const stored = async (id: string) =>
  (await owner.query<{ row: object }>(`select to_jsonb(s) - 'id' as row from samples s where id = $1`, [id])).rows[0]
    ?.row

const samples: Readonly<Record<string, Partial<Sample>>> = {
  nothing: {},
  nulls: { key: null, tags: null, body: null, bytes: null, amount: null, at: null },
  texts: { key: '\'quoted\' "twice" back\\slash $1 ::text\n\t’🦊 {} []', isOpen: false },
  'an empty text': { key: '', tags: [''] },
  'half of a pair of surrogates': { key: 'a\uD800b' },
  lists: { tags: ['a', 'b,c', '{d}', '"e"', 'f\\g', 'null', ''] },
  'an empty list': { tags: [] },
  documents: { body: { a: [1, 'x', null, { deep: '\\u0041"' }], big: 12345678901234 }, payload: { b: 1, a: 'é' } },
  'a document that is a text': { body: 'text', payload: 'null' },
  bytes: { bytes: Buffer.from([0, 1, 92, 255, 39]) },
  numbers: { amount: 10n ** 77n - 1n, times: -2147483648, place: 9007199254740993n, share: 0.1 },
  'a negative amount': { amount: -1n, times: 0, place: 0n, share: -1e-300 },
  times: { at: new Date('2026-02-28T23:59:59.999Z'), day: '2026-02-28' },
}

test.each(Object.entries(samples))('a row is stored as the ORM stores it: %s', async (_, values) => {
  const [own, other] = [newId(), newId()]
  await insert(newRow({ orm }, SampleEntity, { ...values, id: own } as Sample))
  await orm.em.fork().insert(SampleEntity, { ...values, id: other } as never)
  expect(await stored(own)).toEqual(await stored(other))
})

test.each(Object.entries(samples))(
  'a row is changed as the ORM stores it, and no other column or row is: %s',
  async (_, values) => {
    const [own, other, expected] = [newId(), newId(), newId()]
    const kept = { key: 'kept', times: 7, tags: ['kept'] }
    for (const id of [own, other]) await insert(newRow({ orm }, SampleEntity, { ...kept, id } as Sample))
    const { text, values: sent } = changedRow({ orm }, SampleEntity, { id: own }, { share: 0.5, ...values })
    await owner.query(text, [...sent])
    await orm.em.fork().insert(SampleEntity, { ...kept, share: 0.5, ...values, id: expected } as never)
    expect(await stored(own)).toEqual(await stored(expected))
    expect(await stored(other)).toMatchObject({ from: 'kept', times: 7, tags: ['kept'], share: null })
  },
)

test('a change of a row whose tenant is not known is refused, instead of changing none', () => {
  const change = (key: object) =>
    changedRow(service.runtime, RequestLogEntity, { id: newId(), ...key }, { status: 201 }).values.length
  expect(change({ organisationId: newId(), environment: 'test' })).toBe(4)
  expect(() => change({ organisationId: newId() })).toThrow('environment is not known')
})

test('rows with the same columns are inserted by one statement, and rows with others by another', () => {
  const into = (values: Partial<Sample>) => newRow({ orm }, SampleEntity, { ...values, id: newId() } as Sample).into
  expect(into({ key: 'one' })).toBe(into({ key: 'other' }))
  expect(into({ key: 'one', times: undefined } as never)).toBe(into({ key: null }))
  expect(into({ key: 'one', times: 1 }).key).not.toBe(into({ key: 'one' }).key)
})

test('a value that has no text is refused before anything is sent', () => {
  for (const value of [Symbol('x'), () => 1])
    expect(() => newRow({ orm }, SampleEntity, { id: newId(), key: value } as never)).toThrow(/cannot carry/)
  expect(() => newRow({ orm }, SampleEntity, { id: newId(), unknown: 1 } as never)).toThrow('no property unknown')
})
