import { createHmac } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { newMerchant, startReceiver, useArtefact } from '#testing'
import { Payments, webhooks } from './index.ts'

const receiver = await startReceiver()
const service = useArtefact({ settings: { WEBHOOK_DEV_TARGETS: receiver.origin } })
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
const OTHER = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const BODY = JSON.stringify({
  id: 'evt',
  type: 'swap.updated',
  created: '2026-01-31T12:00:00.000Z',
  data: { id: 'ü€😀' },
})

const without = (headers: Record<string, string>, ...names: string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

test('a delivery of the service is verified by both signatures, with each secret of a rotation', {
  timeout: 60_000,
}, async () => {
  onTestFinished(() => receiver.close())
  const { key } = await newMerchant(service)
  const payments = new Payments({ url: service.url, apiKey: key })
  const endpoint = await payments.webhooks.create({ url: receiver.url })
  const rotated = await payments.webhooks.rotateSecret(endpoint.id, { overlapHours: 1 })
  await payments.webhooks.test(endpoint.id)
  const [delivery] = await receiver.until((received) => received.length > 0)
  const { body = '', headers = {} } = delivery ?? {}
  for (const secret of [endpoint.secret, rotated.secret, [OTHER, rotated.secret]])
    for (const each of [
      headers,
      without(headers as never, 'x-service-signature'),
      without(headers as never, 'webhook-signature'),
    ])
      expect((await webhooks.constructEvent(body, each, secret)).type).toBe('webhook.test')
  await expect(webhooks.constructEvent(body, headers, OTHER)).rejects.toMatchObject({ code: 'signature_mismatch' })
})

test('the raw body may be text or bytes, and headers may be of fetch or of Node', async () => {
  const headers = await webhooks.testHeaders(BODY, SECRET)
  const bytes = new TextEncoder().encode(BODY)
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  for (const body of [BODY, bytes, bytes.buffer, Buffer.from(BODY)])
    for (const each of [headers, upper, new Headers(headers)])
      expect((await webhooks.constructEvent(body, each, SECRET)).data.id).toBe('ü€😀')
})

test('a changed body, another secret, another time and a cut signature are refused with their reason', async () => {
  const headers = await webhooks.testHeaders(BODY, SECRET)
  const own = without(headers, 'webhook-signature')
  const standard = without(headers, 'x-service-signature')
  const code = (body: string, given: Record<string, string>, secret = SECRET) =>
    webhooks.constructEvent(body, given, secret).then(
      ({ id }) => id,
      (error) => error.code,
    )
  for (const each of [own, standard]) {
    expect(await code(BODY, each)).toBe('evt')
    expect(await code(BODY.replace('swap', 'swop'), each)).toBe('signature_mismatch')
    expect(await code(BODY, each, OTHER)).toBe('signature_mismatch')
    expect(await code(BODY, each, '')).toBe('signature_mismatch')
  }
  expect(await code(BODY, {})).toBe('signature_missing')
  expect(await code(BODY, { 'x-service-signature': 't=1,v1=' })).toBe('signature_malformed')
  expect(await code(BODY, { 'x-service-signature': 'v1=00' })).toBe('signature_malformed')
  expect(await code(BODY, { ...standard, 'webhook-signature': 'v2,AAAA' })).toBe('signature_malformed')
  expect(await code(BODY, { ...standard, 'webhook-id': 'another' })).toBe('signature_mismatch')
  expect(await code(BODY, { ...own, 'x-service-signature': `${own['x-service-signature']}`.slice(0, -2) })).toBe(
    'signature_mismatch',
  )
  const late = { now: Date.now() + 301_000 }
  await expect(webhooks.constructEvent(BODY, own, SECRET, late)).rejects.toMatchObject({
    code: 'timestamp_outside_tolerance',
  })
  expect((await webhooks.constructEvent(BODY, own, SECRET, { ...late, toleranceSeconds: 400 })).id).toBe('evt')
})

test('an event of a type that this version does not know does not throw', async () => {
  const body = JSON.stringify({ id: 'evt', type: 'loan.created', created: '2026-01-31T12:00:00.000Z', data: {} })
  const event = await webhooks.constructEvent(body, await webhooks.testHeaders(body, SECRET), SECRET)
  expect(event.type).toBe('loan.created')
})

test('the headers for tests are the ones that the service computes', async () => {
  const now = 1_769_860_800_000
  const headers = await webhooks.testHeaders(BODY, SECRET, now)
  const hex = createHmac('sha256', SECRET).update(`1769860800.${BODY}`).digest('hex')
  expect(headers['x-service-signature']).toBe(`t=1769860800,v1=${hex}`)
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64')
  expect(headers['webhook-signature']).toBe(
    `v1,${createHmac('sha256', key).update(`evt.1769860800.${BODY}`).digest('base64')}`,
  )
})
