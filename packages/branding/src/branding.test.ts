import { loadSettings } from '@payments/platform'
import { PNG } from 'pngjs'
import { afterAll, expect, test } from 'vitest'
import { call, type Merchant, newCollection, newMerchant, payPageOf, startNameServer, useService } from '#testing'
import { pngOf } from '../test/images.ts'
import { brandingSettings } from './settings.ts'

const names = await startNameServer()
afterAll(() => names.close())
const service = useService({ settings: { DNS_SERVERS: names.address } })

const png = pngOf(64)
const upload = (merchant: Merchant, file: Buffer) =>
  merchant.call('PUT /v1/branding/logo', { body: { image: file.toString('base64') } })

test('what was not chosen is null, a change keeps the rest, and null goes back to the default', async () => {
  const merchant = await newMerchant(service)
  const change = async (body: object) => (await merchant.call('PATCH /v1/branding', { body })).body.data
  const first = (await merchant.call('GET /v1/branding')).body.data
  expect(new Set(Object.entries(first).flatMap(([name, value]) => (name === 'domainVerified' ? [] : [value])))).toEqual(
    new Set([null]),
  )
  expect(await change({ accentColor: '#0F766E', displayName: 'Ada' })).toMatchObject({ accentColor: '#0f766e' })
  expect(await change({ displayName: null })).toMatchObject({ accentColor: '#0f766e', displayName: null })
  const other = await newMerchant(service)
  expect((await other.call('GET /v1/branding')).body.data.accentColor).toBeNull()
})

test.each([
  [{ accentColor: 'blue' }, 'accentColor'],
  [{ supportUrl: 'http://merchant.example' }, 'supportUrl'],
  [{ termsUrl: 'javascript:alert(1)' }, 'termsUrl'],
  [{ websiteUrl: 'https://ada:secret@merchant.example' }, 'websiteUrl'],
  [{ displayName: 'a\u202eb' }, 'displayName'],
  [{ supportEmail: 'nobody' }, 'supportEmail'],
  [{ country: 'Nigeria' }, 'country'],
  [{ logoId: 'ab'.repeat(32) }, 'logoId'],
  [{ logo: 'x' }, 'logo'],
])('branding %j is refused on its field', async (body, field) => {
  const refused = await (await newMerchant(service)).call('PATCH /v1/branding', { body })
  expect([refused.status, Object.keys(refused.body.errors ?? {})]).toEqual([422, [field]])
})

test('a collection shows the branding of its organisation, with what it overrides', async () => {
  const merchant = await newMerchant(service)
  await merchant.call('PATCH /v1/branding', { body: { displayName: 'Ada’s workshop', legalName: 'Ada Ltd' } })
  const { id } = await newCollection(merchant, { branding: { displayName: 'Market', colorScheme: 'dark' } })
  const page = await payPageOf(service, id)
  expect([page.merchant.name, page.branding.legalName, page.branding.colorScheme]).toEqual([
    'Market',
    'Ada Ltd',
    'dark',
  ])
  await merchant.call(`PATCH /v1/collections/${id}`, { body: { branding: { displayName: null } } })
  expect((await payPageOf(service, id)).merchant.name).toBe('Ada’s workshop')
  const refused = await merchant.call(`PATCH /v1/collections/${id}`, {
    body: { branding: { logoId: 'cd'.repeat(32) } },
  })
  expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['branding.logoId']])
})

test('a logo is served as an image that can do nothing, under an address that never changes', async () => {
  const merchant = await newMerchant(service)
  const { logoId, logoUrl } = (await upload(merchant, png)).body.data
  expect(new URL(logoUrl).pathname).toBe(`/branding/logos/${logoId}`)
  const reply = await fetch(`${service.url}/branding/logos/${logoId}`)
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })
  expect(PNG.sync.read(Buffer.from(await reply.arrayBuffer())).width).toBe(64)
  const { id } = await newCollection(merchant)
  const { text } = await call(service, `GET /pay/${id}`)
  expect(text).toContain(`<link rel="icon" href="/branding/logos/${logoId}">`)
  expect(text).toContain(`<meta property="og:image" content="${logoUrl}">`)
  await merchant.call('DELETE /v1/branding/logo')
  expect((await call(service, `GET /pay/${id}`)).text).not.toContain(logoId)
  expect((await call(service, `GET /branding/logos/${'0'.repeat(64)}`)).status).toBe(404)
})

test('a domain is verified while the site is the one whose DNS record was found', async () => {
  const merchant = await newMerchant(service)
  const verify = () => merchant.call('POST /v1/branding/verify-domain')
  expect((await verify()).body.message).toBe('Branding has no websiteUrl whose domain could be verified')
  const { domainRecord } = (
    await merchant.call('PATCH /v1/branding', { body: { websiteUrl: 'https://shop.merchant.example/start' } })
  ).body.data
  expect(domainRecord.name).toBe('_payments-verification.shop.merchant.example')
  expect((await verify()).body.message).toBe('The domain does not carry the DNS record yet')
  names.records.set(domainRecord.name, 'payments-verification=of-another')
  expect((await verify()).status).toBe(409)
  names.records.set(domainRecord.name, domainRecord.value)
  expect((await verify()).body.data).toMatchObject({ domainVerified: true })
  const { id } = await newCollection(merchant)
  const other = await newCollection(merchant, { branding: { websiteUrl: 'https://merchant.example' } })
  expect((await payPageOf(service, id)).branding.verifiedDomain).toBe('shop.merchant.example')
  expect((await payPageOf(service, other.id)).branding.verifiedDomain).toBeNull()
  const moved = await merchant.call('PATCH /v1/branding', { body: { websiteUrl: 'https://bank.example' } })
  expect(moved.body.data.domainVerified).toBe(false)
})

test('name servers that are no addresses are refused by the name of the setting', () => {
  const load = (DNS_SERVERS: string) => () => loadSettings({ NODE_ENV: 'test', DNS_SERVERS }, [brandingSettings])
  for (const value of ['resolver', '127.0.0.1:no'])
    expect(load(value)).toThrow('DNS_SERVERS: must be IP addresses, with an optional port')
  expect(brandingSettings.from(load('127.0.0.1, [::1]:5353')()).DNS_SERVERS).toEqual(['127.0.0.1', '[::1]:5353'])
})
