import { endings, type OperatorsDeclaration, sqlOf } from '@payments/platform'
import { kinds } from '../kinds/kinds.ts'
import { COUNTS } from '../money/treasury.ts'
import { RECORD_DAYS } from '../movements/records.ts'
import { FEED } from '../provider/schedule.ts'
import { enablementMachine, machines } from '../states.ts'

const settle = (...outcomes: ('completed' | 'failed')[]) => ({ command: 'admin.cngn.settle', outcomes })

export const operators: OperatorsDeclaration = {
  endings: [
    ...kinds.map((kind) =>
      endings(machines[kind], {
        pending: settle('completed', 'failed'),
        processing: settle('completed', 'failed'),
        completed: settle('failed'),
        failed: settle('completed'),
      }),
    ),
    endings(enablementMachine, {
      pending: 'It moves no money, and ends after a day at the latest',
      enabled: 'It moves no money',
      failed: 'It moves no money',
    }),
  ],
  attention: [
    {
      kind: 'cngn_transfer',
      sql: `select t.id, t.organisation_id, t.environment, t.status,
                   case when t.attention in ('money_with_provider', 'organisation_suspended') then 'held' when t.attention in ('outcome_unknown', 'other_credentials') then 'unknown'
                        when t.attention is not null then 'failed'
                        when s.status in ('claimed', 'unresolved', 'held') then 'unknown' else 'stuck' end as condition,
                   coalesce(t.attention, s.error, 'No change for longer than an hour') as reason, coalesce(s.sent_at, t.updated_at) as since
              from cngn_transfers t left join cngn_sends s on s.id = t.id
             where (t.attention is not null or t.status in ('pending', 'processing'))
               and (t.attention is not null or (t.updated_at < now() - interval '1 hour' and t.approval_status is distinct from 'waiting')
                    or (s.sent_at < now() - interval '5 minutes' and s.status in ('claimed', 'unresolved', 'held')))`,
      async recheck(unit, ids) {
        await sqlOf(unit.em).query(
          `update cngn_feeds f set next_poll_at = least(next_poll_at, now()) from cngn_transfers t
            where t.id = any ($1::uuid[]) and f.environment = t.environment and f.account = t.account`,
          [ids],
        )
        unit.afterCommit(() => unit.runtime.trigger(FEED))
      },
    },
    {
      kind: 'cngn_receipt',
      sql: `select id, organisation_id, environment, status, 'held' as condition, 'No reference ties it to exactly one payin' as reason, created_at as since
              from cngn_receipts where status = 'suspense'`,
    },
    {
      kind: 'cngn_record',
      sql: `select id, organisation_id, environment, reason as status, 'failed' as condition,
                   reason || coalesce(': ' || reference, '') as reason, first_at as since
              from cngn_records where last_at > now() - interval '${RECORD_DAYS} days'`,
    },
    {
      kind: 'cngn_treasury',
      sql: `select id, null::uuid as organisation_id, environment, case when difference < 0 then 'short' else 'over' end as status,
                   'failed' as condition, 'Differs from the journal by ' || trim_scale(difference / 1e6) || ' cNGN' as reason,
                   coalesce(differs_since, checked_at) as since
              from cngn_treasuries where ${COUNTS}`,
    },
  ],
  search: [
    {
      kind: 'cngn_transfer',
      from: 'cngn_transfers',
      by: {
        provider_id: 'provider_reference',
        reference: 'reference',
        transaction_hash: 'tx_hash',
        deposit_transaction_hash: 'deposit_tx_hash',
      },
    },
    {
      kind: 'cngn_transfer',
      from: "(select id, organisation_id, environment, receive_at from cngn_transfers where kind in ('convert', 'deposit')) as receiving",
      by: { deposit_address: 'receive_at' },
    },
    { kind: 'cngn_transfer', from: 'cngn_sends', by: { provider_id: 'reference' } },
    {
      kind: 'cngn_receipt',
      from: 'cngn_receipts',
      by: { provider_id: 'reference' },
    },
  ],
}
