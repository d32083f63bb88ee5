import { paymentsOfOwners } from '@payments/fiat'
import { endings, exportedAmount, type OperatorsDeclaration, sqlOf } from '@payments/platform'
import { joinDeposits, pollSoon } from '@payments/routes'
import { STUCK_SECONDS } from '../settings.ts'
import { checkoutMachine, invoiceMachine, linkMachine, sessionMachine } from '../states.ts'

const SETTLE = {
  command: 'admin.checkoutSessions.settle',
  outcomes: ['completed', 'refunded', 'not_received'],
} as const
const EXPIRE = { command: 'admin.checkoutSessions.settle', outcomes: ['expired'] } as const
/** SQL: what is under way, held, or came back to this service, of the payments of a session `o`, where all of it is in one currency. */
const HELD = `select sum(${exportedAmount("(p->>'amount')::numeric", "p->>'currency'")}::numeric) as amount, min(p->>'currency') as currency,
         case when bool_and(p->>'amountUsd' is not null) then sum((p->>'amountUsd')::numeric)::text end as usd
    from checkout_sessions s cross join jsonb_array_elements(s.payments) p
   where s.organisation_id = o.organisation_id and s.environment = o.environment and s.id = o.id and p->'settled' is distinct from 'true'
     and (p->>'status' in ('pending', 'failed') or p->'short' = 'true' or p->>'status' = 'refunded' and p->'refundTo'->>'owner' = 'service')
  having count(distinct p->>'currency') = 1`
const SESSIONS = 'It holds no money: its sessions do'

export const operators: OperatorsDeclaration = {
  attention: [
    {
      kind: 'checkout_session',
      sql: `select id, organisation_id, environment, status, 'stuck' as condition,
                   'Its payment has been under way for longer than an hour' as reason, coalesce(pending_since, updated_at) as since
              from checkout_sessions
             where (pending_since < now() - make_interval(secs => ${STUCK_SECONDS})
                    or (status = 'processing' and updated_at < now() - make_interval(secs => ${STUCK_SECONDS}))) and not needs_operator
            union all
            select id, organisation_id, environment, status, case when failure_reason is null then 'held' else 'failed' end,
                   coalesce(failure_reason, case when payments @> '[{"short": true}]' then 'Less was delivered than the provider promised' end,
                     'A payment is neither delivered nor returned, or came back to an address of this service'), updated_at
              from checkout_sessions where needs_operator`,
      held: HELD,
      async recheck(unit, ids) {
        const db = sqlOf(unit.em)
        const { rows } = await db.query<{ route_id: string }>(
          'select route_id from checkout_sessions where id = any ($1::uuid[])',
          [ids],
        )
        await pollSoon(
          db,
          rows.map((row) => row.route_id),
        )
      },
    },
  ],
  endings: [
    endings(linkMachine, { active: SESSIONS, inactive: SESSIONS, expired: SESSIONS }),
    endings(invoiceMachine, { open: SESSIONS, overdue: SESSIONS, expired: SESSIONS, paid: SESSIONS, void: SESSIONS }),
    endings(checkoutMachine, { open: SESSIONS, expired: SESSIONS, paid: SESSIONS, void: SESSIONS }),
    endings(sessionMachine, {
      awaiting_payment: EXPIRE,
      processing: SETTLE,
      underpaid: EXPIRE,
      paid: SETTLE,
      expired: SETTLE,
      cancelled: SETTLE,
      returned: SETTLE,
      failed: SETTLE,
    }),
  ],
  search: [
    {
      kind: 'checkout_session',
      from: 'checkout_sessions',
      by: { deposit_address: 'deposit_address', email: 'payer_email' },
      partOf: 'parent_id',
    },
    {
      kind: 'checkout_session',
      from: `(select s.id, s.organisation_id, s.environment, d.deposit_tx_hash
                from checkout_sessions s ${joinDeposits('d', 's')}) as paid`,
      by: { transaction_hash: 'deposit_tx_hash' },
    },
    {
      kind: 'checkout_session',
      from: `${paymentsOfOwners} as paid`,
      by: { transaction_hash: 'tx_hash', payment_reference: 'payment_reference' },
    },
  ],
}
