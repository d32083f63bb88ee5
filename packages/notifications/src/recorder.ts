import type { Domain } from '@payments/platform'
import { notificationStatement } from './record.ts'

/** Creates the notification that a domain declares for a change. */
export const notificationRecorder: NonNullable<Domain['recorder']> = (change, domains) =>
  domains.flatMap(({ notifications }) => {
    const row = change.type === null ? undefined : notifications?.[change.type]?.[change.status]
    const declared = typeof row === 'function' ? row(change) : row
    if (!declared) return []
    const { organisationId, environment, resourceId } = change
    const { type, title, resource, body } = declared
    return {
      statement: notificationStatement(
        { organisationId, environment, type, title, body: body(change), resource: { type: resource, id: resourceId } },
        domains,
      ),
    }
  })
