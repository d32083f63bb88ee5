import type { Runtime } from '@payments/platform'
import { expect, test } from 'vitest'
import { advance, fund, newMerchant, newOfframp, useService } from '#testing'
import { pollTask } from './poller.ts'

const service = useService()
const ORDERS = 30

test('a backlog of due orders is worked off by one run of the task: polls that complete claim the next ones', async () => {
  const merchant = await newMerchant(service)
  for (let order = 0; order < ORDERS; order++) {
    const { id } = await newOfframp(merchant)
    await fund(merchant, 'offramp', id)
  }
  await advance(merchant, 10)
  // No interval runs the task again, only what it triggers itself.
  const runtime: Runtime = {
    ...service.runtime,
    trigger: (task) => void (task === pollTask.name && pollTask.run(runtime)),
  }
  await pollTask.run(runtime)
  const delivered = async () =>
    (await service.runtime.pool.query("select 1 from offramps where status = 'delivered'")).rows.length
  await expect.poll(delivered, { timeout: 25_000 }).toBe(ORDERS)
  await pollTask.stop?.(runtime)
})
