import { webhooks } from '@payments/sdk'
import { expect, test } from 'vitest'
import { explain } from './verify.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
const BODY = '{"id":"evt","type":"webhook.test","data":{"name":"Zoë"}}'
const headers = await webhooks.testHeaders(BODY, SECRET)
const reasonFor = async (body: string | Uint8Array, secret = SECRET, now?: number) =>
  (await explain({ body: typeof body === 'string' ? Buffer.from(body) : body, headers, secret }, now)).reason

test('the reason why a signature does not verify is found: body, secret, encoding or clock', async () => {
  expect(await explain({ body: Buffer.from(BODY), headers, secret: SECRET })).toMatchObject({ verified: true })
  expect(await reasonFor(`${BODY}\n`)).toContain('line break at its end')
  expect(await reasonFor(JSON.stringify(JSON.parse(BODY), null, 2))).toContain('parsed and written again')
  expect(await reasonFor(Buffer.from(Buffer.from(BODY).toString('latin1')))).toContain('Latin-1')
  expect(await reasonFor(BODY, ` ${SECRET}\n`)).toContain('spaces')
  expect(await reasonFor(BODY, SECRET.slice('whsec_'.length))).toContain('whsec_')
  expect(await reasonFor(BODY, `"${SECRET}"`)).toContain('quotation marks')
  expect(await reasonFor(BODY.replace('evt', 'eve'))).toContain('another endpoint')
  expect(await reasonFor(BODY, SECRET, Date.now() + 600_000)).toMatch(/clock|timestamp/)
  expect(await reasonFor(BODY.replace('evt', 'eve'), SECRET, Date.now() + 600_000)).toContain('not of this body')
})
