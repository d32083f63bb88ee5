import { type Runtime, sqlOf, system, unitOfWork, type Work } from '@payments/kernel'
import { notify } from '@payments/notifications'
import { EndpointEntity, type EndpointRow } from './entity.ts'
import type { Failing, Parcel } from './queue.ts'
import { changeable, step } from './service.ts'

const HOUR = 3600
/** Hours of failing after which the merchant is told, and after which the endpoint is switched off. */
const NOTICE_HOURS = [1, 24, 72]
const OFF_HOURS = 120

/** Is it time to tell the merchant, or to switch the endpoint off? */
export const isDue = ({ seconds, notices }: Pick<Failing, 'seconds' | 'notices'>): boolean =>
  seconds >= OFF_HOURS * HOUR || seconds >= (NOTICE_HOURS[notices] ?? Number.POSITIVE_INFINITY) * HOUR

/** Switches off an endpoint that wants no more events, or has failed for five days; tells the merchant on the way there. */
export const judge = (
  runtime: Runtime,
  { organisationId, environment, endpointId }: Parcel,
  gone: boolean,
): Promise<void> =>
  unitOfWork({ runtime, actor: system(organisationId, environment), log: runtime.log }, (work) =>
    decide(work, endpointId, gone),
  )

async function decide(work: Work, endpointId: string, gone: boolean): Promise<void> {
  const known = await work.em.findOne(EndpointEntity, { id: endpointId, status: 'enabled' }, { fields: ['id'] })
  if (!known) return
  const row = await changeable(work, endpointId)
  if (row.status !== 'enabled') return
  if (gone) return switchOff(work, row, 'it answered 410 Gone')
  const { rows } = await sqlOf(work.em).query<{ seconds: number; notices: number }>(
    `select extract(epoch from now() - failing_since)::float8 as seconds, notices from webhook_queues
      where endpoint_id = $1 and failing_since is not null for no key update`,
    [endpointId],
  )
  const [failing] = rows
  if (!failing || !isDue(failing)) return
  if (failing.seconds >= OFF_HOURS * HOUR) return switchOff(work, row, 'it has failed for 5 days')
  await sqlOf(work.em).query('update webhook_queues set notices = notices + 1 where endpoint_id = $1', [endpointId])
  tell(
    work,
    row,
    'webhook_endpoint.failing',
    'A webhook endpoint keeps failing',
    `Every delivery to ${row.url} has failed for ${hours(failing.seconds)}. After 5 days it will be switched off.`,
  )
}

async function switchOff(work: Work, row: EndpointRow, why: string): Promise<void> {
  await step(work, row.id, 'disable', `The endpoint was switched off: ${why}`)
  tell(
    work,
    row,
    'webhook_endpoint.disabled',
    'A webhook endpoint was switched off',
    `${row.url} receives no more events: ${why}. Enable it again, then recover what it missed.`,
  )
}

const tell = (work: Work, row: EndpointRow, type: string, title: string, body: string): void =>
  notify(work, { ...row, type, title, body, resource: { type: 'webhook_endpoint', id: row.id } })

const hours = (seconds: number): string => {
  const count = Math.floor(seconds / HOUR)
  return count < 48 ? `${count} hour${count === 1 ? '' : 's'}` : `${Math.floor(count / 24)} days`
}
