import { dayIn, newId, system } from '@payments/kernel'
import { expect, test } from 'vitest'
import { bookOf, foundOrganisation, newMerchant, useService } from '#testing'
import { type Recorded, record } from '../../test/record.ts'
import { reverse } from '../journal/holds.ts'
import { post } from '../journal/post.ts'
import { feeDays, settlementDays } from '../schema/days.ts'
import { sumProblems } from '../schema/sums.ts'
import { addAmounts } from './amounts.ts'
import { before, periodOf } from './period.ts'

const service = useService()

const caller = (organisationId: string) => service.process.createCaller(system(organisationId, 'test')).reports
const at = (day: string, time = '12:00:00.000Z') => new Date(`${day}T${time}`)
const after = (time: Date, seconds: number) => new Date(time.getTime() + seconds * 1000)
const pick = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)] as T

test('a summary has number, volume and success rate by kind, asset and status, and the period before', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  await record(service.runtime, { organisationId }, [
    // The last moment of the period before, and the first of the one after.
    {
      kind: 'swap',
      status: 'completed',
      amount: '5 USDC',
      createdAt: at('2026-02-28', '23:59:59.999Z'),
      at: after(at('2026-02-28', '23:59:59.999Z'), 123.9),
    },
    { kind: 'swap', status: 'completed', amount: '500 USDC', createdAt: at('2026-04-01', '00:00:00.000Z') },
    { kind: 'swap', status: 'completed', amount: '500 USDC', createdAt: at('2026-01-28', '23:59:59.999Z') },
    {
      kind: 'swap',
      status: 'completed',
      amount: '0.1 USDC',
      createdAt: at('2026-03-01', '00:00:00.000Z'),
      at: after(at('2026-03-01', '00:00:00.000Z'), 5),
    },
    {
      kind: 'swap',
      status: 'completed',
      amount: '0.2 USDC',
      createdAt: at('2026-03-31', '23:59:59.999Z'),
      at: after(at('2026-03-31', '23:59:59.999Z'), 139),
    },
    { kind: 'swap', status: 'refunded', amount: '7 USDC', createdAt: at('2026-03-15') },
    { kind: 'swap', status: 'expired', amount: '1 EURC', createdAt: at('2026-03-15') },
    {
      kind: 'collection',
      status: 'paid',
      amount: '12.345678 USDC',
      createdAt: at('2026-03-15'),
      at: after(at('2026-03-15'), 61.9),
    },
  ])
  await record(service.runtime, { organisationId, environment: 'live' }, [{ createdAt: at('2026-03-15') }])
  expect(await caller(organisationId).summary({ from: '2026-03-01', to: '2026-03-31' })).toEqual({
    timeZone: 'UTC',
    from: '2026-03-01',
    to: '2026-03-31',
    count: 5,
    succeededCount: 3,
    failedCount: 1,
    successRate: '3/4',
    medianSecondsToSettle: 61,
    settlements: [
      { kind: 'collection', count: 1, medianSecondsToSettle: 61 },
      { kind: 'swap', count: 2, medianSecondsToSettle: 5 },
    ],
    fees: [],
    totals: [
      {
        ...{ kind: 'collection', asset: 'USDC', count: 1, succeededCount: 1, failedCount: 0, successRate: '1/1' },
        ...{ amount: '12.345678', succeededAmount: '12.345678' },
      },
      {
        ...{ kind: 'swap', asset: 'EURC', count: 1, succeededCount: 0, failedCount: 0, successRate: null },
        ...{ amount: '1', succeededAmount: '0' },
      },
      {
        ...{ kind: 'swap', asset: 'USDC', count: 3, succeededCount: 2, failedCount: 1, successRate: '2/3' },
        ...{ amount: '7.3', succeededAmount: '0.3' },
      },
    ],
    items: [
      { kind: 'collection', asset: 'USDC', status: 'paid', count: 1, amount: '12.345678' },
      { kind: 'swap', asset: 'EURC', status: 'expired', count: 1, amount: '1' },
      { kind: 'swap', asset: 'USDC', status: 'completed', count: 2, amount: '0.3' },
      { kind: 'swap', asset: 'USDC', status: 'refunded', count: 1, amount: '7' },
    ],
    previous: {
      ...{ from: '2026-01-29', to: '2026-02-28', count: 1, succeededCount: 1, failedCount: 0, successRate: '1/1' },
      ...{
        medianSecondsToSettle: 120,
        settlements: [{ kind: 'swap', count: 1, medianSecondsToSettle: 120 }],
        fees: [],
      },
      totals: [
        {
          ...{ kind: 'swap', asset: 'USDC', count: 1, succeededCount: 1, failedCount: 0, successRate: '1/1' },
          ...{ amount: '5', succeededAmount: '5' },
        },
      ],
      items: [{ kind: 'swap', asset: 'USDC', status: 'completed', count: 1, amount: '5' }],
    },
  })
})

