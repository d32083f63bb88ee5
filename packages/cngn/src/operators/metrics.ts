import { byEnvironment, type Metric } from '@payments/platform'

/** Gauges to alert on: the treasury, money that nobody knows the owner of, orders without an answer, and late polls. */
export const metrics: readonly Metric[] = [
  {
    name: 'cngn_treasury_difference',
    help: 'cNGN that the provider has too much or, below zero, too little, compared with the journal',
    read: (runtime) =>
      byEnvironment(runtime, 'select environment, (difference / 1e6)::float8 as value from cngn_treasuries'),
  },
  {
    name: 'cngn_treasury_checked_seconds',
    help: 'How long ago the treasury was compared with the journal',
    read: (runtime) =>
      byEnvironment(
        runtime,
        'select environment, extract(epoch from now() - checked_at)::float8 as value from cngn_treasuries',
      ),
  },
  {
    name: 'cngn_suspense',
    help: 'Transfers that arrived and belong to no object',
    read: (runtime) =>
      byEnvironment(
        runtime,
        "select environment, count(*)::int as value from cngn_receipts where status = 'suspense' group by environment",
      ),
  },
  {
    name: 'cngn_objects_needing_attention',
    help: 'cNGN objects that need an operator',
    read: (runtime) =>
      byEnvironment(
        runtime,
        'select environment, count(*)::int as value from cngn_transfers where attention is not null group by environment',
      ),
  },
  {
    name: 'cngn_orders_unresolved_seconds',
    help: 'Age of the oldest order that was sent and that the provider has not answered',
    read: (runtime) =>
      byEnvironment(
        runtime,
        `select environment, extract(epoch from now() - min(sent_at))::float8 as value from cngn_sends
          where status in ('claimed', 'unresolved', 'held') and sent_at is not null group by environment`,
      ),
  },
  {
    name: 'cngn_polls_overdue_seconds',
    help: 'How long the provider’s list that has waited longest has been due',
    read: (runtime) =>
      byEnvironment(
        runtime,
        `select environment, greatest(0, extract(epoch from now() - min(next_poll_at)))::float8 as value
           from cngn_feeds group by environment`,
      ),
  },
]
