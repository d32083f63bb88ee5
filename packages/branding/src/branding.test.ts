import { crc32 } from 'node:zlib'
import { loadSettings } from '@payments/platform'
import jpeg from 'jpeg-js'
import { PNG } from 'pngjs'
import { afterAll, expect, test } from 'vitest'
import { call, type Merchant, newCollection, newMerchant, payPageOf, startNameServer, useService } from '#testing'
import { readLogo } from './logo.ts'
import { brandingSettings } from './settings.ts'

const names = await startNameServer()
afterAll(() => names.close())
const service = useService({ settings: { DNS_SERVERS: names.address } })

function picture(width: number, height = width) {
  const png = new PNG({ width, height })
  for (let at = 0; at < png.data.length; at++) png.data[at] = at % 4 === 3 ? 255 : (at * 7) % 256
  return png
}
const png = PNG.sync.write(picture(64))
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

test('only the pixels of an image are kept: what else was in the file is gone', () => {
  const script = Buffer.from('<script>alert(1)</script>')
  expect(readLogo(Buffer.concat([png, script]))).toEqual({ mistake: expect.stringContaining('could not be decoded') })
  const text = Buffer.concat([Buffer.from('tEXt'), script])
  const chunk = Buffer.alloc(text.length + 8)
  chunk.writeUInt32BE(script.length, 0)
  text.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(text), text.length + 4)
  // After the head, which is 33 bytes long.
  const logo = readLogo(Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]))
  if ('mistake' in logo) throw new Error(logo.mistake)
  expect(logo.image.includes(script)).toBe(false)
  const photo = jpeg.encode({ width: 32, height: 32, data: picture(32).data }, 90).data
  const comment = Buffer.concat([
    photo.subarray(0, 2),
    Buffer.from([0xff, 0xfe, 0, script.length + 2]),
    script,
    photo.subarray(2),
  ])
  const written = readLogo(comment)
  if ('mistake' in written) throw new Error(written.mistake)
  expect([written.type, written.image.includes(script)]).toEqual(['image/jpeg', false])
})

test('what is no image, is damaged, or is too small or too large is refused with the reason, before it is unpacked', async () => {
  const huge = Buffer.from(png)
  huge.writeUInt32BE(1_000_000, 16)
  const mistakeOf = (file: Buffer) => (readLogo(file) as { mistake?: string }).mistake
  expect(mistakeOf(Buffer.from('<svg><script/></svg>'))).toContain('PNG or JPEG')
  expect(mistakeOf(Buffer.from('GIF89a'))).toContain('PNG or JPEG')
  expect(mistakeOf(png.subarray(0, 100))).toContain('could not be decoded')
  expect(mistakeOf(png.subarray(0, 12))).toContain('16 to 1,024')
  expect(mistakeOf(huge)).toContain('16 to 1,024')
  expect(mistakeOf(PNG.sync.write(picture(15)))).toContain('16 to 1,024')
  const merchant = await newMerchant(service)
  const refused = await upload(merchant, Buffer.from('<svg/>'))
  expect([refused.status, refused.body.errors]).toEqual([422, { image: 'Must be a PNG or JPEG image' }])
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
