import { system } from '@payments/kernel'
import { notify } from '@payments/notifications'
import { type Runtime, sqlOf, type UnitOfWork, unitOfWork } from '@payments/platform'
import { EndpointEntity, type EndpointRow } from '../entity.ts'
import type { DeliveryAttempt, Failing } from '../queue/queue.ts'
import { changeable, step } from './service.ts'

const HOUR = 3600
/** Hours of failing after which the merchant is notified, and after which the endpoint is disabled. */
const NOTIFY_HOURS = [1, 24, 72]
const DISABLE_HOURS = 120

/** True when the next notification of a failing endpoint is due, or when it must be disabled. */
export const isDue = ({ seconds, notices }: Pick<Failing, 'seconds' | 'notices'>): boolean =>
  seconds >= DISABLE_HOURS * HOUR || seconds >= (NOTIFY_HOURS[notices] ?? Number.POSITIVE_INFINITY) * HOUR

/** Disables an endpoint that answered 410 or has failed for five days, and notifies the merchant before that. */
export const disableIfFailing = (
  runtime: Runtime,
  { organisationId, environment, endpointId }: DeliveryAttempt,
  gone: boolean,
): Promise<void> =>
  unitOfWork({ runtime, actor: system(organisationId, environment), log: runtime.log }, (unit) =>
    apply(unit, endpointId, gone),
  )

async function apply(unit: UnitOfWork, endpointId: string, gone: boolean): Promise<void> {
  const enabled = await unit.em.findOne(EndpointEntity, { id: endpointId, status: 'enabled' }, { fields: ['id'] })
  if (!enabled) return
  const row = await changeable(unit, endpointId)
  if (row.status !== 'enabled') return
  if (gone) return disable(unit, row, 'it answered 410 Gone')
  const { rows } = await sqlOf(unit.em).query<{ seconds: number; notices: number }>(
    `select extract(epoch from now() - failing_since)::float8 as seconds, notices from webhook_queues
      where endpoint_id = $1 and failing_since is not null for no key update`,
    [endpointId],
  )
  const [failing] = rows
  if (!failing || !isDue(failing)) return
  if (failing.seconds >= DISABLE_HOURS * HOUR) return disable(unit, row, 'every delivery has failed for 5 days')
  await sqlOf(unit.em).query('update webhook_queues set notices = notices + 1 where endpoint_id = $1', [endpointId])
  notifyOf(
    unit,
    row,
    'webhook_endpoint.failing',
    'A webhook endpoint keeps failing',
    `Every delivery to ${row.url} has failed for ${duration(failing.seconds)}. After 5 days the endpoint will be disabled.`,
  )
}

async function disable(unit: UnitOfWork, row: EndpointRow, reason: string): Promise<void> {
  await step(unit, row.id, 'disable', `The endpoint was disabled: ${reason}`)
  notifyOf(
    unit,
    row,
    'webhook_endpoint.disabled',
    'A webhook endpoint was disabled',
    `${row.url} no longer receives events: ${reason}. Enable it again, then recover the events that it missed.`,
  )
}

const notifyOf = (unit: UnitOfWork, row: EndpointRow, type: string, title: string, body: string): void =>
  notify(unit, { ...row, type, title, body, resource: { type: 'webhook_endpoint', id: row.id } })

const duration = (seconds: number): string => {
  const count = Math.floor(seconds / HOUR)
  return count < 48 ? `${count} hour${count === 1 ? '' : 's'}` : `${Math.floor(count / 24)} days`
}
