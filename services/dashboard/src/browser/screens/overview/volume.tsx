import type { Outputs } from '@payments/client'
import { exact, words } from '../../parts/format.ts'
import { Amount } from '../../parts/parts.tsx'

type Summary = Outputs['reports']['summary']
type Days = Outputs['reports']['daily']['days']

/** The service counts in UTC, so its days are shown as they are. */
const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const dayName = (day: string): string => shortDay.format(new Date(day))

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** A fraction in text as a percentage; a rate that is not whole is never shown as 100 %. */
function shownRate(rate: string | null): string {
  const [part, whole] = (rate ?? '').split('/').map(Number)
  if (part === undefined || !whole) return '–'
  return percent.format(part === whole ? 1 : Math.min(part / whole, 0.999))
}

/** Volume, number and success rate of the last 30 days by kind and asset, beside those of the 30 days before, and by day. */
export function Volume({ summary, days }: { summary: Summary; days: Days }) {
  const { from, to, previous, totals } = summary
  const earlier = new Map(previous.totals.map((each) => [`${each.kind} ${each.asset}`, each]))
  return (
    <section aria-labelledby="volume">
      <div className="head">
        <h2 id="volume">Last 30 days</h2>
        <span className="hint">
          {dayName(from)} to {dayName(to)}, UTC
        </span>
      </div>
      <dl className="figures">
        <div>
          <dt>Transactions</dt>
          <dd>{summary.count.toLocaleString('en')}</dd>
          <dd className="hint">{previous.count.toLocaleString('en')} in the 30 days before</dd>
        </div>
        <div>
          <dt>Success rate</dt>
          <dd>{shownRate(summary.successRate)}</dd>
          <dd className="hint">
            {previous.successRate ? shownRate(previous.successRate) : 'None'} in the 30 days before
          </dd>
        </div>
      </dl>
      {totals.length > 0 && (
        <>
          <Bars days={daysOf(days, from, to)} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways on a phone must scroll with keys too */}
          <section className="table" tabIndex={0} aria-label="Volume by kind and asset">
            <table className="numbers">
              <thead>
                <tr>
                  <th scope="col">Kind</th>
                  <th scope="col">Volume</th>
                  <th scope="col">Succeeded</th>
                  <th scope="col">Transactions</th>
                  <th scope="col">Success rate</th>
                  <th scope="col">Volume before</th>
                </tr>
              </thead>
              <tbody>
                {totals.map(({ kind, asset, amount, succeededAmount, count, successRate }) => (
                  <tr key={`${kind} ${asset}`}>
                    <td>{words(kind)}</td>
                    <td>
                      <Amount of={`${amount} ${asset}`} />
                    </td>
                    <td>
                      <Amount of={`${succeededAmount} ${asset}`} />
                    </td>
                    <td>{count.toLocaleString('en')}</td>
                    <td>{shownRate(successRate)}</td>
                    <td>{exact(`${earlier.get(`${kind} ${asset}`)?.amount ?? '0'} ${asset}`)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </>
      )}
    </section>
  )
}

interface Day {
  readonly date: string
  readonly count: number
  readonly rate: string | null
}

/** Every day of the period, also those without transactions: number and success rate over all kinds and assets. */
function daysOf(days: Days, from: string, to: string): Day[] {
  const found: Day[] = []
  for (let time = Date.parse(from); time <= Date.parse(to); time += 86_400_000) {
    const date = new Date(time).toISOString().slice(0, 10)
    const of = days.filter((day) => day.date === date)
    const sum = (field: 'count' | 'succeededCount' | 'failedCount') =>
      of.reduce((total, each) => total + each[field], 0)
    const ended = sum('succeededCount') + sum('failedCount')
    found.push({ date, count: sum('count'), rate: ended > 0 ? `${sum('succeededCount')}/${ended}` : null })
  }
  return found
}

const HEIGHT = 40
const STEP = 10
const BAR = 8

/** A bar for the number of transactions of each day, and the same as a table for those who do not see it. */
function Bars({ days }: { days: readonly Day[] }) {
  const most = Math.max(1, ...days.map(({ count }) => count))
  const busy = days.filter(({ count }) => count > 0)
  return (
    <>
      <svg
        className="bars"
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Transactions of each day, at most ${most.toLocaleString('en')}. The table below has the numbers.`}
      >
        {days.map(({ date, count }, index) => {
          const height = count === 0 ? 0 : Math.max(1, (HEIGHT * count) / most)
          return <rect key={date} x={index * STEP} y={HEIGHT - height} width={BAR} height={height} />
        })}
      </svg>
      <details className="days">
        <summary>Show each day</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways on a phone must scroll with keys too */}
        <section className="table" tabIndex={0} aria-label="Each day">
          <table className="numbers">
            <thead>
              <tr>
                <th scope="col">Day</th>
                <th scope="col">Transactions</th>
                <th scope="col">Success rate</th>
              </tr>
            </thead>
            <tbody>
              {busy.toReversed().map(({ date, count, rate }) => (
                <tr key={date}>
                  <td>{dayName(date)}</td>
                  <td>{count.toLocaleString('en')}</td>
                  <td>{shownRate(rate)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </>
  )
}
