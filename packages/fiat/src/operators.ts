import { type AttentionSource, type OperatorsDeclaration, sqlOf } from '@payments/platform'
import { budget } from './rate-budget.ts'
import { POLL, SOON_SECONDS } from './schedule.ts'

const source = (kind: 'offramp' | 'onramp', paying: string, unfinished: string, outcome: string): AttentionSource => ({
  kind,
  sql: `select o.id, o.organisation_id, o.environment, o.status,
               case when o.attention = 'compliance_hold' then 'held' when o.attention is not null then 'failed'
                    when ${outcome} or (q.failing_since is not null and o.status in (${paying})) then 'unknown' else 'stuck' end as condition,
               coalesce(o.attention, q.error, case when ${outcome} then 'The provider does not say what became of the money' else 'No change for longer than an hour' end) as reason,
               coalesce(q.failing_since, o.updated_at) as since
          from ${kind}s o left join fiat_polls q on q.id = o.id
         where (o.attention is not null or o.status in (${unfinished}))
           and (o.attention is not null or ${outcome} or q.failing_since is not null
                or (o.status in (${paying}) and o.updated_at < now() - interval '1 hour'))`,
  async recheck(unit, ids) {
    await sqlOf(unit.em).query(
      `update fiat_polls set next_poll_at = least(next_poll_at, now()), poll_seconds = least(poll_seconds, ${SOON_SECONDS}) where id = any ($1::uuid[])`,
      [ids],
    )
    unit.afterCommit(() => unit.runtime.trigger(POLL))
  },
})

export const operators: OperatorsDeclaration = {
  attention: [
    source(
      'offramp',
      "'processing', 'settled'",
      "'pending', 'processing', 'settled'",
      'o.provider_outcome is not null',
    ),
    source('onramp', "'processing'", "'awaiting_payment', 'processing'", 'false'),
  ],
  search: [
    {
      kind: 'offramp',
      from: 'offramps',
      by: {
        provider_id: 'provider_order_id',
        transaction_hash: 'tx_hash',
        reference: 'reference',
        deposit_address: 'deposit_address',
      },
    },
    {
      kind: 'onramp',
      from: 'onramps',
      by: {
        provider_id: 'provider_order_id',
        transaction_hash: 'tx_hash',
        reference: 'reference',
        payment_reference: 'payment_reference',
      },
    },
  ],
  rateBudgets: budget.read,
}
