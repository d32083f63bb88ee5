import { errors as commonErrors, type Environment, noInput } from '@payments/kernel'
import { ledgerErrors } from '@payments/ledger'
import { operatorCommand, query } from '@payments/platform'
import { routesErrors, SyncResult, syncHiddenRoute } from '@payments/routes'
import { findSessionAnywhere, forOperators, sessionsNeedingAttention } from '../collections/service.ts'
import { errors } from '../errors.ts'
import { presentSession } from '../present.ts'
import { AdminSessionList, Session, SessionSettlement, SessionSync } from '../schemas.ts'
import { settleSession } from '../sessions/settle.ts'

const tag = 'Collections'

/** Operator operations on checkout sessions of any organisation. */
export const collectionsAdminRouter = {
  list: query({
    rest: 'GET /admin/ops/checkout-sessions',
    access: 'operator',
    tag,
    summary: 'List checkout sessions that need attention',
    description:
      'Sessions of all organisations whose payment has been under way for longer than an hour, was neither delivered nor returned, or came back to this service. At most 200; `total` counts all of them.',
    message: 'Checkout sessions retrieved',
    input: noInput,
    output: AdminSessionList,
    async run(context) {
      const { rows, total } = await sessionsNeedingAttention(context)
      const shown = await forOperators(context, rows)
      const sessions = shown.map((each, index) => ({
        ...each,
        organisationId: rows[index]?.organisationId as string,
        environment: rows[index]?.environment as Environment,
      }))
      return { sessions, total }
    },
  }),
  sync: operatorCommand({
    rest: 'POST /admin/ops/checkout-sessions/{sessionId}/sync',
    tag,
    summary: 'Sync the payments of a checkout session now',
    description:
      'Requests everything that the provider knows of its address, and makes it look for money in another currency, with `networkKey` on another network: it watches neither by itself.',
    message: 'Payments synced',
    input: SessionSync,
    output: SyncResult,
    errors: [
      errors.checkout_session_not_found,
      routesErrors.sync_limited,
      routesErrors.provider_failed,
      routesErrors.provider_unavailable,
    ],
    callsProvider: true,
    before: async (context, { sessionId, networkKey }) =>
      syncHiddenRoute(context, (await findSessionAnywhere(context, sessionId)).routeId, networkKey),
    async run(_unit, { sessionId: id }, { counts, route: { organisationId, environment } }) {
      return { reply: counts, subject: { id, organisationId, environment } }
    },
  }),
  settle: operatorCommand({
    rest: 'POST /admin/ops/checkout-sessions/{sessionId}/settle',
    tag,
    summary: 'Settle a payment to a checkout session',
    description:
      'For payments whose provider does not say so, contradicts itself, or sent the money back to this service, and for sessions that wait: the states, events and entries are those of a report of the provider. Later reports that contradict are kept.',
    message: 'Checkout session settled',
    input: SessionSettlement,
    output: Session,
    errors: [
      errors.checkout_session_not_found,
      errors.session_not_settleable,
      ledgerErrors.suspense_moved,
      commonErrors.second_operator_required,
    ],
    money: true,
    async run(unit, input) {
      const { before, session } = await settleSession(unit, input)
      return {
        reply: presentSession(session),
        subject: session,
        before: { status: before.status, receivedAmount: presentSession(before).receivedAmount },
        after: { status: session.status, receivedAmount: presentSession(session).receivedAmount },
      }
    },
  }),
}
