import { emit, newId, type Runtime, system, unitOfWork } from '@payments/kernel'
import type { Merchant, TestService } from '@payments/testing'

/** Emits events of one type, each in its own transaction, as a domain does. Returns their ids. */
export async function emitEvents(
  runtime: Runtime,
  of: { organisationId: string; environment: 'test' | 'live' },
  count = 1,
  type = 'payment_route.created',
): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const id = newId()
    const at = new Date().toISOString()
    const data = { id, n, status: 'active', previousStatus: null, createdAt: at, updatedAt: at }
    await unitOfWork({ runtime, actor: system(of.organisationId, of.environment), log: runtime.log }, async (work) => {
      ids.push(emit(work, { ...of, type, resourceId: id, data }))
    })
  }
  return ids
}

/** The deliveries of an endpoint, oldest first, once `enough` holds of them. */
export async function deliveriesOf(
  merchant: Merchant,
  endpointId: string,
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  enough: (deliveries: any[]) => boolean,
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
): Promise<any[]> {
  for (let tries = 0; tries < 200; tries++) {
    const { body } = await merchant.call(`GET /v1/webhooks/${endpointId}/deliveries`)
    const deliveries = body.data.deliveries.toReversed()
    if (enough(deliveries)) return deliveries
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('The deliveries never came to that')
}

/** Moves the merchant's sandbox clock. */
export const advance = (merchant: Merchant, seconds: number) =>
  merchant.call('POST /v1/sandbox/advance', { body: { seconds } })

/** Registers an endpoint and returns it with its secret. */
export async function endpoint(merchant: Merchant, body: Record<string, unknown>) {
  const made = await merchant.call('POST /v1/webhooks', { body })
  if (made.status !== 201) throw new Error(made.text)
  return made.body.data
}

/** What the database keeps of an endpoint. */
export async function stored(service: TestService, table: string, column: string, id: string) {
  const { rows } = await service.runtime.pool.query(`select * from ${table} where ${column} = $1`, [id])
  return rows
}
