import type { Outputs } from '@payments/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { usePlace } from '../../context.ts'
import { DAY_MS, dayIn } from '../../parts/format.ts'
import { filtersIn } from '../../parts/lists/transactions.ts'
import { TransactionTable } from '../../parts/object/transaction-table.tsx'
import { Amount, Failure, Screen, Skeleton, Time } from '../../parts/parts.tsx'
import { GoLive } from './go-live.tsx'
import { Volume } from './volume.tsx'

const NEWEST = 5
/** So many payments that need a decision, and payouts that wait for an approval, are named. */
const MOST_NAMED = 5
/** How far back a transaction in trouble is looked for. */
const ATTENTION_DAYS = 7

/** Where the organisation stands: the first steps until they are done, exact figures once there is something to count, and what happened last. */
export function Overview() {
  const { environment, api, me } = usePlace()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'overview'],
    async queryFn() {
      const troubled = troubledSince(new Date(Date.now() - ATTENTION_DAYS * DAY_MS))
      const [recent, trouble, paid, links, overdue, undecided, approvals, keys, endpoints, summary, { days }] =
        await Promise.all([
          api.transactions.search.query({ limit: NEWEST }),
          api.transactions.search.query({ ...filtersIn(troubled), limit: 1 }),
          api.transactions.search.query({ kinds: ['collection'], statuses: ['paid'], limit: 1 }),
          api.collections.search.query({ limit: 1 }),
          api.collections.search.query({ statuses: ['overdue'], limit: 1 }),
          api.collections.undecided.query({}),
          api.payoutApprovals.list.query({ status: 'waiting' }),
          api.apiKeys.list.query({}),
          api.webhooks.list.query({}),
          api.reports.summary.query({}),
          // Of the period and of the one before.
          api.reports.daily.query({ from: dayIn(me.organisation.timeZone, new Date(Date.now() - 59 * DAY_MS)) }),
        ])
      const [endpoint] = endpoints.webhookEndpoints
      const delivered = endpoint
        ? (await api.webhooks.deliveries.query({ webhookEndpointId: endpoint.id })).deliveries.some(
            ({ status }) => status === 'delivered',
          )
        : false
      const attention: Attention = {
        disabled: endpoints.webhookEndpoints.filter(({ status }) => status !== 'enabled').length,
        overdue: overdue.total ?? 0,
        troubled: trouble.total,
        path: `/transactions?${troubled}`,
        undecided: undecided.sessions.slice(0, MOST_NAMED),
        moreUndecided: Math.max(0, undecided.total - MOST_NAMED),
        waiting: approvals.approvals.toSorted(byMoneyAndAge).slice(0, MOST_NAMED),
        moreWaiting: Math.max(0, approvals.total - MOST_NAMED),
      }
      const hasKey = keys.apiKeys.some((key) => key.environment === environment && !key.revokedAt)
      return { recent, isPaid: paid.total > 0, links, hasKey, endpoint, delivered, attention, summary, days }
    },
  })
  if (error)
    return (
      <Screen title="Overview">
        <Failure error={error} retry={() => void refetch()} />
      </Screen>
    )
  if (!data)
    return (
      <Screen title="Overview">
        <Skeleton lines={8} />
      </Screen>
    )
  const { recent, isPaid, links, hasKey, endpoint, delivered, attention, summary, days } = data
  const [link] = links.collections
  const created = links.total ?? 0
  const steps: readonly Step[] = [
    {
      name: 'Create a payment link',
      why: 'An address where anyone can pay you, without a line of code.',
      done: created > 0,
      path: '/collections?new=1',
    },
    {
      name: 'Pay it in the sandbox',
      why: 'One click; no money moves.',
      done: isPaid,
      path: link ? `/collections/${link.id}` : '/collections',
    },
    {
      name: 'Create an API key',
      why: 'Lets your server create payments like this one.',
      done: hasKey,
      path: '/keys',
    },
    {
      name: 'Receive a webhook',
      why: 'Add an endpoint and send it a test event; it appears here as delivered.',
      done: delivered,
      path: endpoint ? `/webhooks/${endpoint.id}` : '/webhooks',
    },
  ]
  // The first steps are taken in test, and going live follows them.
  const isLearning = environment === 'test' && steps.some((step) => !step.done)
  return (
    <Screen title="Overview">
      <NeedsAttention of={attention} />
      {isLearning ? <FirstSteps steps={steps} /> : <GoLive />}
      {recent.total + created > 0 && (
        <>
          <Volume summary={summary} days={days} />
          <dl className="figures">
            <div>
              <dt>All transactions</dt>
              <dd>{recent.total.toLocaleString('en')}</dd>
            </div>
            <div>
              <dt>Payment links, invoices and checkouts</dt>
              <dd>{created.toLocaleString('en')}</dd>
            </div>
          </dl>
        </>
      )}
      <div className="head">
        <h2>Newest transactions</h2>
        {recent.next && <Link href="/transactions">Show all</Link>}
      </div>
      {recent.transactions.length > 0 ? (
        <TransactionTable transactions={recent.transactions} />
      ) : (
        <p className="hint">None yet. Payments appear here automatically.</p>
      )}
    </Screen>
  )
}

