import { expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import { emitEvents, endpoint, stored } from '../test/deliveries.ts'
import { fanOutTask } from './fan-out.ts'
import { claim, type DeliveryAttempt, notMade, type Outcome, settle } from './queue.ts'

const origin = 'http://127.0.0.1:9'
const service = useService({ settings: { WEBHOOK_DEV_TARGETS: origin } })

const delivered = (delivery: DeliveryAttempt, error: string): Outcome => ({
  delivery,
  status: 'delivered',
  delay: null,
  attempt: notMade(error),
  answered: true,
  gone: false,
  fast: true,
})

test('the late result of an expired claim changes nothing, and that of the current claim is written', async () => {
  const { pool } = service.runtime
  const merchant = await newMerchant(service)
  const { id: endpointId } = await endpoint(merchant, { url: `${origin}/hooks` })
  await emitEvents(service.runtime, merchant)
  await fanOutTask.run(service.runtime)
  const [lapsed] = await claim(pool, { room: 10, impairedRoom: 10, busy: new Map() })
  expect(lapsed).toBeDefined()
  expect(await claim(pool, { room: 10, impairedRoom: 10, busy: new Map() })).toEqual([])
  await pool.query("update webhook_deliveries set due_at = now() - interval '1 s' where endpoint_id = $1", [endpointId])
  await pool.query('update webhook_queues set due_at = now() where endpoint_id = $1', [endpointId])
  const [present] = await claim(pool, { room: 10, impairedRoom: 10, busy: new Map() })
  expect([present?.id, present?.claim === lapsed?.claim]).toEqual([lapsed?.id, false])

  await settle(pool, [delivered(lapsed as DeliveryAttempt, 'late')])
  const [between] = await stored(service, 'webhook_deliveries', 'endpoint_id', endpointId)
  expect([between.status, between.attempts, between.claim]).toEqual(['pending', [], present?.claim])

  await settle(pool, [delivered(present as DeliveryAttempt, 'present')])
  const [after] = await stored(service, 'webhook_deliveries', 'endpoint_id', endpointId)
  expect([after.status, after.attempts.map(({ error }: { error: string }) => error)]).toEqual([
    'delivered',
    ['present'],
  ])
})
