import { type AttentionSource, endings, type OperatorsDeclaration, sqlOf, type UnitOfWork } from '@payments/platform'
import { announce, POLL } from '../orders/schedule.ts'
import { settlements } from '../schemas.ts'
import { offrampMachine, onrampMachine, refundMachine } from '../states.ts'

async function recheck(unit: UnitOfWork, ids: readonly string[]): Promise<void> {
  await announce(sqlOf(unit.em), ids)
  unit.afterCommit(() => unit.runtime.trigger(POLL))
}

const source = (kind: 'offramp' | 'onramp', paying: string, unfinished: string, outcome: string): AttentionSource => ({
  kind,
  sql: `select o.id, o.organisation_id, o.environment, o.status,
               case when o.attention = 'compliance_hold' then 'held' when o.attention in ('unconfirmed', 'other_credentials') then 'unknown' when o.attention is not null then 'failed'
                    when ${outcome} or (q.failing_since is not null and o.status in (${paying})) then 'unknown' else 'stuck' end as condition,
               coalesce(o.attention, q.error, case when ${outcome} then 'The provider does not report the outcome of the money' else 'No change for longer than an hour' end) as reason,
               coalesce(q.failing_since, o.updated_at) as since
          from ${kind}s o left join fiat_polls q on q.id = o.id
         where (o.attention is not null or o.status in (${unfinished}))
           -- Listed by the platform, with what was reported.
           and o.attention is distinct from 'contradicting_report'
           and (o.attention is not null or ${outcome} or q.failing_since is not null
                or (o.status in (${paying}) and o.updated_at < now() - interval '1 hour'))`,
  recheck,
})

const SETTLE = 'admin.fiat.settle'
const ALL = settlements

export const operators: OperatorsDeclaration = {
  endings: [
    endings(offrampMachine, {
      pending: { command: SETTLE, outcomes: ALL },
      processing: { command: SETTLE, outcomes: ALL },
      settled: { command: SETTLE, outcomes: ALL },
      delivered: { command: SETTLE, outcomes: ['delivered', 'refunded'] },
      failed: { command: SETTLE, outcomes: ALL },
    }),
    endings(onrampMachine, {
      awaiting_payment: { command: SETTLE, outcomes: ALL },
      processing: { command: SETTLE, outcomes: ALL },
      delivered: { command: SETTLE, outcomes: ['delivered', 'refunded'] },
      expired: { command: SETTLE, outcomes: ['delivered', 'refunded'] },
      failed: { command: SETTLE, outcomes: ALL },
    }),
    // A refund has the id of its order.
    endings(refundMachine, {
      pending: { command: SETTLE, outcomes: ALL },
      completed: { command: SETTLE, outcomes: ALL },
      failed: { command: SETTLE, outcomes: ALL },
      withdrawn: { command: SETTLE, outcomes: ['refunded'] },
    }),
  ],
  attention: [
    source(
      'offramp',
      "'processing', 'settled'",
      "'pending', 'processing', 'settled'",
      'o.provider_outcome is not null',
    ),
    source('onramp', "'processing'", "'awaiting_payment', 'processing'", 'false'),
    {
      // A refund has the id of its order. Not every provider tells when it is complete.
      kind: 'fiat_refund',
      sql: `select id, organisation_id, environment, status, 'stuck' as condition,
                   'The refund has been on its way for longer than an hour' as reason, updated_at as since
              from fiat_refunds where status = 'pending' and updated_at < now() - interval '1 hour'`,
      recheck,
    },
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
}
