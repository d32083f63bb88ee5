import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { act, newCollection, newMerchant, useArtefact } from '#testing'

const service = useArtefact()

test('the message of a reply says what was done: a session started, shown or cancelled', async () => {
  const { id } = await newCollection(await newMerchant(service))
  const { body } = await act(service, id, { action: 'start', networkKey: 'ethereum', currency: 'USDC' })
  expect(body.message).toBe('Checkout session started')
  const said = async (action: string) => (await act(service, body.data.id, { action })).body.message
  expect([await said('refresh'), await said('cancel')]).toEqual([
    'Checkout session retrieved',
    'Checkout session cancelled',
  ])
})

test('the message of a reply tells a dry run from what it counts, also when it is replayed', async () => {
  const merchant = await newMerchant(service)
  const { body } = await merchant.call('POST /v1/webhooks', { body: { url: 'https://merchant.example/hooks' } })
  const since = new Date(Date.now() - 60_000).toISOString()
  const recover = async (dryRun: boolean, key: string) =>
    (
      await merchant.call(`POST /v1/webhooks/${body.data.id}/recover`, {
        ...{ key, body: { since, dryRun } },
      })
    ).body.message
  const key = newId()
  expect([await recover(true, key), await recover(true, key), await recover(false, newId())]).toEqual([
    'Webhook events counted',
    'Webhook events counted',
    'Webhook events recovered',
  ])
})
