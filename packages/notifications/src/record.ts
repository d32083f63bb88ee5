import { newId, type Tenant } from '@payments/kernel'
import {
  domainsOf,
  notificationTypesOf,
  type Recorder,
  type Runtime,
  type SqlExecutor,
  type Statement,
  type UnitOfWork,
} from '@payments/platform'

/** The text of a notification and the resource that it refers to. */
interface NewNotification extends Tenant {
  /** One of the declared types, for example `api_key.created`. */
  readonly type: string
  readonly title: string
  readonly body: string
  readonly resource: { readonly type: string; readonly id: string }
}

/**
 * The statement that creates a notification, with its email if anybody may want one: the transaction of its cause decides
 * that, and a job queues the emails.
 * @throws Error for a type that no domain declares: users could not turn it off.
 */
function notificationStatement(notification: NewNotification, runtime: Pick<Runtime, 'domains'>): Statement {
  const { organisationId, environment, type, title, body, resource } = notification
  const declared = notificationTypesOf(runtime.domains)[type]
  if (!declared) throw new Error(`No domain declares the notification type ${type}`)
  const emailDue = declared.email
    ? 'true'
    : 'exists (select from notification_preferences where organisation_id = $2 and type = $4 and email)'
  return {
    text: `insert into notifications (id, organisation_id, environment, type, title, body, resource_type, resource_id, created_at, email_due)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, ${emailDue})`,
    values: [newId(), organisationId, environment, type, title, body, resource.type, resource.id, new Date()],
  }
}

/** Creates a notification with the commit, so that it exists exactly when the change is committed. */
export const notify = (unit: UnitOfWork, notification: NewNotification): void =>
  unit.appendToCommit(notificationStatement(notification, unit.runtime))

/**
 * Creates one notification in each of these tenants, about the organisation itself, in the transaction of `db`. Members get an email of
 * those with `email`, unless they turned it off.
 */
export async function notifyTenants(
  db: SqlExecutor,
  tenants: readonly (Tenant & { readonly email: boolean })[],
  { type, title, body }: Pick<NewNotification, 'type' | 'title' | 'body'>,
): Promise<void> {
  await db.query(
    `insert into notifications (id, organisation_id, environment, type, title, body, resource_type, resource_id, created_at, email_due)
     select t.id, t.organisation_id, t.environment, $1, $2, $3, 'organisation', t.organisation_id, now(), t.email
       from unnest($4::uuid[], $5::uuid[], $6::text[], $7::boolean[]) as t (id, organisation_id, environment, email)`,
    [
      ...[type, title, body, tenants.map(() => newId())],
      ...[tenants.map(({ organisationId }) => organisationId), tenants.map(({ environment }) => environment)],
      tenants.map(({ email }) => email),
    ],
  )
}

/** Creates the notification that a domain declares for a change. */
export const notificationRecorder: Recorder = (change, runtime) =>
  domainsOf(runtime).flatMap(({ work }) => {
    const row = change.type === null ? undefined : work?.notifications?.[change.type]?.[change.status]
    const declared = typeof row === 'function' ? row(change) : row
    if (!declared) return []
    const { organisationId, environment, resourceId } = change
    const { type, title, resource, body } = declared
    return {
      statement: notificationStatement(
        { organisationId, environment, type, title, body: body(change), resource: { type: resource, id: resourceId } },
        runtime,
      ),
    }
  })
