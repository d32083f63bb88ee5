import { catalogueOf } from '@payments/platform'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import { eventTypes, payloadOf } from './catalogue.ts'

const service = useService()

test('every event type has a sample that satisfies its JSON schema', () => {
  const catalogue = catalogueOf(service.runtime.domains)
  const ajv = new Ajv2020({ validateFormats: false, strict: false })
  for (const { type, schema, sample } of eventTypes(service.runtime.domains)) {
    expect(sample, type).not.toBeNull()
    expect(ajv.validate(schema, sample), `${type}: ${ajv.errorsText()}`).toBe(true)
    expect(ajv.validate(schema, { ...sample, data: {} }), type).toBe(false)
    expect(payloadOf(type, catalogue[type]?.data as never).safeParse(sample).success, type).toBe(true)
  }
})

test('every event type can be in an allowlist', async () => {
  const merchant = await newMerchant(service)
  const events = eventTypes(service.runtime.domains).map(({ type }) => type)
  const { status, body } = await merchant.call('POST /v1/webhooks', {
    body: { url: 'https://merchant.example/hooks', events },
  })
  expect([status, body.data?.events]).toEqual([201, events])
})

test('the catalogue lists the test event and marks opt-in types', async () => {
  const merchant = await newMerchant(service)
  const { body } = await merchant.call('GET /v1/webhooks/event-types')
  expect(body.data.total).toBe(body.data.eventTypes.length)
  const types = body.data.eventTypes.map((each: { type: string }) => each.type)
  expect(types).toContain('webhook.test')
  expect(types).toEqual(types.toSorted())
  expect(body.data.eventTypes[0]).toMatchObject({ optIn: false, schema: { type: 'object' } })
})
