import type { Runtime } from '@payments/platform'
import { expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import { emitEvents, endpoint, receiverPool } from '../../test/deliveries.ts'
import { fanOutTask } from '../events/fan-out.ts'
import { deliverTask } from './dispatcher.ts'

const receivers = await receiverPool()
// No worker: nothing but the test's own dispatcher delivers.
const service = useService({ settings: { WEBHOOK_DEV_TARGETS: receivers.devTargets } })

/** The service with a pool that counts the connections which are taken at the same time. */
function counted(): { runtime: Runtime; most: () => number } {
  let open = 0
  let most = 0
  const connect = async () => {
    const client = await service.runtime.pool.connect()
    most = Math.max(most, ++open)
    const release = client.release.bind(client)
    client.release = (error) => {
      open--
      client.release = release
      release(error)
    }
    return client
  }
  const pool = new Proxy(service.runtime.pool, {
    get: (target, name) => (name === 'connect' ? connect : Reflect.get(target, name)),
  })
  return { runtime: { ...service.runtime, pool }, most: () => most }
}

test('a process claims and writes results in turn, so neither leaves out a queue for the other, and all is delivered once', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receivers.start()
  for (let n = 0; n < 3; n++) await endpoint(merchant, { url: receiver.url })
  await emitEvents(service.runtime, merchant, 60)
  while (await fanOutTask.run(service.runtime));
  const { runtime, most } = counted()
  await deliverTask.run(runtime)
  await receiver.until((received) => received.length === 180)
  await deliverTask.stop?.(runtime)
  expect(most()).toBe(1)
  const { rows } = await service.runtime.pool.query(
    `select status, count(*)::int as deliveries, max(jsonb_array_length(attempts)) as attempts
       from webhook_deliveries where organisation_id = $1 group by 1`,
    [merchant.organisationId],
  )
  expect(rows).toEqual([{ status: 'delivered', deliveries: 180, attempts: 1 }])
})
