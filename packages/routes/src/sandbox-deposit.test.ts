import { expect, test } from 'vitest'
import { newMerchant, newRoute, useService } from '#testing'

const service = useService()

test('a simulated deposit is answered with its amount in canonical form, whatever was sent', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newRoute(merchant)
  for (const [sent, shown] of [
    ['12.500000', '12.5'],
    ['7.00', '7'],
    ['0.10', '0.1'],
  ]) {
    const reply = await merchant.call(`POST /v1/sandbox/payment-routes/${id}/deposits`, { body: { amount: sent } })
    expect([sent, reply.status, reply.body.data.amount]).toEqual([sent, 201, shown])
  }
})
