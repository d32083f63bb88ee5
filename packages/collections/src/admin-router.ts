import { operatorCommand, query } from '@payments/platform'
import { applyHiddenSync, routesErrors, SyncResult, syncHiddenRoute } from '@payments/routes'
import { z } from 'zod'
import { errors } from './errors.ts'
import { presentSession } from './present.ts'
import { AdminSessionList, SessionId } from './schemas.ts'
import { findSessionAnywhere, sessionsNeedingAttention } from './service.ts'

const tag = 'Collections'

/** Operator operations on checkout sessions of any organisation. */
export const collectionsAdminRouter = {
  list: query({
    rest: 'GET /admin/ops/checkout-sessions',
    access: 'operator',
    tag,
    summary: 'List checkout sessions that need attention',
    description:
      'Sessions of all organisations whose payment has been under way for longer than an hour, or was neither delivered nor returned. At most 200; `total` counts all of them.',
    message: 'Checkout sessions retrieved',
    input: z.strictObject({}),
    output: AdminSessionList,
    async run(context) {
      const { rows, total } = await sessionsNeedingAttention(context)
      const sessions = rows.map((row) => ({
        ...presentSession(row),
        organisationId: row.organisationId,
        environment: row.environment,
      }))
      return { sessions, total }
    },
  }),
  sync: operatorCommand({
    rest: 'POST /admin/ops/checkout-sessions/{sessionId}/sync',
    tag,
    summary: 'Sync the payments of a checkout session now',
    description: 'Requests everything that the provider knows of its address.',
    message: 'Payments synced',
    input: SessionId,
    output: SyncResult,
    errors: [
      errors.session_not_found,
      routesErrors.sync_limited,
      routesErrors.provider_failed,
      routesErrors.provider_unavailable,
    ],
    callsProvider: true,
    before: async (context, { sessionId }) =>
      syncHiddenRoute(context, (await findSessionAnywhere(context, sessionId)).routeId),
    async run(unit, { sessionId: id }, pending) {
      const { organisationId, environment } = pending.route
      return { reply: await applyHiddenSync(unit, pending), subject: { id, organisationId, environment } }
    },
  }),
}
