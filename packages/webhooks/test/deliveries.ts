import { newId, system } from '@payments/kernel'
import { type Runtime, type UnitOfWork, unitOfWork } from '@payments/platform'
import { afterAll, afterEach } from 'vitest'
import { type Merchant, type Receiver, type ReceiverOptions, startReceiver, type TestService } from '#testing'
import { emit } from '../src/events/outbox.ts'

interface Of {
  readonly organisationId: string
  readonly environment: 'test' | 'live'
}

const inUnit = <T>(runtime: Runtime, of: Of, work: (unit: UnitOfWork) => T): Promise<T> =>
  unitOfWork({ runtime, actor: system(of.organisationId, of.environment), log: runtime.log }, async (unit) =>
    work(unit),
  )

function emitOne(unit: UnitOfWork, { organisationId, environment }: Of, n: number, type: string): string {
  const id = newId()
  const at = new Date().toISOString()
  const data = { id, n, status: 'active', previousStatus: null, createdAt: at, updatedAt: at }
  return emit(unit, { organisationId, environment, type, resourceId: id, data })
}

/** Emits events of one type, each in its own transaction, as a domain does. Returns their ids. */
export async function emitEvents(
  runtime: Runtime,
  of: Of,
  count = 1,
  type = 'payment_route.created',
): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await inUnit(runtime, of, (unit) => emitOne(unit, of, n, type)))
  return ids
}

/** Emits events in one transaction, so that they are fanned out together. */
export const emitTogether = (runtime: Runtime, of: Of, count: number): Promise<string[]> =>
  inUnit(runtime, of, (unit) => Array.from({ length: count }, (_, n) => emitOne(unit, of, n, 'payment_route.created')))

/** Polls until `enough` is true of the result, and returns it. */
export async function until<T>(look: () => Promise<T>, enough: (value: T) => boolean): Promise<T> {
  let value = await look()
  for (let tries = 0; !enough(value); tries++) {
    if (tries === 250) throw new Error(`It never came to that: ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
    value = await look()
  }
  return value
}

/** The deliveries of an endpoint, oldest first, once `enough` is true of them. */
export const deliveriesOf = (
  merchant: Merchant,
  endpointId: string,
  // biome-ignore lint/suspicious/noExplicitAny: a test inspects any response
  enough: (deliveries: any[]) => boolean,
) =>
  until(
    async () => (await merchant.call(`GET /v1/webhooks/${endpointId}/deliveries`)).body.data.deliveries.toReversed(),
    enough,
  )

/** Advances the merchant's sandbox clock. */
export const advance = (merchant: Merchant, seconds: number) =>
  merchant.call('POST /v1/sandbox/advance', { body: { seconds } })

/** Registers an endpoint and returns it with its secret. */
export async function endpoint(merchant: Merchant, body: Record<string, unknown>) {
  const made = await merchant.call('POST /v1/webhooks', { body })
  if (made.status !== 201) throw new Error(made.text)
  return made.body.data
}

/** The stored row of an endpoint. */
export async function stored(service: TestService, table: string, column: string, id: string) {
  const { rows } = await service.runtime.pool.query(`select * from ${table} where ${column} = $1`, [id])
  return rows
}

/** Whether no delivery is pending. */
export const finished = (deliveries: readonly { status: string }[]): boolean =>
  deliveries.length > 0 && deliveries.every(({ status }) => status !== 'pending')

/**
 * Receivers for one test file. All listen from the start, since the service must know its exempt targets when it starts and no other
 * process may take a port meanwhile. None serves two tests: a delivery that one test leaves pending reaches no other's receiver.
 */
export async function receiverPool(size = 24) {
  const answers: NonNullable<ReceiverOptions['answer']>[] = []
  const all = await Promise.all(
    Array.from({ length: size }, (_, index) =>
      startReceiver({ answer: (delivery, count) => answers[index]?.(delivery, count) ?? 'hang' }),
    ),
  )
  let closed = 0
  afterEach(async () => {
    const used = all.slice(closed, answers.length)
    closed = answers.length
    await Promise.all(used.map((receiver) => receiver.close()))
  })
  afterAll(() => Promise.all(all.slice(closed).map((receiver) => receiver.close())))
  return {
    devTargets: all.map(({ origin }) => origin).join(','),
    async start(answer: ReceiverOptions['answer'] = () => 200): Promise<Receiver> {
      const receiver = all[answers.length]
      if (!receiver) throw new Error('More receivers than ports')
      answers.push(answer)
      return receiver
    },
  }
}
