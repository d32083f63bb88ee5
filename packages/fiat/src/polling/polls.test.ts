import type { Runtime } from '@payments/platform'
import { expect, test } from 'vitest'
import { advance, foundOrganisation, fund, newMerchant, newOfframp, useService } from '#testing'
import { budget } from './limits.ts'
import { pollTask } from './polls.ts'

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

test.each([500, 2500])(
  'organisations take turns: %s due orders of one do not delay the order of another',
  async (many) => {
    const { runtime } = service
    const due = async (count: number, since: string) => {
      const organisationId = await foundOrganisation(runtime)
      await runtime.pool.query(
        `insert into fiat_polls (id, organisation_id, environment, provider, direction, next_poll_at, poll_seconds, created_at)
       select gen_random_uuid(), $1, 'live', 'paycrest', 'offramp', now() - $3::interval, 2, now() from generate_series(1, $2::int)`,
        [organisationId, count, since],
      )
      return organisationId
    }
    await runtime.pool.query('delete from fiat_polls')
    await due(many, '1 hour')
    const other = await due(1, '1 second')
    const claimed = await budget.claim(
      runtime.pool,
      { provider: 'paycrest', environment: 'live', callsPerMinute: 60_000 },
      4,
    )
    expect(claimed.map(({ organisationId }) => organisationId)).toContain(other)
  },
)
