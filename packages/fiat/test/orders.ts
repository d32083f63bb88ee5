import { advance, type Merchant, type TestService } from '#testing'
import { poll } from '../src/polling/polls.ts'
import type { Direction, OrderReport } from '../src/provider/provider.ts'

/** What the orders of the tests ask for. */
const RECEIVED = { offramp: 25_125_000n, onramp: 5_000_000n } as const

/** A report that the money of an order has arrived, or what else is given. */
export const reportOf = (direction: Direction, given: Partial<OrderReport>): OrderReport => ({
  status: 'received',
  receivedAmount: RECEIVED[direction],
  convertedAmount: null,
  fee: null,
  txHash: '0x1',
  failureReason: null,
  refund: null,
  outcomeUnknown: false,
  ...given,
})

/** Polls an order as the worker does, after moving the sandbox clock. Returns the order as its GET shows it. */
export async function pollAfter(
  service: TestService,
  merchant: Merchant,
  direction: Direction,
  id: string,
  seconds = 0,
) {
  if (seconds > 0) await advance(merchant, seconds)
  const { organisationId, environment } = merchant
  await poll(service.runtime, { id, direction, organisationId, environment, provider: 'sandbox', pollSeconds: 2 })
  return (await merchant.call(`GET /v1/${direction}s/${id}`)).body.data
}

/** The statuses that events announced for an order, in order: `pending>processing`. Opt-in types are in brackets. */
export async function eventsOf(service: TestService, id: string): Promise<string[]> {
  const { rows } = await service.runtime.pool.query<{ type: string; data: Record<string, unknown> }>(
    "select type, payload->'data' as data from events where resource_id = $1 order by id",
    [id],
  )
  return rows.map(({ type, data }) => {
    const change = `${data.previousStatus ?? ''}>${data.status}`
    return type.endsWith('.created') || type.endsWith('.updated') ? change : `(${type} ${change})`
  })
}
