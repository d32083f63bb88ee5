import { Client } from 'pg'
import { expect, test } from 'vitest'
import { launchArtefact, newMerchant, newRoute, newSwap, pay } from '#testing'
import { recordProblems } from './records.ts'
import { referenceProblems } from './references.ts'

/** The findings after one change of the data that no trigger or constraint prevents. */
async function findingsAfter(statement: string): Promise<string> {
  const service = await launchArtefact()
  const owner = new Client({ connectionString: service.database.ownerUrl })
  await owner.connect()
  try {
    const merchant = await newMerchant(service)
    const route = await newRoute(merchant)
    await pay(merchant, route.id, '5')
    await merchant.call(`POST /v1/payment-routes/${route.id}/deposits/sync`)
    await newSwap(merchant)
    await owner.query('set session_replication_role = replica')
    const { rowCount } = await owner.query(statement)
    expect(rowCount).not.toBe(0)
    const [records, references] = [await recordProblems(service.runtime), await referenceProblems(service.runtime)]
    return [...records.problems, ...references.problems].join('; ')
  } finally {
    await owner.end()
    await service.stop()
  }
}

test.each([
  ['nothing where every record is whole', 'select', /^$/],
  ['an object whose creation has no event', "delete from events where type = 'swap.created'", /swap \S+ has no event/],
  [
    'an object whose status no event announced',
    "update payment_routes set status = 'paused'",
    /is paused, its last event says active/,
  ],
  ['an object that the list of transactions lacks', 'delete from transactions', /is not in the list of transactions/],
  [
    'an object that the list shows with another status',
    "update transactions set status = 'unknown'",
    /the list says unknown/,
  ],
  [
    'a reference to an object that does not exist',
    'update payment_route_deposits set customer_id = gen_random_uuid()',
    /payment_route_deposits.customer_id names \S+, which is not in customers/,
  ],
  [
    'a column of references that nothing holds',
    'alter table swaps add column invoice_id uuid',
    /swaps.invoice_id names an object without a foreign key/,
  ],
])('the check after generated requests finds %s', async (_what, statement, finding) => {
  expect(await findingsAfter(statement)).toMatch(finding)
})
