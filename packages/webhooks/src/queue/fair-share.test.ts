import { expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import { emitEvents } from '../../test/deliveries.ts'
import { manyEndpoints } from '../../test/endpoints.ts'
import { fanOutTask } from '../events/fan-out.ts'
import type { Busy } from './fair-share.ts'
import { claim, type DeliveryAttempt } from './queue.ts'

const service = useService()
const url = 'https://merchant.example/hooks'

/** A process of 400 slots whose attempts never end. */
function worker() {
  const inFlight: DeliveryAttempt[] = []
  const busy = new Map<string, Busy>()
  const claimOnce = async (): Promise<readonly DeliveryAttempt[]> => {
    const room = 400 - inFlight.length
    const claimed = await claim(service.runtime.pool, { room, impairedRoom: 200, busy })
    inFlight.push(...claimed)
    for (const { organisationId } of claimed)
      busy.set(organisationId, { all: (busy.get(organisationId)?.all ?? 0) + 1, impaired: 0 })
    return claimed
  }
  return { claimOnce, inFlight }
}

test('the first delivery of an organisation is claimed by the next claim, whatever others have in flight and queued', async () => {
  const { claimOnce, inFlight } = worker()
  const hogs = await Promise.all(Array.from({ length: 3 }, () => newMerchant(service)))
  for (const hog of hogs) {
    await manyEndpoints(service, hog, 300, url)
    await emitEvents(service.runtime, hog, 2)
  }
  while (await fanOutTask.run(service.runtime));
  while ((await claimOnce()).length > 0);
  const held = hogs.map(
    ({ organisationId }) => inFlight.filter((each) => each.organisationId === organisationId).length,
  )
  expect(Math.max(...held)).toBeLessThanOrEqual(200)
  expect(held.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(280)

  for (let n = 0; n < 3; n++) {
    const other = await newMerchant(service)
    await manyEndpoints(service, other, 1, url)
    await emitEvents(service.runtime, other)
    while (await fanOutTask.run(service.runtime));
    const claimed = await claimOnce()
    expect(claimed.map(({ organisationId }) => organisationId)).toContain(other.organisationId)
  }
})
