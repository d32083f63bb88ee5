import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AHEAD, type Due, share } from './queue/fair-share.ts'

test('one organisation gets half of the slots, and equal organisations get equal parts as slots become free', () => {
  const due = (organisation: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      endpointId: `${organisation}${index}`,
      organisationId: organisation,
      slots: 1,
    }))
  const given = (organisations: string[], room: number, busy: Record<string, number>) => {
    const all = organisations.flatMap((organisation) => due(organisation, 400))
    const turns = all.toSorted((a, b) => Number(a.endpointId.slice(1)) - Number(b.endpointId.slice(1)))
    const occupied = new Map(Object.entries(busy).map(([id, count]) => [id, { all: count, impaired: 0 }]))
    const shares = share(turns, { room, impairedRoom: 0, busy: occupied }, () => false)
    return organisations.map((name) => shares.filter(({ endpointId }) => endpointId.startsWith(name)).length)
  }
  expect(given(['a'], 400, {})).toEqual([200])
  expect(given(['a'], 200, { a: 200 })).toEqual([0])
  expect(given(['a', 'b'], 200, { a: 200 })).toEqual([0, 100])
  const [a = 0, b = 0, c = 0] = given(['a', 'b', 'c'], 400, {})
  expect(Math.max(a, b, c) - Math.min(a, b, c)).toBeLessThanOrEqual(1)
  expect(given(['a', 'b'], 1, { a: 399 })).toEqual([0, 1])
})

const organisation = fc.constantFrom('a', 'b', 'c')
const endpoints = fc.array(
  fc.record({ organisationId: organisation, slots: fc.integer({ min: 1, max: 5 }), impaired: fc.boolean() }),
)
const occupied = fc.dictionary(organisation, fc.record({ all: fc.nat(200), impaired: fc.nat(100) }))

test('no endpoint gets more than its slots, none is given twice, and no more is given than is free', () => {
  fc.assert(
    fc.property(endpoints, occupied, fc.nat(400), fc.nat(200), (given, busy, room, impairedRoom) => {
      const due = given.map((each, index): Due & { impaired: boolean } => ({ ...each, endpointId: String(index) }))
      const isImpaired = ({ endpointId }: Due) => due[Number(endpointId)]?.impaired === true
      const before = structuredClone(busy)
      const shares = share(due, { room, impairedRoom, busy: new Map(Object.entries(busy)) }, isImpaired)
      expect(busy).toEqual(before)
      const total = (of: typeof shares) => of.reduce((sum, each) => sum + each.room, 0)
      expect(total(shares)).toBeLessThanOrEqual(room)
      expect(total(shares.filter(({ endpointId }) => due[Number(endpointId)]?.impaired))).toBeLessThanOrEqual(
        impairedRoom,
      )
      expect(new Set(shares.map(({ endpointId }) => endpointId)).size).toBe(shares.length)
      for (const each of shares) {
        expect(each.room).toBeGreaterThan(0)
        expect(each.room).toBeLessThanOrEqual(due[Number(each.endpointId)]?.slots ?? 0)
      }
    }),
  )
})

test('impaired endpoints of one organisation get half of the slots for them, and count as its attempts; others get theirs beside them', () => {
  const due = (name: string, count: number): Due[] =>
    Array.from({ length: count }, (_, index) => ({ endpointId: `${name}${index}`, organisationId: name, slots: 1 }))
  const count = (
    room: number,
    impairedRoom: number,
    busy: [string, { all: number; impaired: number }][] = [],
    order = ['a', 'b'],
  ) => {
    const shares = share(
      order.flatMap((name) => due(name, 400)),
      { room, impairedRoom, busy: new Map(busy) },
      ({ organisationId }) => organisationId === 'a',
    )
    return ['a', 'b'].map((name) => shares.filter(({ endpointId }) => endpointId.startsWith(name)).length)
  }
  expect(count(400, 200)).toEqual([100, 150])
  expect(count(400, 200, [], ['b', 'a'])).toEqual([100, 200])
  expect(count(400, 0)).toEqual([0, 200])
  expect(count(400, 100, [['a', { all: 100, impaired: 100 }]])).toEqual([0, 200])
  expect(count(400, 1)).toEqual([1, 199])
})

test('a quick endpoint gets more than its slots, less what is held of it, while there is room ahead; an impaired one does not', () => {
  const due: Due[] = [...'abcd'].map((id) => ({ endpointId: id, organisationId: id, slots: id === 'd' ? 1 : 5 }))
  const ahead = { room: AHEAD + 2, endpoints: new Map([...'bcd'].map((id) => [id, 3])), claims: [] }
  const shares = share(due, { room: 400, impairedRoom: 200, busy: new Map(), ahead }, ({ slots }) => slots < 5)
  expect(shares).toEqual([
    { endpointId: 'a', room: 5, ahead: 0 },
    { endpointId: 'b', room: 5 + AHEAD - 3, ahead: AHEAD },
    { endpointId: 'c', room: 5 + 2 - 3, ahead: 2 },
    { endpointId: 'd', room: 1, ahead: 0 },
  ])
})
