import { endings, type OperatorsDeclaration, sqlOf } from '@payments/platform'
import { settlements } from '../schemas.ts'
import { swapMachine } from '../states.ts'
import { POLL } from '../swaps/schedule.ts'

const SETTLE = 'admin.swaps.settle'
const RETURNED = { command: SETTLE, outcomes: ['returned'] }

export const operators: OperatorsDeclaration = {
  endings: [
    endings(swapMachine, {
      awaiting_deposit: 'Nothing is swapped yet: its merchant cancels it, or it expires, and what arrived is sent back',
      swapping: { command: SETTLE, outcomes: settlements },
      completed: RETURNED,
      failed: RETURNED,
      expired: RETURNED,
      cancelled: RETURNED,
      refunded: RETURNED,
    }),
  ],
  attention: [
    {
      kind: 'swap',
      sql: `select s.id, s.organisation_id, s.environment, s.status,
                   case when s.unexplained_amount <> 0 or s.other_holdings is not null or s.held_at is not null then 'held' when s.status = 'failed' then 'failed'
                        when t.signature is not null then 'unknown' else 'stuck' end as condition,
                   case when s.unexplained_amount < 0 then 'The deposit address holds less than the journal says: a transaction that is not known has moved it'
                        when s.unexplained_amount <> 0 or s.other_holdings is not null then 'The deposit address holds what the journal does not explain'
                        when s.held_at is not null then 'organisation_suspended'
                        when q.failing_since is not null then coalesce(q.error, 'It cannot be processed')
                        when s.status = 'failed' then coalesce(s.failure_reason, 'Failed') || ': the deposit was not returned'
                        when t.signature is not null then 'The outcome of transaction ' || t.signature || ' is not known'
                        else 'No change for longer than an hour' end as reason,
                   coalesce(s.held_at, q.failing_since, s.updated_at) as since
              from (select id from swap_polls where failing_since is not null
                    union select id from swaps where held_at is not null
                    union select id from swaps where unexplained_amount <> 0 or other_holdings is not null
                    union select id from swaps where status in ('swapping', 'failed') and deposited_amount > returned_amount
                      and updated_at < now() - interval '1 hour') candidate
              join swaps s on s.id = candidate.id
              join swap_polls q on q.id = candidate.id
              left join swap_transactions t on t.swap_id = s.id and t.outcome is null`,
      async recheck(unit, ids) {
        await sqlOf(unit.em).query(
          'update swap_polls set next_poll_at = least(next_poll_at, now()) where id = any ($1::uuid[])',
          [ids],
        )
        unit.afterCommit(() => unit.runtime.trigger(POLL))
      },
    },
  ],
  search: [
    { kind: 'swap', from: 'swaps', by: { deposit_address: 'deposit_address' } },
    {
      kind: 'swap',
      from: '(select swap_id as id, organisation_id, environment, tx_hash from swap_deposits) as deposit',
      by: { transaction_hash: 'tx_hash' },
    },
    {
      kind: 'swap',
      from: '(select swap_id as id, organisation_id, environment, signature from swap_transactions) as sent',
      by: { transaction_hash: 'signature' },
    },
  ],
}
