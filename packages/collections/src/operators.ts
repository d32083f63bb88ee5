import { type OperatorsDeclaration, sqlOf } from '@payments/platform'
import { pollSoon } from '@payments/routes'
import { STUCK_SECONDS } from './settings.ts'

export const operators: OperatorsDeclaration = {
  attention: [
    {
      kind: 'checkout_session',
      sql: `select id, organisation_id, environment, status, case status when 'failed' then 'failed' else 'stuck' end as condition,
                   coalesce(failure_reason, 'Its payment has been under way for longer than an hour') as reason, updated_at as since
              from checkout_sessions
             where status = 'failed' or (status = 'processing' and updated_at < now() - make_interval(secs => ${STUCK_SECONDS}))`,
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
  search: [
    {
      kind: 'checkout_session',
      from: 'checkout_sessions',
      by: { deposit_address: 'deposit_address', email: 'payer_email' },
    },
  ],
}