interface Attention {
  readonly disabled: number
  readonly overdue: number
  readonly troubled: number
  /** Where the transactions in trouble are. */
  readonly path: string
  /** Sessions with money that does not count. */
  readonly undecided: readonly Undecided[]
  readonly moreUndecided: number
  /** Payouts that wait for a second person. */
  readonly waiting: readonly Waiting[]
  readonly moreWaiting: number
}

type Undecided = Outputs['collections']['undecided']['sessions'][number]
type Waiting = Outputs['payoutApprovals']['list']['approvals'][number]

/** The most money first, all of it cNGN; of equal amounts the one that has waited longest. */
const byMoneyAndAge = (one: Waiting, other: Waiting): number =>
  Number(other.amount) - Number(one.amount) || one.createdAt.localeCompare(other.createdAt)

/** The filters of the transactions that failed, or of which a part is missing, since a day. */
const troubledSince = (day: Date): URLSearchParams =>
  new URLSearchParams({ status: 'failed,underpaid', from: day.toISOString().slice(0, 10) })

/** What a member should look at, each with the way there; nothing where there is nothing. */
function NeedsAttention({ of }: { of: Attention }) {
  const { disabled, overdue, troubled, path, undecided, moreUndecided, waiting, moreWaiting } = of
  const found = [
    {
      count: disabled,
      says: disabled === 1 ? 'webhook endpoint is disabled' : 'webhook endpoints are disabled',
      to: '/webhooks',
    },
    {
      count: troubled,
      says: `${troubled === 1 ? 'transaction' : 'transactions'} failed or underpaid in the last ${ATTENTION_DAYS} days`,
      to: path,
    },
    {
      count: overdue,
      says: overdue === 1 ? 'invoice is overdue' : 'invoices are overdue',
      to: '/collections?status=overdue',
    },
  ].filter(({ count }) => count > 0)
  if (found.length + undecided.length + waiting.length === 0) return null
  return (
    <section className="note" aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      <ul>
        {waiting.map((each) => (
          <li key={each.id}>
            <WaitingApproval of={each} />
          </li>
        ))}
        {moreWaiting > 0 && (
          <li>
            <Link href="/settings/payments">{moreWaiting.toLocaleString('en')} more payouts wait for approval</Link>
          </li>
        )}
        {undecided.map(({ id, parentId, situation }) => (
          <li key={id}>
            <Link href={`/collections/${parentId}`}>{situation?.heading}</Link>: {situation?.text}
          </li>
        ))}
        {moreUndecided > 0 && <li>{moreUndecided.toLocaleString('en')} more payments wait for your decision</li>}
        {found.map(({ count, says, to }) => (
          <li key={to}>
            <Link href={to}>
              {count.toLocaleString('en')} {says}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** A payout that waits for a second person: how much, to where, who asked and until when. */
function WaitingApproval({ of: { id, kind, amount, currency, destination, expiresAt, ...of } }: { of: Waiting }) {
  const { me } = usePlace()
  const asker =
    of.requestedBy === null
      ? 'An API key'
      : of.requestedBy === me.user.id
        ? 'You'
        : (of.requestedByEmail ?? 'A former member')
  return (
    <>
      <Link href={`/cngn/${kind}s/${id}`}>
        <Amount of={`${amount} ${currency}`} /> to {destination} waits for approval
      </Link>
      : {asker} asked for it. It fails if nobody approves it by <Time at={expiresAt} />.
    </>
  )
}

interface Step {
  readonly name: string
  readonly why: string
  readonly done: boolean
  readonly path: string
}

/** The first steps: each ticks itself when it is done, in whatever way. */
function FirstSteps({ steps }: { steps: readonly Step[] }) {
  const next = steps.find(({ done }) => !done)
  const done = steps.filter((step) => step.done).length
  return (
    <section className="steps" aria-label="First steps">
      <div className="head">
        <h2>First steps</h2>
        <span className="hint">
          {done} of {steps.length} done
        </span>
      </div>
      <ol>
        {steps.map((step) => (
          <li key={step.name} className={step.done ? 'done' : ''}>
            <span className="tick" role="img" aria-label={step.done ? 'Done' : 'Not done'} />
            <div>
              {step.done ? step.name : <Link href={step.path}>{step.name}</Link>}
              {!step.done && <p className="hint">{step.why}</p>}
            </div>
            {step === next && (
              <Link href={step.path} className="button primary" aria-label={`Start: ${step.name}`}>
                Start
              </Link>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
