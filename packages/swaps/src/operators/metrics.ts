import type { Environment } from '@payments/kernel'
import { byEnvironment, type Metric } from '@payments/platform'

/** Gauges: overdue swaps, and swaps that fail to be processed. */
export const metrics: readonly Metric[] = [
  {
    name: 'swaps_overdue_seconds',
    help: 'How long the swap that has waited longest to be processed has been due',
    read: (runtime) =>
      byEnvironment(
        runtime,
        `select environment, greatest(0, extract(epoch from now() -
                  (select min(next_poll_at) from swap_polls q where q.environment = e.environment)))::float8 as value
           from (values ('test'), ('live')) as e (environment)`,
      ),
  },
  {
    name: 'swaps_suspense',
    help: 'Swaps whose address holds what the journal does not explain, or tokens of other kinds',
    read: (runtime) =>
      byEnvironment(
        runtime,
        `select environment, count(*)::int as value from swaps
          where unexplained_amount <> 0 or other_holdings is not null group by environment`,
      ),
  },
  {
    name: 'swaps_fee_payer_lamports',
    help: 'Balance of the wallet that pays the network fees of swaps',
    read: (runtime) => byEnvironment(runtime, 'select environment, lamports::float8 as value from swap_fee_payers'),
  },
  {
    name: 'swaps_fee_payer_unexplained_lamports',
    help: 'What left the fee payer by transactions that this service did not store, and what its known changes do not sum up to',
    read: (runtime) =>
      byEnvironment(
        runtime,
        `select p.environment, (coalesce(-c.unexplained, 0) + abs(p.lamports - coalesce(c.total, 0)))::float8 as value
           from swap_fee_payers p
           left join (select environment, sum(lamports) as total, sum(lamports) filter (where not explained) as unexplained
                        from swap_fee_payer_changes group by environment) c on c.environment = p.environment`,
      ),
  },
  {
    name: 'swaps_transaction_cost_lamports',
    help: 'What the transactions of an organisation have cost the fee payer in the last 24 hours, fees and rents: the 50 organisations that cost most',
    read: async ({ pool }) =>
      (
        await pool.query<{ environment: Environment; organisation: string; kind: string; value: number }>(
          `select environment, organisation_id as organisation, kind, sum(cost_lamports)::float8 as value from swap_transactions
            where cost_lamports > 0 and created_at > now() - interval '1 day'
            group by environment, organisation_id, kind order by value desc limit 50`,
        )
      ).rows.map(({ value, ...labels }) => ({ labels, value })),
  },
  {
    name: 'swaps_failing',
    help: 'Swaps that could not be processed when it was tried last',
    read: (runtime) =>
      byEnvironment(
        runtime,
        'select environment, count(*)::int as value from swap_polls where failing_since is not null group by environment',
      ),
  },
]