test('the days of thousands of transactions that were created and changed are what adding them up one by one gives', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const known = new Map<string, Required<Omit<Recorded, 'at'>>>()
  const SUCCESS: Record<string, string> = { swap: 'completed', collection: 'paid', offramp: 'delivered' }
  const change = (id: string): Required<Omit<Recorded, 'at'>> => {
    const kind = known.get(id)?.kind ?? pick(['swap', 'collection', 'offramp'])
    return {
      ...{ id, kind, status: pick([SUCCESS[kind] ?? '', 'failed', 'processing']) },
      amount: `${Math.floor(Math.random() * 1e9)}.${Math.floor(Math.random() * 1e6)} ${pick(['USDC', 'EURC'])}`,
      createdAt:
        known.get(id)?.createdAt ?? new Date(Date.UTC(2026, 0, 1) + Math.floor(Math.random() * 20 * 86_400_000)),
    }
  }
  for (let step = 0; step < 40; step++) {
    const again = [...new Set(Array.from({ length: known.size > 0 ? 30 : 0 }, () => pick([...known.keys()])))]
    const changes = [...Array.from({ length: 75 }, () => newId()), ...again].map(change)
    await record(service.runtime, { organisationId }, changes)
    for (const each of changes) known.set(each.id, each)
  }
  /** In millionths. */
  const sum = (of: readonly Required<Omit<Recorded, 'at'>>[]) => {
    const units = of.reduce((total, { amount }) => {
      const [whole = '', fraction = ''] = (amount.split(' ')[0] ?? '').split('.')
      return total + BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'))
    }, 0n)
    return `${units / 1_000_000n}.${`${units % 1_000_000n}`.padStart(6, '0')}`.replace(/\.?0+$/, '')
  }
  for (const timeZone of ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Kiritimati']) {
    const expected = Map.groupBy(
      [...known.values()].filter(({ createdAt }) => dayIn(timeZone, createdAt) >= '2026-01-03'),
      ({ createdAt, kind, amount }) => `${dayIn(timeZone, createdAt)} ${kind} ${amount.split(' ')[1]}`,
    )
    const { days } = await caller(organisationId).daily({ from: '2026-01-03', to: '2026-01-31', timeZone })
    expect(days.map(({ date, kind, asset }) => `${date} ${kind} ${asset}`)).toEqual([...expected.keys()].toSorted())
    for (const { date, kind, asset, ...numbers } of days) {
      const of = expected.get(`${date} ${kind} ${asset}`) ?? []
      const succeeded = of.filter(({ status }) => status === SUCCESS[kind])
      const failed = of.filter(({ status }) => status === 'failed').length
      const ended = succeeded.length + failed
      expect(numbers, `${timeZone} ${date} ${kind} ${asset}`).toEqual({
        count: of.length,
        succeededCount: succeeded.length,
        failedCount: failed,
        successRate: ended > 0 ? `${succeeded.length}/${ended}` : null,
        amount: sum(of),
        succeededAmount: succeeded.length > 0 ? sum(succeeded) : '0',
      })
    }
    const period = { from: '2026-01-08', to: '2026-01-12', timeZone }
    const count = (from: string, to: string) =>
      [...known.values()].filter(
        ({ createdAt }) => dayIn(timeZone, createdAt) >= from && dayIn(timeZone, createdAt) <= to,
      ).length
    const summary = await caller(organisationId).summary(period)
    expect([summary.timeZone, summary.count]).toEqual([timeZone, count('2026-01-08', '2026-01-12')])
    expect([summary.previous.from, summary.previous.count]).toEqual(['2026-01-03', count('2026-01-03', '2026-01-07')])
  }
})

