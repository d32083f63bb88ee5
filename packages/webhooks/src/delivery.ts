import { type Environment, job, locked, type Runtime, resource, system, unitOfWork, type Work } from '@payments/kernel'
import { Agent, request } from 'undici'
import { z } from 'zod'
import { type Attempt, DeliveryEntity, type DeliveryRow, presentDelivery } from './entity.ts'
import { no } from './refusals.ts'
import { secretContext } from './service.ts'
import { signedHeaders } from './signature.ts'
import { deliveryMachine } from './states.ts'
import { guardedLookup, TargetRefused } from './target.ts'

/** Seconds before each attempt, counted from the one before; eight in all. */
const SCHEDULE_SECONDS = [0, 30, 300, 1800, 7200, 28_800, 86_400, 144_000]
const TIMEOUT_MS = 10_000

const guarded = new Agent({ connect: { lookup: guardedLookup as never, timeout: TIMEOUT_MS }, keepAliveTimeout: 1000 })
const direct = new Agent({ connect: { timeout: TIMEOUT_MS }, keepAliveTimeout: 1000 })

const deliveryResource = resource<DeliveryRow, keyof typeof deliveryMachine.states & string, 'accept' | 'give_up'>({
  machine: deliveryMachine,
  entity: DeliveryEntity,
  table: 'webhook_deliveries',
  events: null,
  present: presentDelivery,
})

interface Parcel {
  delivery_id: string
  organisation_id: string
  environment: Environment
  endpoint_id: string
  endpoint_status: string
  url: string
  secret: string
  event_id: string
  type: string
  body: string
}

/** One attempt of one delivery: send, then write down what happened and when the next one is due, in one transaction. */
export const deliverJob = job({
  name: 'webhooks.deliver',
  data: z.object({ deliveryId: z.uuid() }),
  queue: { retryLimit: 20, retryDelay: 5, expireInSeconds: 60 },
  work: { localConcurrency: 8 },
  async run(runtime, { deliveryId }) {
    const { rows } = await runtime.pool.query<Parcel>(
      `select d.id as delivery_id, d.organisation_id, d.environment, d.endpoint_id, w.status as endpoint_status, w.url, w.secret, e.id as event_id, e.type, e.payload::text as body
         from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id join events e on e.id = d.event_id
        where d.id = $1 and d.status = 'pending'`,
      [deliveryId],
    )
    const parcel = rows[0]
    if (!parcel) return
    const attempt =
      parcel.endpoint_status === 'enabled' ? await send(runtime, parcel) : refused('The endpoint is not enabled')
    const actor = system(parcel.organisation_id, parcel.environment)
    await unitOfWork({ runtime, actor, log: runtime.log }, (work) => settle(work, parcel.delivery_id, attempt))
  },
})

const refused = (error: string): Attempt & { final: true } => ({
  attemptedAt: new Date().toISOString(),
  responseStatus: null,
  error,
  durationMs: 0,
  final: true,
})

async function send(runtime: Runtime, parcel: Parcel): Promise<Attempt & { final?: boolean }> {
  const at = new Date()
  const started = performance.now()
  const took = () => Math.round(performance.now() - started)
  const secret = runtime.keyring.open(parcel.secret, secretContext(parcel.endpoint_id))
  const exempt = runtime.settings.WEBHOOK_DEV_TARGETS.includes(new URL(parcel.url).origin)
  try {
    const answer = await request(parcel.url, {
      method: 'POST',
      dispatcher: exempt ? direct : guarded,
      headers: signedHeaders({
        secrets: [secret],
        eventType: parcel.type,
        deliveryId: parcel.delivery_id,
        eventId: parcel.event_id,
        body: parcel.body,
        at,
      }),
      body: parcel.body,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await answer.body.dump()
    const ok = answer.statusCode >= 200 && answer.statusCode < 300
    return {
      attemptedAt: at.toISOString(),
      responseStatus: answer.statusCode,
      error: ok ? null : `Answered ${answer.statusCode}`,
      durationMs: took(),
    }
  } catch (error) {
    const final = error instanceof TargetRefused
    return {
      attemptedAt: at.toISOString(),
      responseStatus: null,
      error: (error as Error).message || 'No answer',
      durationMs: took(),
      final,
    }
  }
}

async function settle(
  work: Work,
  deliveryId: string,
  { final, ...attempt }: Attempt & { final?: boolean },
): Promise<void> {
  const row = await locked(work, deliveryResource, deliveryId, no.webhook_endpoint_not_found)
  if (row.status !== 'pending') return
  const attempts = [...row.attempts, attempt]
  const now = new Date()
  const delay = SCHEDULE_SECONDS[attempts.length]
  if (attempt.error !== null && delay !== undefined && !final) {
    const nextAttemptAt = new Date(now.getTime() + delay * 1000 * (0.9 + Math.random() * 0.2))
    await work.em.nativeUpdate(DeliveryEntity, { id: row.id }, { attempts, nextAttemptAt, updatedAt: now })
    await work.enqueue(deliverJob, { deliveryId }, { startAfter: nextAttemptAt })
    return
  }
  const status = attempt.error === null ? 'delivered' : 'failed'
  await work.em.nativeUpdate(DeliveryEntity, { id: row.id }, { attempts, nextAttemptAt: null, status, updatedAt: now })
}
