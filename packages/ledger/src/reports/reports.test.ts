import { newId, system } from '@payments/kernel'
import { expect, test } from 'vitest'
import { foundOrganisation, newMerchant, useService } from '#testing'
import { type Recorded, record } from '../../test/record.ts'
import { addAmounts } from './amounts.ts'
import { before, periodOf } from './period.ts'

const service = useService()

const caller = (organisationId: string) => service.process.createCaller(system(organisationId, 'test')).reports
const at = (day: string, time = '12:00:00.000Z') => new Date(`${day}T${time}`)
const pick = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)] as T

test('a summary has number, volume and success rate by kind, asset and status, and the period before', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  await record(service.runtime, { organisationId }, [
    // The last moment of the period before, and the first of the one after.
    { kind: 'swap', status: 'completed', amount: '5 USDC', createdAt: at('2026-02-28', '23:59:59.999Z') },
    { kind: 'swap', status: 'completed', amount: '500 USDC', createdAt: at('2026-04-01', '00:00:00.000Z') },
    { kind: 'swap', status: 'completed', amount: '500 USDC', createdAt: at('2026-01-28', '23:59:59.999Z') },
    { kind: 'swap', status: 'completed', amount: '0.1 USDC', createdAt: at('2026-03-01', '00:00:00.000Z') },
    { kind: 'swap', status: 'completed', amount: '0.2 USDC', createdAt: at('2026-03-31', '23:59:59.999Z') },
    { kind: 'swap', status: 'refunded', amount: '7 USDC', createdAt: at('2026-03-15') },
    { kind: 'swap', status: 'expired', amount: '1 EURC', createdAt: at('2026-03-15') },
    { kind: 'collection', status: 'paid', amount: '12.345678 USDC', createdAt: at('2026-03-15') },
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
  const known = new Map<string, Required<Recorded>>()
  const change = (id: string): Required<Recorded> => ({
    id,
    kind: known.get(id)?.kind ?? pick(['swap', 'collection', 'offramp']),
    status: pick(['completed', 'paid', 'delivered', 'failed', 'processing']),
    amount: `${Math.floor(Math.random() * 1e9)}.${Math.floor(Math.random() * 1e6)} ${pick(['USDC', 'EURC'])}`,
    createdAt: known.get(id)?.createdAt ?? new Date(Date.UTC(2026, 0, 1) + Math.floor(Math.random() * 20 * 86_400_000)),
  })
  for (let step = 0; step < 40; step++) {
    const again = [...new Set(Array.from({ length: known.size > 0 ? 30 : 0 }, () => pick([...known.keys()])))]
    const changes = [...Array.from({ length: 75 }, () => newId()), ...again].map(change)
    await record(service.runtime, { organisationId }, changes)
    for (const each of changes) known.set(each.id, each)
  }
  const SUCCESS: Record<string, string> = { swap: 'completed', collection: 'paid', offramp: 'delivered' }
  const expected = Map.groupBy(
    [...known.values()].filter(({ createdAt }) => createdAt >= at('2026-01-03', '00:00:00Z')),
    ({ createdAt, kind, amount }) => `${createdAt.toISOString().slice(0, 10)} ${kind} ${amount.split(' ')[1]}`,
  )
  /** In millionths. */
  const sum = (of: readonly Required<Recorded>[]) => {
    const units = of.reduce((total, { amount }) => {
      const [whole = '', fraction = ''] = (amount.split(' ')[0] ?? '').split('.')
      return total + BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'))
    }, 0n)
    return `${units / 1_000_000n}.${`${units % 1_000_000n}`.padStart(6, '0')}`.replace(/\.?0+$/, '')
  }
  const { days } = await caller(organisationId).daily({ from: '2026-01-03', to: '2026-01-31' })
  expect(days.map(({ date, kind, asset }) => `${date} ${kind} ${asset}`)).toEqual([...expected.keys()].toSorted())
  for (const { date, kind, asset, ...numbers } of days) {
    const of = expected.get(`${date} ${kind} ${asset}`) ?? []
    const succeeded = of.filter(({ status }) => status === SUCCESS[kind])
    const failed = of.filter(({ status }) => status === 'failed').length
    const ended = succeeded.length + failed
    expect(numbers, `${date} ${kind} ${asset}`).toEqual({
      count: of.length,
      succeededCount: succeeded.length,
      failedCount: failed,
      successRate: ended > 0 ? `${succeeded.length}/${ended}` : null,
      amount: sum(of),
      succeededAmount: succeeded.length > 0 ? sum(succeeded) : '0',
    })
  }
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
    expect(await wrong('from=1999-12-31')).toEqual({ from: 'Must be 2000-01-01 or later' })
    expect(await wrong('to=2026-02-30')).toEqual({ to: 'Must be an ISO 8601 date, such as 2026-01-31' })
    expect(await wrong('to=0000-01-01')).toEqual({ to: 'Must be 2000-01-01 or later' })
    expect((await merchant.call(`GET /v1/reports/${report}?from=9999-12-01&to=9999-12-31`)).status).toBe(200)
  }
})

test('sums of decimal texts are exact and have no zeros behind them', () => {
  expect(addAmounts([])).toBe('0')
  expect(addAmounts(['0.1', '0.2'])).toBe('0.3')
  expect(addAmounts(['0.5', '0.50'])).toBe('1')
  expect(addAmounts(['10', '20'])).toBe('30')
  expect(addAmounts(['9007199254740993', '0.000000000000000001'])).toBe('9007199254740993.000000000000000001')
})
