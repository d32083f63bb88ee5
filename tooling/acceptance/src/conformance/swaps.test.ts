import { beforeAll, expect } from 'vitest'
import {
  advance,
  getSwap,
  launchArtefact,
  type Merchant,
  newMerchant,
  newSwap,
  newSwapBody,
  useArtefact,
} from '#testing'
import { conforms } from '../../test/conforms.ts'

const service = useArtefact()
let reader: Merchant
let writer: Merchant
let powerless: Merchant
beforeAll(async () => {
  writer = await newMerchant(service, { scopes: ['api:write'] })
  const { organisationId } = writer
  reader = await newMerchant(service, { scopes: ['api:read'], organisationId })
  powerless = await newMerchant(service, { scopes: [], organisationId })
})

const refusal = async (of: Merchant, line: string, body?: object) => {
  const answer = await of.call(line, { body })
  return [answer.status, answer.body.message]
}
const eventsOf = async (of: Merchant) =>
  (await of.call('GET /v1/events')).body.data.events
    .toReversed()
    .map(({ type, data }: { type: string; data: Record<string, unknown> }) => [type, data.previousStatus, data.status])

conforms('getSwaps', async () => {
  const { id } = await newSwap(writer)
  const { swaps, total } = (await reader.call('GET /v1/swaps')).body.data
  expect(total).toBe(swaps.length)
  expect(swaps.map((swap: { id: string }) => swap.id)).toContain(id)
  expect(await refusal(powerless, 'GET /v1/swaps')).toEqual([403, 'Missing required scopes: api:read'])
})

conforms('postSwaps', async () => {
  const created = await writer.call('POST /v1/swaps', { body: newSwapBody() })
  expect([created.status, created.body.message]).toEqual([201, 'Swap created'])
  expect(await getSwap(reader, created.body.data.id)).toEqual(created.body.data)
  const refused = await refusal(reader, 'POST /v1/swaps', newSwapBody())
  expect(refused).toEqual([403, 'Missing required scopes: api:write'])
})

conforms('getRates', async () => {
  const { rates } = (await reader.call('GET /v1/rates')).body.data
  expect(rates.map(({ from, to }: { from: string; to: string }) => `${from} ${to}`)).toEqual(['EURC USDC', 'USDC EURC'])
  expect(await refusal(powerless, 'GET /v1/rates')).toEqual([403, 'Missing required scopes: api:read'])
})

conforms('cancelSwap', async () => {
  const of = await newMerchant(service)
  const { id } = await newSwap(of)
  const cancelled = await of.call(`POST /v1/swaps/${id}/cancel`)
  expect([cancelled.status, cancelled.body.message]).toEqual([200, 'Swap cancelled'])
  expect(await eventsOf(of)).toEqual([
    ['swap.created', null, 'awaiting_deposit'],
    ['swap.updated', 'awaiting_deposit', 'cancelled'],
  ])
})

conforms(
  'swapEvents',
  async () => {
    const own = await launchArtefact()
    try {
      const of = await newMerchant(own)
      const { id } = await newSwap(of)
      await advance(of, 1810)
      for (let tries = 0; tries < 400 && (await getSwap(of, id)).status !== 'expired'; tries++)
        await new Promise((resolve) => setTimeout(resolve, 50))
      expect(await eventsOf(of)).toEqual([
        ['swap.created', null, 'awaiting_deposit'],
        ['swap.updated', 'awaiting_deposit', 'expired'],
      ])
    } finally {
      await own.stop()
    }
  },
  60_000,
)
