import { afterAll, expect, test } from 'vitest'
import { type Merchant, newMerchant, startNameServer, useService } from '#testing'
import { recheckDomains } from './verification.ts'

const names = await startNameServer()
afterAll(() => names.close())
const service = useService({ settings: { DNS_SERVERS: names.address } })

let made = 0
async function verified() {
  const merchant = await newMerchant(service)
  const websiteUrl = `https://shop-${++made}.merchant.example`
  const { domainRecord } = (await merchant.call('PATCH /v1/branding', { body: { websiteUrl } })).body.data
  names.records.set(domainRecord.name, domainRecord.value)
  expect((await merchant.call('POST /v1/branding/verify-domain')).status).toBe(200)
  return { merchant, record: domainRecord as { name: string; value: string } }
}
const isVerified = async (merchant: Merchant) => (await merchant.call('GET /v1/branding')).body.data.domainVerified
const titles = async (merchant: Merchant) =>
  (await merchant.call('GET /v1/notifications')).body.data.notifications.map(({ title }: { title: string }) => title)
const look = () => recheckDomains.run(service.runtime, {}, new AbortController().signal)
/** Everything that is stored as a time of a look is so many days earlier. */
const later = (merchant: Merchant, days: number) =>
  service.runtime.pool.query(
    `update brandings set verified_at = verified_at - make_interval(days => $2), recheck_at = recheck_at - make_interval(days => $2),
       missed_at = missed_at - make_interval(days => $2) where organisation_id = $1`,
    [merchant.organisationId, days],
  )

test('a domain stays verified while its record is there, and is looked at once a week', async () => {
  const { merchant, record } = await verified()
  names.records.delete(record.name)
  await later(merchant, 6)
  await look()
  expect([await isVerified(merchant), await titles(merchant)]).toEqual([true, []])
  names.records.set(record.name, record.value)
  await later(merchant, 1)
  await look()
  names.records.delete(record.name)
  await later(merchant, 6)
  await look()
  expect([await isVerified(merchant), await titles(merchant)]).toEqual([true, []])
})

test('a domain whose record is gone twice in a row, a day apart, is no longer verified, and the merchant is told both times', async () => {
  const { merchant, record } = await verified()
  const domain = record.name.replace('_payments-verification.', '')
  names.records.set(record.name, 'payments-verification=of-the-next-owner')
  await later(merchant, 7)
  await look()
  await look()
  const missing = `The DNS record of ${domain} is missing`
  expect([await isVerified(merchant), await titles(merchant)]).toEqual([true, [missing]])
  await later(merchant, 1)
  await Promise.all([look(), look()])
  expect([await isVerified(merchant), await titles(merchant)]).toEqual([
    false,
    [`${domain} is no longer verified`, missing],
  ])
  await later(merchant, 30)
  await look()
  expect((await titles(merchant)).length).toBe(2)
  names.records.set(record.name, record.value)
  expect((await merchant.call('POST /v1/branding/verify-domain')).status).toBe(200)
})

test('a record that is back at the second look, and name servers that do not answer, end nothing', async () => {
  const { merchant, record } = await verified()
  names.failing.add(record.name)
  for (const days of [7, 1, 1, 1]) {
    await later(merchant, days)
    await look()
  }
  expect([await isVerified(merchant), await titles(merchant)]).toEqual([true, []])
  names.failing.delete(record.name)
  names.records.delete(record.name)
  await later(merchant, 1)
  await look()
  names.records.set(record.name, record.value)
  await later(merchant, 1)
  await look()
  names.records.delete(record.name)
  await later(merchant, 7)
  await look()
  expect(await isVerified(merchant)).toBe(true)
  expect((await titles(merchant)).length).toBe(2)
})

test('another site begins anew: what was missing of the domain before does not count against it', async () => {
  const { merchant, record } = await verified()
  names.records.delete(record.name)
  await later(merchant, 7)
  await look()
  const { domainRecord } = (
    await merchant.call('PATCH /v1/branding', { body: { websiteUrl: `https://other-${made}.merchant.example` } })
  ).body.data
  names.records.set(domainRecord.name, domainRecord.value)
  expect((await merchant.call('POST /v1/branding/verify-domain')).status).toBe(200)
  names.records.delete(domainRecord.name)
  await later(merchant, 7)
  await look()
  expect(await isVerified(merchant)).toBe(true)
})
