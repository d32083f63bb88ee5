import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { newSecret, signedHeaders } from './signature.ts'

const secret = `whsec_${Buffer.from('a'.repeat(32)).toString('base64')}`
const older = `whsec_${Buffer.from('b'.repeat(32)).toString('base64')}`
const input = {
  secrets: [secret, older],
  eventType: 'customer.created',
  deliveryId: 'delivery',
  eventId: 'event',
  body: '{"a":"é"}',
  at: new Date('2026-01-31T12:00:00.999Z'),
}
const hmac = (key: string | Buffer, text: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', key).update(text).digest(encoding)

test('each active secret signs time and body in both schemes, the newest first, in whole seconds', () => {
  const seconds = Date.parse('2026-01-31T12:00:00Z') / 1000
  const own = [secret, older].map((key) => `v1=${hmac(key, `${seconds}.${input.body}`, 'hex')}`)
  const standard = ['a', 'b'].map(
    (letter) => `v1,${hmac(Buffer.from(letter.repeat(32)), `event.${seconds}.${input.body}`, 'base64')}`,
  )
  expect(signedHeaders(input)).toEqual({
    'content-type': 'application/json',
    'user-agent': 'payments-webhooks/1',
    'x-service-event': 'customer.created',
    'x-service-delivery': 'delivery',
    'x-service-timestamp': String(seconds),
    'x-service-signature': [`t=${seconds}`, ...own].join(','),
    'webhook-id': 'event',
    'webhook-timestamp': String(seconds),
    'webhook-signature': standard.join(' '),
  })
})

test('a new secret is 32 random bytes', () => {
  expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(newSecret()).not.toBe(newSecret())
})
