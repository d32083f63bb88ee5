import { newId, system } from '@payments/kernel'
import { beforeAll, expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import type { UnitOfWork } from '../operations/context/context.ts'
import { unitOfWork } from '../transactions/unit.ts'
import {
  contradictions,
  type ObjectReport,
  recordContradiction,
  recordReport,
  reportedAmountsSql,
  reportTimeline,
  settleContradictions,
} from './reports.ts'

const service = useService()
let organisationId = ''
beforeAll(async () => {
  organisationId = (await newMerchant(service)).organisationId
})

const run = (handler: (unit: UnitOfWork) => Promise<void>) =>
  unitOfWork({ runtime: service.runtime, actor: system(organisationId, 'test'), log: service.runtime.log }, handler)
const about = (resourceId: string, status: string, received: bigint): ObjectReport => ({
  organisationId,
  environment: 'test',
  resourceType: 'offramp',
  resourceId,
  provider: 'paycrest',
  report: { status, received },
  amounts: { received: { asset: 'USDC', amount: received } },
})
const listed = async (id: string) =>
  (await service.runtime.pool.query(`select reason from (${contradictions.sql}) as c where id = $1`, [id])).rows
const entriesOf = async (id: string, forOperators = true) =>
  (
    await reportTimeline(
      service.runtime.pool,
      { organisationId, environment: 'test', ids: [id], limit: 10, forOperators },
      service.runtime,
    )
  ).entries.map(({ summary, details }) => [summary, details.times])

test('the last applied report is the evidence of an object, exact to the unit', async () => {
  const id = newId()
  await run(async (unit) => recordReport(unit, about(id, 'received', 1n)))
  await run(async (unit) => recordReport(unit, about(id, 'delivered', 123456789012345678901234567890n)))
  const { rows } = await service.runtime.pool.query(
    `select ${reportedAmountsSql('o')} as amounts from (select $1::uuid as organisation_id, 'test' as environment, $2::uuid as id) o`,
    [organisationId, id],
  )
  expect(rows).toEqual([{ amounts: { received: { asset: 'USDC', amount: '123456789012345678901234567890' } } }])
  expect(await entriesOf(id)).toEqual([['Last report of paycrest', 2]])
  expect(await listed(id)).toEqual([])
})

test('a report that no path reaches is kept once, counted, and listed until it is settled', async () => {
  const id = newId()
  const reason = 'Reported as delivered after it had failed'
  const contradict = () => run(async (unit) => recordContradiction(unit, { ...about(id, 'delivered', 5n), reason }))
  await contradict()
  await contradict()
  expect(await entriesOf(id)).toEqual([[reason, 2]])
  expect(await entriesOf(id, false)).toEqual([])
  expect(await listed(id)).toEqual([{ reason }])
  await run(async (unit) => settleContradictions(unit, { organisationId, environment: 'test', id }))
  expect(await listed(id)).toEqual([])
  await contradict()
  expect(await listed(id)).toEqual([])
  await run(async (unit) => recordContradiction(unit, { ...about(id, 'refunded', 5n), reason: 'Reported as refunded' }))
  expect(await listed(id)).toEqual([{ reason: 'Reported as refunded' }])
})

test('a report whose transaction is rolled back leaves nothing', async () => {
  const id = newId()
  await expect(
    run(async (unit) => {
      recordContradiction(unit, { ...about(id, 'delivered', 5n), reason: 'Reported as delivered' })
      throw new Error('crash')
    }),
  ).rejects.toThrow('crash')
  expect(await entriesOf(id)).toEqual([])
})
