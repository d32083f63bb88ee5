import { defineErrors, newId, ServiceError, system } from '@payments/kernel'
import { expect, test } from 'vitest'
import { connected, foundOrganisation, useService } from '#testing'
import { constraintOf } from '../../database/errors.ts'
import type { NewRow } from '../../database/written.ts'
import type { GatheredCall, UnitOfWork } from '../../operations/context/context.ts'
import { LastStatementEmpty, openUnit, unitOfWork } from '../unit.ts'

const service = useService()
const { rejected } = defineErrors({ rejected: { status: 409, message: 'Rejected' } })

/** A row of the table of limits, which nothing else counts in this bucket. */
const row = (bucket: string, subject: string, count: number): NewRow => ({
  into: {
    key: 'tested rows',
    text: [
      'insert into rate_limits (bucket, subject, count, ends_at) select r.bucket, r.subject, r.count, now() from json_to_recordset(',
      '::json) as r (bucket text, subject text, count int)',
    ],
  },
  json: JSON.stringify({ bucket, subject, count }),
})

/** An organisation whose units write rows of one bucket. */
async function newWorld() {
  const organisationId = await foundOrganisation(service.runtime)
  const bucket = newId()
  const context = { runtime: service.runtime, actor: system(organisationId, 'test'), log: service.runtime.log }
  return {
    bucket,
    context,
    commit: (subject: string, more: (unit: UnitOfWork) => void = () => undefined, count = 1) =>
      unitOfWork(context, async (unit) => {
        unit.appendToCommit(row(bucket, subject, count))
        more(unit)
      }),
    /** The subjects that are stored, and how many transactions stored them. */
    async stored() {
      const { rows } = await service.runtime.pool.query<{ subject: string; by: string }>(
        'select subject, xmin::text as by from rate_limits where bucket = $1 order by subject',
        [bucket],
      )
      return { subjects: rows.map(({ subject }) => subject), transactions: new Set(rows.map(({ by }) => by)).size }
    },
  }
}
const names = (count: number) => Array.from({ length: count }, (_, n) => String(n).padStart(2, '0'))
const outcomes = (settled: readonly PromiseSettledResult<unknown>[]) =>
  settled.map((each) =>
    each.status === 'fulfilled' ? 'committed' : (constraintOf(each.reason) ?? each.reason.message),
  )

test('units of one tenant that are ready together commit together, and each is there once', async () => {
  const { commit, stored } = await newWorld()
  const subjects = names(64)
  await Promise.all(subjects.map((subject) => commit(subject)))
  const now = await stored()
  expect(now.subjects).toEqual(subjects)
  expect(now.transactions).toBe(4)
})

test('a unit of another tenant, and one that writes something else, commits by itself', async () => {
  const [one, other] = [await newWorld(), await newWorld()]
  const call: GatheredCall<number> = {
    key: 'called',
    expression: () => ({ text: '1', values: [] }),
    errorOf: (error) => error,
  }
  await Promise.all([
    one.commit('a'),
    other.commit('b'),
    one.commit('c', (unit) => unit.gather(call, 1)),
    one.commit('d', (unit) =>
      unit.appendToCommit({ text: 'update organisations set name = name where false', values: [] }),
    ),
  ])
  expect([await one.stored(), await other.stored()]).toEqual([
    { subjects: ['a', 'c', 'd'], transactions: 3 },
    { subjects: ['b'], transactions: 1 },
  ])
})

test('a unit whose rows are refused has its own error, and fails nobody else', async () => {
  const { commit, stored } = await newWorld()
  await commit('01')
  const settled = await Promise.allSettled([
    ...names(5).map((subject) => commit(subject)),
    commit('05', () => undefined, 2 ** 40),
    commit('06', () => {
      throw rejected()
    }),
  ])
  expect(outcomes(settled)).toEqual([
    'committed',
    'rate_limits_pkey',
    ...Array(3).fill('committed'),
    expect.stringContaining('integer'),
    'Rejected',
  ])
  expect((await stored()).subjects).toEqual(names(5))
})

test('of units that write the same row one commits, and the others are refused', async () => {
  const { commit, stored } = await newWorld()
  const settled = await Promise.allSettled(names(6).map(() => commit('same')))
  expect(outcomes(settled).sort()).toEqual(['committed', ...Array(5).fill('rate_limits_pkey')])
  expect((await stored()).subjects).toEqual(['same'])
})

test('a unit whose last row is not written is rolled back, and those beside it commit', async () => {
  const { bucket, context, stored } = await newWorld()
  const kept = (subject: string): NewRow => {
    const { into, json } = row(bucket, subject, 1)
    const text = [into.text[0], `${into.text[1]} on conflict do nothing returning 1`] as const
    return { into: { key: 'tested last rows', text }, json }
  }
  await service.runtime.pool.query("insert into rate_limits values ($1, 'last 1', 1, now())", [bucket])
  const settled = await Promise.allSettled(
    [0, 1, 2].map((n) => {
      const unit = openUnit(context)
      unit.appendToCommit(row(bucket, `row ${n}`, 1))
      return unit.commit(kept(`last ${n}`))
    }),
  )
  expect(settled.map((each) => each.status === 'rejected' && each.reason instanceof LastStatementEmpty)).toEqual([
    false,
    true,
    false,
  ])
  expect((await stored()).subjects).toEqual(['last 0', 'last 1', 'last 2', 'row 0', 'row 2'])
})

test('what units gather for one call is in one call, and the one that makes it fail is refused alone', async () => {
  const { commit, stored } = await newWorld()
  const divided: GatheredCall<number> = {
    key: 'divided',
    expression: (by) => ({ text: '(select sum($2::int / n) from unnest($1::int[]) as n)', values: [by, 24] }),
    errorOf: (error, by) => new ServiceError('rejected', { status: 409, message: `By ${by}` }, { cause: error }),
  }
  const settled = await Promise.allSettled(
    [1, 0, 2, 3].map((by) => commit(`by ${by}`, (unit) => unit.gather(divided, by))),
  )
  expect(outcomes(settled)).toEqual(['committed', 'By 0', 'committed', 'committed'])
  expect((await stored()).subjects).toEqual(['by 1', 'by 2', 'by 3'])
})

test('a connection that is lost while units commit together leaves all of a statement or nothing of it, and no connection taken', async () => {
  const { bucket, commit, stored } = await newWorld()
  // A transaction sees the sessions of the server as they were when it first looked.
  const [owner, watching] = [await connected(service), await connected(service)]
  try {
    await owner.query('begin')
    await owner.query("insert into rate_limits values ($1, '03', 1, now())", [bucket])
    const committing = Promise.allSettled(names(8).map((subject) => commit(subject)))
    const waiting = `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into rate_limits%' and pid <> pg_backend_pid()`
    await expect.poll(async () => (await watching.query(waiting)).rowCount).toBe(1)
    await watching.query(`select pg_terminate_backend(pid, 10000) from (${waiting}) w`)
    await owner.query('rollback')
    expect((await committing).map(({ status }) => status)).toEqual(Array(8).fill('rejected'))
    expect((await stored()).subjects).toEqual([])
  } finally {
    await Promise.all([owner.end(), watching.end()])
  }
  await Promise.all(names(8).map((subject) => commit(subject)))
  expect((await stored()).subjects).toEqual(names(8))
  const { totalCount, idleCount } = service.runtime.pool
  expect(totalCount - idleCount).toBe(0)
})
