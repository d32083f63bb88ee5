import { afterEach, expect, test, vi } from 'vitest'
import { useService } from '#testing'
import { grouped } from './grouped.ts'

const service = useService()
afterEach(() => void vi.useRealTimers())

/** Halves numbers in the database, and tells which were halved together. */
function halves() {
  const groups: number[][] = []
  const half = grouped(async (items: readonly number[]) => {
    groups.push([...items])
    const { rows } = await service.runtime.pool.query<{ half: string }>(
      'select (10 / n)::text as half from unnest($1::int[]) with ordinality as i (n, place) order by place',
      [items],
    )
    return rows.map((row) => Number(row.half))
  })
  return { groups, half }
}

test('callers that ask while a statement is under way share the next, and each gets its own answer', async () => {
  const { groups, half } = halves()
  const first = half(1)
  await expect.poll(() => groups.length).toBe(1)
  const later = [half(5), half(2), half(10)]
  expect(await Promise.all([first, ...later])).toEqual([10, 2, 5, 1])
  expect(groups).toEqual([[1], [5, 2, 10]])
  expect(await half(2)).toBe(5)
})

test('the fault of one caller fails nobody else', async () => {
  const { groups, half } = halves()
  const settled = await Promise.allSettled([half(1), half(0), half(2)])
  expect(settled.map((each) => (each.status === 'fulfilled' ? each.value : 'refused'))).toEqual([10, 'refused', 5])
  expect(groups[0]).toEqual([1, 0, 2])
  expect(await half(5)).toBe(2)
})

test('a fault of the database fails all that share a statement, and is not tried again for each', async () => {
  let runs = 0
  const failing = grouped(async (_items: readonly number[]): Promise<number[]> => {
    runs++
    await service.runtime.pool.query("do $$ begin raise exception 'gone' using errcode = '57P01'; end $$")
    return []
  })
  const settled = await Promise.allSettled([failing(1), failing(2)])
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(runs).toBe(1)
})

test('more callers than one statement takes are all served', async () => {
  const { groups, half } = halves()
  const answers = await Promise.all(Array.from({ length: 1000 }, (_, n) => half(1 + (n % 10))))
  expect(answers).toEqual(Array.from({ length: 1000 }, (_, n) => Math.floor(10 / (1 + (n % 10)))))
  expect(Math.max(...groups.map(({ length }) => length))).toBeLessThanOrEqual(256)
})

test('callers that ask while a statement is under way are all served, also where the next one cannot take them all', async () => {
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const sizes: number[] = []
  const same = grouped(async (items: readonly number[]) => {
    sizes.push(items.length)
    await held
    return items
  })
  const first = same(1)
  await expect.poll(() => sizes).toEqual([1])
  const later = Array.from({ length: 1000 }, (_, n) => same(n))
  letGo()
  expect(await Promise.all([first, ...later])).toEqual([1, ...later.keys()])
  expect(sizes).toEqual([1, 256, 256, 256, 232])
})

test('a second statement is sent beside one that is under way as soon as enough callers wait, and for fewer after five milliseconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const sent: { readonly items: readonly number[]; readonly answer: () => void }[] = []
  const same = grouped(
    async (items: readonly number[]) => {
      await new Promise<void>((answer) => sent.push({ items, answer }))
      return items
    },
    { atOnce: 2, enough: 3 },
  )
  const turns = async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    return sent.map(({ items }) => items)
  }
  const all = [same(1)]
  expect(await turns()).toEqual([[1]])
  all.push(same(2), same(3))
  expect(await turns()).toEqual([[1]])
  all.push(same(4))
  expect(await turns()).toEqual([[1], [2, 3, 4]])
  all.push(same(5), same(6), same(7))
  vi.advanceTimersByTime(50)
  expect(await turns()).toEqual([[1], [2, 3, 4]])
  sent[1]?.answer()
  expect(await turns()).toEqual([[1], [2, 3, 4], [5, 6, 7]])
  sent[2]?.answer()
  await turns()
  all.push(same(8))
  vi.advanceTimersByTime(4)
  expect(await turns()).toHaveLength(3)
  vi.advanceTimersByTime(1)
  expect((await turns()).at(-1)).toEqual([8])
  sent[0]?.answer()
  sent[3]?.answer()
  expect(await Promise.all(all)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})

test('callers that a full statement leaves behind wait for five milliseconds at most, too', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const sent: (readonly number[])[] = []
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const same = grouped(
    async (items: readonly number[]) => {
      sent.push(items)
      await held
      return items
    },
    { most: 4, atOnce: 2, enough: 3 },
  )
  const turns = async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    return sent
  }
  const all = [1, 2, 3, 4, 5].map(same)
  expect(await turns()).toEqual([[1, 2, 3, 4]])
  vi.advanceTimersByTime(5)
  expect(await turns()).toEqual([[1, 2, 3, 4], [5]])
  letGo()
  expect(await Promise.all(all)).toEqual([1, 2, 3, 4, 5])
})
