import { expect, test } from 'vitest'
import { advance, BANK_ACCOUNT, call, newMerchant, samples, signedIn, useService } from '#testing'

const service = useService()

async function report(id: string) {
  await service.process.requestLog.flush()
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
  return call(service, `GET /v1/admin/ops/support/${id}`, { token })
}

/** What a person or a merchant wrote into an object of each kind, as it must not leave the service. */
const WRITTEN = { name: 'Adaeze Obi', email: 'adaeze@example.com', note: 'our secret note' }

test('a report has the fields of an object and its parts, in full where they are the service’s own, and its timeline', async () => {
  const merchant = await newMerchant(service)
  const route = (
    await merchant.call(`POST ${samples.route.path}`, { body: samples.route.body({ name: WRITTEN.name }) })
  ).body.data
  const [line, body] = samples.route.fund(route.id)
  await merchant.call(line, { body })
  await advance(merchant, 10)
  await merchant.call(`POST /v1/payment-routes/${route.id}/deposits/sync`)
  const { status, body: answer } = await report(route.id)
  expect(status).toBe(200)
  const { objects, timeline } = answer.data
  expect(objects.map(({ kind }: { kind: string }) => kind)).toEqual(['payment_routes', 'payment_route_deposits'])
  expect(objects[0].fields).toMatchObject({
    status: 'active',
    deposit_address: route.depositAddress,
    organisation_id: merchant.organisationId,
    name: `[${WRITTEN.name.length} characters]`,
  })
  expect(objects[1].fields.deposit_tx_hash).toMatch(/^0x/)
  expect(objects[1].fields.origin_amount).toMatch(/^\d+$/)
  expect(timeline.entries.map(({ kind }: { kind: string }) => kind)).toEqual(
    expect.arrayContaining(['request', 'status', 'event']),
  )
})

test('nothing that a person or a merchant wrote is in the report of any kind of object', async () => {
  const merchant = await newMerchant(service)
  const customer = (
    await merchant.call('POST /v1/customers', {
      body: {
        name: WRITTEN.name,
        email: WRITTEN.email,
        phoneNumber: '+2348012345678',
        metadata: { note: WRITTEN.note },
      },
    })
  ).body.data
  const metadata = { note: WRITTEN.note }
  const created: string[] = [customer.id]
  for (const sample of [samples.swap, samples.offramp, samples.collection]) {
    const { status, body } = await merchant.call(`POST ${sample.path}`, { body: { ...sample.body(), metadata } })
    expect(status).toBe(201)
    created.push(body.data.id)
  }
  for (const id of created) {
    const { status, text } = await report(id)
    expect(status).toBe(200)
    for (const written of [...Object.values(WRITTEN), '+2348012345678', BANK_ACCOUNT.accountNumber])
      if (written) expect(text).not.toContain(written)
  }
})

test('only operators get a report, and there is none of what does not exist', async () => {
  const merchant = await newMerchant(service)
  const { id } = (await merchant.call(`POST ${samples.swap.path}`, { body: samples.swap.body() })).body.data
  expect((await merchant.call(`GET /v1/admin/ops/support/${id}`)).status).toBe(403)
  expect((await report('00000000-0000-7000-8000-000000000000')).status).toBe(404)
  expect((await report('text')).status).toBe(404)
})
