import { endings, type OperatorsDeclaration, type SqlExecutor, sqlOf } from '@payments/platform'
import { HELD } from '../entity.ts'
import { POLL, SOON_SECONDS, STUCK_SECONDS } from '../schedule/schedule.ts'
import { depositMachine, routeMachine } from '../states.ts'

/** Makes the routes of a condition (SQL, whose `$1` is `ids`) due for their poll now. */
const pollWhere = (db: SqlExecutor, condition: string, ids: readonly string[]) =>
  db.query(
    `update payment_route_polls set next_poll_at = least(next_poll_at, now()), poll_seconds = least(poll_seconds, ${SOON_SECONDS}) where id in (select id from payment_route_polls where ${condition} order by id for no key update)`,
    [ids],
  )

/** Makes routes due for their poll now: the polls that follow are within the rate budget of the provider. */
export const pollSoon = (db: SqlExecutor, routeIds: readonly string[]) =>
  pollWhere(db, 'id = any ($1::uuid[])', routeIds)

const SETTLE = {
  command: 'admin.paymentRoutes.settleDeposit',
  outcomes: ['completed', 'refunded', 'not_received'],
} as const

export const operators: OperatorsDeclaration = {
  attention: [
    {
      kind: 'payment_route_deposit',
      sql: `select id, organisation_id, environment, status, case status when 'failed' then 'failed' else 'stuck' end as condition,
                   coalesce(failure_reason || coalesce(': ' || provider_reason, ''), 'Pending for longer than an hour' || coalesce(': ' || provider_reason, '')) as reason,
                   updated_at as since
              from payment_route_deposits
             where status in ('pending', 'failed') and not hidden and settled_at is null
               and (status = 'failed' or created_at < now() - make_interval(secs => ${STUCK_SECONDS}))
            union all
            select id, organisation_id, environment, status, 'held', 'Refunded to an address of this service: pass it on, then settle', updated_at
              from payment_route_deposits where ${HELD} and not hidden`,
      async recheck(unit, ids) {
        const condition = 'id in (select payment_route_id from payment_route_deposits where id = any ($1::uuid[]))'
        await pollWhere(sqlOf(unit.em), condition, ids)
        unit.afterCommit(() => unit.runtime.trigger(POLL))
      },
    },
  ],
  search: [
    {
      kind: 'payment_route',
      from: '(select payment_route_id as id, organisation_id, environment, address from payment_route_addresses) a',
      by: { deposit_address: 'address' },
    },
    {
      kind: 'payment_route_deposit',
      from: 'payment_route_deposits',
      by: { provider_id: 'relay_request_id', transaction_hash: 'deposit_tx_hash' },
      partOf: 'payment_route_id',
    },
  ],
  endings: [
    endings(routeMachine, {
      active: 'It holds no money: its deposits do',
      paused: 'It holds no money: its deposits do',
      deleted: 'It holds no money: its deposits do',
    }),
    endings(depositMachine, {
      pending: SETTLE,
      completed: SETTLE,
      failed: SETTLE,
      refunded: SETTLE,
    }),
  ],
}