test('the median time to settle of any period is that of all transactions one by one, however often each changed afterwards', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const SUCCESS: Record<string, string> = { swap: 'completed', collection: 'paid', offramp: 'delivered' }
  const first = Date.UTC(2025, 9, 20)
  /** Whole seconds, above 99 with two digits that are not zero. */
  const rounded = (milliseconds: number) => {
    const seconds = Math.floor(milliseconds / 1000)
    const unit = 10 ** Math.max(0, `${seconds}`.length - 2)
    return Math.floor(seconds / unit) * unit
  }
  const known: { kind: string; createdAt: Date; seconds: number }[] = []
  for (let step = 0; step < 20; step++) {
    const batch = Array.from({ length: 60 }, () => {
      const createdAt = new Date(first + Math.floor(Math.random() * 130 * 86_400_000))
      const milliseconds = Math.floor(10 ** (Math.random() * 9))
      return { id: newId(), kind: pick(Object.keys(SUCCESS)), createdAt, milliseconds }
    })
    const changes = (status: (kind: string) => string, late: number): Recorded[] =>
      batch.map(({ milliseconds, ...each }) => ({
        ...{ ...each, status: status(each.kind), amount: pick(['1 USDC', '2 EURC']) },
        at: after(each.createdAt, milliseconds / 1000 + late),
      }))
    await record(
      service.runtime,
      { organisationId },
      changes(() => 'processing', -1),
    )
    await record(
      service.runtime,
      { organisationId },
      changes((kind) => SUCCESS[kind] as string, 0),
    )
    // What happens afterwards, another receipt or a late return, does not change when it first succeeded.
    await record(
      service.runtime,
      { organisationId },
      changes((kind) => pick([SUCCESS[kind] as string, 'failed']), 5000),
    )
    known.push(
      ...batch.map(({ kind, createdAt, milliseconds }) => ({ kind, createdAt, seconds: rounded(milliseconds) })),
    )
  }
  const median = (of: readonly { seconds: number }[]) =>
    of.map(({ seconds }) => seconds).toSorted((one, other) => one - other)[Math.ceil(of.length / 2) - 1] ?? null
  const expected = ({ from, to }: { from: string; to: string }) => {
    const own = known.filter(
      ({ createdAt }) => createdAt >= at(from, '00:00:00Z') && createdAt <= at(to, '23:59:59.999Z'),
    )
    const kinds = Object.keys(SUCCESS).toSorted()
    return {
      medianSecondsToSettle: median(own),
      settlements: kinds.flatMap((kind) => {
        const of = own.filter((each) => each.kind === kind)
        return of.length > 0 ? [{ kind, count: of.length, medianSecondsToSettle: median(of) }] : []
      }),
    }
  }
  // Within a month, whole months, from the middle of one to that of another, and a year.
  for (const period of [
    { from: '2025-11-05', to: '2025-11-20' },
    { from: '2025-11-01', to: '2025-11-30' },
    { from: '2025-12-01', to: '2026-01-31' },
    { from: '2025-10-25', to: '2026-02-10' },
    { from: '2025-11-30', to: '2025-12-01' },
    { from: '2026-01-31', to: '2026-01-31' },
    { from: '2025-03-01', to: '2026-02-28' },
    { from: '2024-03-01', to: '2024-03-31' },
  ]) {
    const { previous, ...current } = await caller(organisationId).summary(period)
    for (const { from, to, medianSecondsToSettle, settlements } of [current, previous])
      expect({ medianSecondsToSettle, settlements }, `${from} to ${to}`).toEqual(expected({ from, to }))
  }
  expect(await sumProblems(service.runtime.pool, settlementDays)).toEqual([])
})

test('fees are those of the journal by asset, kind and day, less what was reversed', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const { do: book } = bookOf(service.runtime, organisationId)
  const charge = (type: string, asset: 'USDC' | 'cNGN', fee: bigint) => ({
    source: { type, id: newId() },
    step: 'charged',
    postings: [
      { account: { purpose: 'external' as const, asset }, amount: -fee },
      { account: { purpose: 'fees' as const, asset }, amount: fee },
    ],
  })
  const returned = charge('offramp', 'USDC', 125_000n)
  for (const draft of [
    charge('offramp', 'USDC', 125_000n),
    returned,
    charge('swap', 'USDC', 1n),
    charge('cngn_payin', 'cNGN', 2_500_000n),
  ])
    await book((unit) => post(unit, draft))
  await book((unit) => reverse(unit, { source: returned.source, step: 'charged' }))
  const date = new Date().toISOString().slice(0, 10)
  const { fees, previous } = await caller(organisationId).summary({})
  expect(fees).toEqual([
    {
      ...{ asset: 'USDC', amount: '0.125001' },
      kinds: [
        { kind: 'offramp', amount: '0.125' },
        { kind: 'swap', amount: '0.000001' },
      ],
    },
    { asset: 'cNGN', amount: '2.5', kinds: [{ kind: 'cngn_payin', amount: '2.5' }] },
  ])
  expect(previous.fees).toEqual([])
  expect((await caller(organisationId).daily({})).fees).toEqual([
    { date, kind: 'cngn_payin', asset: 'cNGN', amount: '2.5' },
    { date, kind: 'offramp', asset: 'USDC', amount: '0.125' },
    { date, kind: 'swap', asset: 'USDC', amount: '0.000001' },
  ])
  expect(await sumProblems(service.runtime.pool, feeDays)).toEqual([])
})

