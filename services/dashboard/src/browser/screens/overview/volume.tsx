import type { Outputs } from '@payments/client'
import { exact, words } from '../../parts/format.ts'
import { Amount } from '../../parts/parts.tsx'
import { NONE, Table } from '../../parts/table.tsx'
import { Chart, dayName } from './chart.tsx'
import { Flows } from './flows.tsx'
import { type ReportedDay, seriesOf } from './series.ts'

type Summary = Outputs['reports']['summary']

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** A fraction in text as a percentage; a rate that is not whole is never shown as 100 %. */
function shownRate(rate: string | null): string {
  const [part, whole] = (rate ?? '').split('/').map(Number)
  if (part === undefined || !whole) return NONE
  return percent.format(part === whole ? 1 : Math.min(part / whole, 0.999))
}

/** Seconds in at most two units: `42 s`, `3 min 20 s`, `2 h 10 min`, `4 d 3 h`. */
function shownDuration(seconds: number | null): string {
  if (seconds === null) return NONE
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const
  const first = parts.findIndex(([number]) => number > 0)
  if (first < 0) return '0 s'
  const shown = parts.slice(first, first + 2).filter(([number]) => number > 0)
  return shown.map(([number, unit]) => `${number} ${unit}`).join(' ')
}

const shownFees = (fees: Summary['fees']): string =>
  fees.map(({ asset, amount }) => exact(`${amount} ${asset}`)).join(' · ') || NONE

/** What is said of a period in one figure each. What is not known yet is left out. */
const FIGURES: readonly (readonly [name: string, of: (period: Omit<Summary['previous'], 'from' | 'to'>) => string])[] =
  [
    ['Transactions', ({ count }) => count.toLocaleString('en')],
    ['Success rate', ({ successRate }) => shownRate(successRate)],
    ['Median time to settle', ({ medianSecondsToSettle }) => shownDuration(medianSecondsToSettle)],
    ['Fees', ({ fees }) => shownFees(fees)],
  ]

const Figure = ({ name, now, before }: { name: string; now: string; before: string }) =>
  now === NONE ? null : (
    <div>
      <dt>{name}</dt>
      <dd>{now}</dd>
      {before !== NONE && <dd className="hint">{before} in the 30 days before</dd>}
    </div>
  )

const keyOf = ({ kind, asset }: Summary['totals'][number]): string => `${kind} ${asset}`

/** Volume, number and success rate of the last 30 days by kind and asset, beside those of the 30 days before, and by day. */
export function Volume({ summary, days }: { summary: Summary; days: readonly ReportedDay[] }) {
  const { from, to, previous, totals } = summary
  const settlements = new Map(summary.settlements.map((each) => [each.kind, each.medianSecondsToSettle]))
  const earlier = new Map(previous.totals.map((each) => [keyOf(each), each]))
  return (
    <section aria-labelledby="volume">
      <div className="head">
        <h2 id="volume">Last 30 days</h2>
        <span className="hint">
          {dayName(from)} to {dayName(to)}, {summary.timeZone}
        </span>
      </div>
      <Flows summary={summary} />
      <dl className="figures">
        {FIGURES.map(([name, of]) => (
          <Figure key={name} name={name} now={of(summary)} before={of(previous)} />
        ))}
      </dl>
      <Chart all={seriesOf(days, from, to)} />
      {totals.length > 0 && (
        <Table
          numbers
          label="Volume by kind and asset"
          rows={totals}
          keyOf={keyOf}
          columns={[
            { title: 'Kind', cell: ({ kind }) => words(kind) },
            { title: 'Volume', numeric: true, cell: ({ amount, asset }) => <Amount of={`${amount} ${asset}`} /> },
            {
              title: 'Succeeded',
              numeric: true,
              cell: ({ succeededAmount, asset }) => <Amount of={`${succeededAmount} ${asset}`} />,
            },
            { title: 'Transactions', numeric: true, cell: ({ count }) => count.toLocaleString('en') },
            { title: 'Success rate', numeric: true, cell: ({ successRate }) => shownRate(successRate) },
            {
              title: 'Median time',
              numeric: true,
              cell: ({ kind }) => shownDuration(settlements.get(kind) ?? null),
            },
            {
              title: 'Volume before',
              numeric: true,
              cell: (row) => <Amount of={`${earlier.get(keyOf(row))?.amount ?? '0'} ${row.asset}`} />,
            },
          ]}
        />
      )}
    </section>
  )
}
