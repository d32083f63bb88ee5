import type { Tenant } from '@payments/kernel'
import { notifyTenants } from '@payments/notifications'
import type { ForgottenTime, SqlExecutor } from '@payments/platform'

/** The type of notification that tells a merchant of a restore. */
export const RESTORED = 'service.restored'

const minute = (time: Date): string => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`

/**
 * Tells every organisation which time the service has forgotten, with the transaction that secures everything against it: once, however
 * often the command is interrupted. The live environment has the email where the organisation has one, so that nobody gets two.
 */
export async function tellOrganisations(db: SqlExecutor, { from, to }: ForgottenTime): Promise<readonly string[]> {
  const { rows } = await db.query<{ id: string; live: boolean }>(
    `select id, live_enabled_at is not null or exists (
              select from api_keys k where k.organisation_id = o.id and k.environment = 'live') as live
       from organisations o order by id`,
  )
  const tenants = rows.flatMap(({ id: organisationId, live }): (Tenant & { email: boolean })[] => [
    { organisationId, environment: 'test', email: !live },
    ...(live ? [{ organisationId, environment: 'live' as const, email: true }] : []),
  ])
  await notifyTenants(db, tenants, {
    type: RESTORED,
    title: 'The service was restored to an earlier point',
    // The end of the last minute counts as forgotten.
    body: `Objects and events from ${minute(from)} to ${minute(new Date(to.getTime() + 60_000))} may be missing, and missing events are not sent again. Compare your records of that time with the lists or their exports. Repeat requests whose objects are missing, with the same Idempotency-Key. Where GET /v1/events/stream does not know your last event any more, resume after your last one from before that time. All users have to sign in again.`,
  })
  return rows.length === 0 ? [] : [`Organisations that are told of the forgotten time: ${rows.length}`]
}
