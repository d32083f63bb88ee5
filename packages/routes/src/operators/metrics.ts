import { type Environment, environments } from '@payments/kernel'
import { byEnvironment, type LabelledValue, type Metric, type Runtime } from '@payments/platform'
import { polls, STUCK_SECONDS } from '../schedule/schedule.ts'

/** A new object that needed a quote of a provider. */
interface Quote {
  readonly environment: Environment
  /** `anonymous`: a payer without a credential. `key`: a key or session of the merchant. */
  readonly kind: 'anonymous' | 'key'
  /** `refused`: none was left for who asked. */
  readonly outcome: 'taken' | 'refused'
}

/** What each process has counted. */
const quotesOf = new WeakMap<Runtime, LabelledValue[]>()
const noQuotes = (): LabelledValue[] =>
  environments.flatMap((environment) =>
    ['anonymous', 'key'].flatMap((kind) =>
      ['taken', 'refused'].map((outcome) => ({ labels: { environment, kind, outcome }, value: 0 })),
    ),
  )

/** Counts a new object that has got a quote, or none because nobody had one left for who asks. */
export function countQuote(runtime: Runtime, { environment, kind, outcome }: Quote): void {
  const isCounted = ({ labels }: LabelledValue) =>
    labels.environment === environment && labels.kind === kind && labels.outcome === outcome
  const counts = quotesOf.get(runtime) ?? noQuotes()
  quotesOf.set(
    runtime,
    counts.map((each) => (isCounted(each) ? { ...each, value: each.value + 1 } : each)),
  )
}

/** Gauges: overdue polls, and pending deposits. A counter: quotes. */
export const metrics: readonly Metric[] = [
  {
    name: 'provider_quotes_total',
    type: 'counter',
    help: 'New payment routes and checkout sessions that needed a quote, by kind of asker (anonymous or key) and outcome (taken, or refused because none was left for that asker)',
    read: async (runtime) => quotesOf.get(runtime) ?? noQuotes(),
  },
  polls.overdue('payment_routes_overdue_seconds', 'payment route'),
  {
    name: 'payment_route_deposits_stuck',
    help: 'Deposits that have been pending for longer than an hour',
    read: (runtime) =>
      byEnvironment(
        runtime,
        `select environment, count(*)::int as value from payment_route_deposits
          where status = 'pending' and created_at < now() - make_interval(secs => $1) group by environment`,
        [STUCK_SECONDS],
      ),
  },
]