test('a period is 30 days until today by default, at most 366, and what is wrong is said of its field', async () => {
  expect(periodOf({}, '2026-03-02')).toEqual({ from: '2026-02-01', to: '2026-03-02' })
  expect(periodOf({ to: '2024-03-01' }, '2026-03-02')).toEqual({ from: '2024-02-01', to: '2024-03-01' })
  expect(periodOf({ from: '2026-03-01' }, '2026-03-02')).toEqual({ from: '2026-03-01', to: '2026-03-02' })
  expect(before({ from: '2024-03-01', to: '2024-03-31' })).toEqual({ from: '2024-01-30', to: '2024-02-29' })
  const merchant = await newMerchant(service)
  for (const report of ['summary', 'daily']) {
    const wrong = async (parameters: string) =>
      (await merchant.call(`GET /v1/reports/${report}?${parameters}`)).body.errors
    expect((await merchant.call(`GET /v1/reports/${report}?from=2024-01-01&to=2024-12-31`)).status).toBe(200)
    expect(await wrong('from=2024-01-01&to=2025-01-01')).toEqual({
      from: 'Must be at most 365 days before 2025-01-01',
    })
    expect(await wrong('from=2024-01-02&to=2024-01-01')).toEqual({ from: 'Must be on or before 2024-01-01' })
    expect(await wrong('from=1999-12-31')).toEqual({ from: 'Must be in the years 2000 to 9998' })
    expect(await wrong('to=2026-02-30')).toEqual({ to: 'Must be an ISO 8601 date, such as 2026-01-31' })
    expect(await wrong('to=0000-01-01')).toEqual({ to: 'Must be in the years 2000 to 9998' })
    expect((await merchant.call(`GET /v1/reports/${report}?from=9998-12-01&to=9998-12-31`)).status).toBe(200)
  }
})

test('reports are in the time zone of the organisation unless a request names another, and an unknown one is refused on its field', async () => {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  await record(service.runtime, { organisationId }, [{ createdAt: at('2026-03-01', '02:00:00.000Z') }])
  await service.runtime.pool.query("update organisations set time_zone = 'America/New_York' where id = $1", [
    organisationId,
  ])
  const dates = async (query: string) => {
    const { body } = await merchant.call(`GET /v1/reports/daily?from=2026-02-28&to=2026-03-01${query}`)
    return [body.data.timeZone, ...body.data.days.map(({ date }: { date: string }) => date)]
  }
  expect(await dates('')).toEqual(['America/New_York', '2026-02-28'])
  expect(await dates('&timeZone=UTC')).toEqual(['UTC', '2026-03-01'])
  for (const path of ['summary?', 'daily?', 'statement?', 'statement/export?format=csv&'])
    for (const zone of ['Mars/Olympus', 'EAT']) {
      const { status, body } = await merchant.call(`GET /v1/reports/${path}timeZone=${zone}`)
      expect([path, zone, status, Object.keys(body.errors)]).toEqual([path, zone, 422, ['timeZone']])
    }
  const { body } = await merchant.call('GET /v1/reports/statement')
  expect(body.data).toMatchObject({ timeZone: 'America/New_York' })
})

test('sums of decimal texts are exact and have no zeros behind them', () => {
  expect(addAmounts([])).toBe('0')
  expect(addAmounts(['0.1', '0.2'])).toBe('0.3')
  expect(addAmounts(['0.5', '0.50'])).toBe('1')
  expect(addAmounts(['10', '20'])).toBe('30')
  expect(addAmounts(['9007199254740993', '0.000000000000000001'])).toBe('9007199254740993.000000000000000001')
})
