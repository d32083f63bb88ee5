import { expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import { emitEvents } from '../test/deliveries.ts'
import { manyEndpoints } from '../test/endpoints.ts'
import { type Busy, share } from './fair-share.ts'
import { fanOutTask } from './fan-out.ts'
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
