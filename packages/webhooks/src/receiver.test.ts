import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createCA, createCert } from 'mkcert'
import { Webhook } from 'standardwebhooks'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newMerchant, type Received, startReceiver, useService } from '#testing'
import { advance, deliveriesOf, endpoint } from '../test/deliveries.ts'
import { type Case, verifiers } from '../test/verifiers.ts'
import { guardedConnector } from './endpoints/connector.ts'
import { signedHeaders } from './endpoints/signature.ts'

const authority = { organization: 'Test', countryCode: 'NG', state: 'Lagos', locality: 'Lagos', validity: 2 }
const ca = await createCA(authority)
const stranger = await createCA(authority)
const good = await createCert({ ca, domains: ['127.0.0.1'], validity: 2 })
const receivers = await Promise.all([
  startReceiver({ tls: good }),
  startReceiver({ tls: await createCert({ ca: stranger, domains: ['127.0.0.1'], validity: 2 }) }),
  startReceiver({ tls: await createCert({ ca, domains: ['merchant.example'], validity: 2 }) }),
] as const)
const [receiver, untrusted, misnamed] = receivers
const service = useService({
  worker: true,
  settings: { WEBHOOK_DEV_TARGETS: receivers.map(({ origin }) => origin).join(',') },
})
// As NODE_EXTRA_CA_CERTS does it: one more authority is trusted, verification stays on.
beforeAll(() => setDefaultCACertificates([...getCACertificates('default'), ca.cert]))
afterAll(async () => {
  await Promise.all(receivers.map((each) => each.close()))
})

/** Two real deliveries over HTTPS: signed by one secret, and by two during an overlap. */
async function delivered() {
  const merchant = await newMerchant(service)
  const made = await endpoint(merchant, { url: receiver.url, description: 'Ünïcode ✓' })
  const seen = receiver.received.length
  const test = () => merchant.call(`POST /v1/webhooks/${made.id}/test`)
  await test()
  await receiver.until((received) => received.length === seen + 1)
  const rotated = await merchant.call(`POST /v1/webhooks/${made.id}/rotate-secret`, { body: { overlapHours: 1 } })
  await test()
  await receiver.until((received) => received.length === seen + 2)
  await merchant.call(`POST /v1/webhooks/${made.id}/rotate-secret`)
  await test()
  const [single, overlapping, after] = (await receiver.until((received) => received.length === seen + 3)).slice(seen)
  return {
    old: made.secret as string,
    current: rotated.body.data.secret as string,
    single: single as Received,
    overlapping: overlapping as Received,
    after: after as Received,
  }
}

const signature = ({ headers }: Received) => String(headers['x-service-signature'])

test('the published receivers accept current and overlapping secrets, and nothing tampered, stale or truncated', async () => {
  const { old, current, single, overlapping, after } = await delivered()
  const stale = signedHeaders({
    ...{ secrets: [old], eventType: 'webhook.test', deliveryId: 'd', eventId: 'e', body: single.body },
    at: new Date(Date.now() - 6 * 60_000),
  })
  const future = signedHeaders({
    ...{ secrets: [old], eventType: 'webhook.test', deliveryId: 'd', eventId: 'e', body: single.body },
    at: new Date(Date.now() + 6 * 60_000),
  })
  const header = signature(single)
  const refused = { secret: old, header, body: single.body, valid: false }
  const cases: Case[] = [
    { name: 'current secret', secret: old, header, body: single.body, valid: true },
    {
      name: 'overlap, new secret',
      secret: current,
      header: signature(overlapping),
      body: overlapping.body,
      valid: true,
    },
    { name: 'overlap, old secret', secret: old, header: signature(overlapping), body: overlapping.body, valid: true },
    { ...refused, name: 'rotated away', header: signature(after), body: after.body },
    { ...refused, name: 'another secret', secret: current },
    { ...refused, name: 'tampered body', body: single.body.replace('enabled', 'revoked') },
    { ...refused, name: 'truncated body', body: single.body.slice(0, -1) },
    { ...refused, name: 'longer body', body: `${single.body} ` },
    { ...refused, name: 'empty body', body: '' },
    { ...refused, name: 'stale', header: String(stale['x-service-signature']) },
    { ...refused, name: 'from the future', header: String(future['x-service-signature']) },
    { ...refused, name: 'moved timestamp', header: header.replace(/t=(\d+)/, (_all, t) => `t=${Number(t) + 1}`) },
    { ...refused, name: 'truncated signature', header: header.slice(0, -2) },
    { ...refused, name: 'no signature', header: header.split(',')[0] ?? '' },
    { ...refused, name: 'no timestamp', header: header.split(',')[1] ?? '' },
    { ...refused, name: 'empty header', header: '' },
    { ...refused, name: 'nonsense', header: 't=x,v1=zz,v1' },
    { ...refused, name: 'other version', header: header.replace('v1=', 'v0=') },
  ]
  for (const { language, run } of verifiers.filter(({ there }) => there())) {
    const results = run(cases)
    expect(cases.map(({ name }, index) => [language, name, results[index]])).toEqual(
      cases.map(({ name, valid }) => [language, name, valid]),
    )
  }
})

