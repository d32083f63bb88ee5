import { system } from '@payments/kernel'
import { queryContext, recordFailure, unitOfWork } from '@payments/platform'
import { expect, test } from 'vitest'
import { connected, newMerchant, newRoute, useService } from '#testing'
import { poll } from './deposits.ts'

const service = useService()

test('a poll that tells what is stored already waits for nothing that holds the route, and settles what contradicted it', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newRoute(merchant)
  const { organisationId } = merchant
  const pollIt = () => poll(service.runtime, { id, organisationId, environment: 'test' })
  await merchant.call(`POST /v1/sandbox/payment-routes/${id}/deposits`, { body: { amount: '5' } })
  expect(await pollIt()).toEqual({ synced: 1, created: 1, updated: 0 })
  const owner = await connected(service)
  const known = { synced: 1, created: 0, updated: 0 }
  try {
    await owner.query('begin')
    await owner.query('select from payment_routes where id = $1 for no key update', [id])
    expect(await pollIt()).toEqual(known)
    await owner.query('rollback')
    await unitOfWork(queryContext(service.runtime, system(organisationId, 'test')), async (unit) =>
      recordFailure(
        unit,
        { organisationId, environment: 'test', provider: 'sandbox', resourceType: 'payment_route', resourceId: id },
        new Error('not applied'),
      ),
    )
    expect(await pollIt()).toEqual(known)
    const { rows } = await owner.query(
      'select settled_at is not null as settled from provider_reports where resource_id = $1',
      [id],
    )
    expect(rows).toEqual([{ settled: true }])
  } finally {
    await owner.end()
  }
})
