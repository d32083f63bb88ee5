import { type OperatorsDeclaration, sqlOf } from '@payments/platform'
import { POLL } from './schedule.ts'

export const operators: OperatorsDeclaration = {
  attention: [
    {
      kind: 'swap',
      sql: `select s.id, s.organisation_id, s.environment, s.status,
                   case when s.unexplained_amount <> 0 or s.other_holdings is not null then 'held' when s.status = 'failed' then 'failed'
                        when t.signature is not null then 'unknown' else 'stuck' end as condition,
                   case when s.unexplained_amount <> 0 or s.other_holdings is not null then 'The deposit address holds what the journal does not explain'
                        when s.failing_since is not null then coalesce(s.error, 'It cannot be processed')
                        when s.status = 'failed' then coalesce(s.failure_reason, 'Failed') || ': the deposit was not returned'
                        when t.signature is not null then 'The outcome of transaction ' || t.signature || ' is not known'
                        else 'No change for longer than an hour' end as reason,
                   coalesce(s.failing_since, s.updated_at) as since
              from (select id from swaps where failing_since is not null
                    union select id from swaps where unexplained_amount <> 0 or other_holdings is not null
                    union select id from swaps where status in ('swapping', 'failed') and deposited_amount > returned_amount
                      and updated_at < now() - interval '1 hour') candidate
              join swaps s on s.id = candidate.id
              left join swap_transactions t on t.swap_id = s.id and t.outcome is null`,
      async recheck(unit, ids) {
        await sqlOf(unit.em).query(
          'update swaps set next_poll_at = least(next_poll_at, now()) where id = any ($1::uuid[])',
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
