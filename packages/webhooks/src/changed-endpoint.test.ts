import { expect, test } from 'vitest'
import { type Merchant, newMerchant, useService } from '#testing'

const service = useService()
const url = 'https://merchant.example/hooks'

const types = async (merchant: Merchant) =>
  (await merchant.call('GET /v1/notifications')).body.data.notifications.map(
    ({ type, body }: { type: string; body: string }) => `${type}: ${body.split('. ')[0]}`,
  )

/** Registers, changes, rotates and deletes an endpoint. */
async function changes(merchant: Merchant): Promise<void> {
  const { id } = (await merchant.call('POST /v1/webhooks', { body: { url } })).body.data
  await merchant.call(`PATCH /v1/webhooks/${id}`, { body: { status: 'disabled' } })
  await merchant.call(`PATCH /v1/webhooks/${id}`, { body: { status: 'disabled' } })
  await merchant.call(`PATCH /v1/webhooks/${id}`, { body: {} })
  await merchant.call(`PATCH /v1/webhooks/${id}`, { body: { url: `${url}/2` } })
  await merchant.call(`POST /v1/webhooks/${id}/rotate-secret`, { body: {} })
  await merchant.call(`DELETE /v1/webhooks/${id}`)
}

test('each change of a live endpoint is notified once, and what changes nothing is not', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  await changes(merchant)
  expect((await types(merchant)).toReversed()).toEqual(
    [
      `${url} was added`,
      `${url} was changed and disabled`,
      `${url}/2 was changed`,
      `${url}/2 was given a new secret`,
      `${url}/2 was deleted`,
    ].map((what) => `webhook_endpoint.changed: The endpoint ${what}`),
  )
})

test('changes of a test endpoint are not notified', async () => {
  const merchant = await newMerchant(service)
  await changes(merchant)
  expect(await types(merchant)).toEqual([])
})