test('the public standardwebhooks library accepts current and overlapping secrets, and nothing tampered, stale or truncated', async () => {
  const { old, current, single, overlapping, after } = await delivered()
  const accepts = (secret: string, { headers }: Pick<Received, 'headers'>, body: string) => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>)
      return true
    } catch {
      return false
    }
  }
  expect(accepts(old, single, single.body)).toBe(true)
  expect(accepts(old, overlapping, overlapping.body)).toBe(true)
  expect(accepts(current, overlapping, overlapping.body)).toBe(true)
  expect(accepts(old, after, after.body)).toBe(false)
  expect(accepts(current, after, after.body)).toBe(false)
  expect(accepts(old, single, single.body.replace('enabled', 'revoked'))).toBe(false)
  expect(accepts(old, single, single.body.slice(0, -1))).toBe(false)
  const stale = String(Number(single.headers['webhook-timestamp']) - 600)
  expect(accepts(old, { headers: { ...single.headers, 'webhook-timestamp': stale } }, single.body)).toBe(false)
  const at = new Date(Date.now() - 600_000)
  const truly = signedHeaders({ secrets: [old], eventType: 't', deliveryId: 'd', eventId: 'e', body: single.body, at })
  expect(accepts(old, { headers: truly }, single.body)).toBe(false)
})

test('deliveries carry the headers and the payload of the specification', async () => {
  const { single } = await delivered()
  const body = JSON.parse(single.body)
  expect(single.headers).toMatchObject({
    'content-type': 'application/json',
    'x-service-event': 'webhook.test',
    'x-service-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'x-service-timestamp': expect.stringMatching(/^\d{10}$/),
    'x-service-signature': expect.stringMatching(/^t=\d{10},v1=[0-9a-f]{64}$/),
    'webhook-id': body.id,
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  })
  expect(Object.keys(body)).toEqual(['id', 'type', 'created', 'data'])
  expect(Date.parse(body.created)).toBeLessThanOrEqual(Date.now())
})

test('a certificate of an unknown authority or for another name is rejected, and the delivery stays pending', async () => {
  for (const each of [untrusted, misnamed]) {
    const before = each.received.length
    const merchant = await newMerchant(service)
    const { id } = await endpoint(merchant, { url: each.url })
    await merchant.call(`POST /v1/webhooks/${id}/test`)
    const [delivery] = await deliveriesOf(merchant, id, ([one]) => one?.attempts.length === 1)
    expect(delivery).toMatchObject({
      status: 'pending',
      attempts: [{ responseStatus: null, error: expect.stringContaining('TLS certificate') }],
    })
    await advance(merchant, 40)
    await deliveriesOf(merchant, id, ([one]) => one?.attempts.length === 2)
    expect(each.received).toHaveLength(before)
  }
})

test('a guarded connection goes to the address that was checked, and its certificate must carry the name', async () => {
  const asked: string[] = []
  const resolve = async (name: string) => {
    asked.push(name)
    return ['127.0.0.1']
  }
  const dispatcher = new Agent({ connect: guardedConnector(resolve, 5000, (address) => address === '127.0.0.1') })
  const at = (name: string) =>
    request(`https://${name}:${new URL(misnamed.origin).port}/`, { method: 'POST', dispatcher })
  const answer = await at('merchant.example')
  await answer.body.dump()
  expect([answer.statusCode, misnamed.received.at(-1)?.headers.host]).toEqual([
    200,
    `merchant.example:${new URL(misnamed.origin).port}`,
  ])
  await expect(at('other.example')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  expect(asked).toEqual(['merchant.example', 'other.example'])
  await dispatcher.close()
})
