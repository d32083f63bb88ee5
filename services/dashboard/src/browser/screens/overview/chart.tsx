import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { Table } from '../../parts/table.tsx'
import { inUnit, type Series, ticksTo } from './series.ts'

/** Days of the organisation's time zone, shown as the service counts them. */
const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
export const dayName = (day: string): string => shortDay.format(new Date(day))

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })

const HEIGHT = 100
const STEP = 10
const BAR = 7

/** Keys that move along the days, and by how many. */
const MOVES: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -7,
  PageUp: 7,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

/**
 * A bar for each day and a mark for the same day of the period before, on an axis with its unit. The day under the pointer, or that the keys
 * moved to, is said in words above it; to a screen reader the plot is a slider over the days. The table has the same.
 */
export function Chart({ all }: { all: readonly Series[] }) {
  const [key, setKey] = useState('')
  const [chosen, setChosen] = useState<number>()
  const shown = all.find((each) => each.key === key) ?? all[0]
  if (!shown) return null
  const { days, unit, name } = shown
  const last = days.length - 1
  const at = Math.min(chosen ?? last, last)
  const day = days[at]
  if (!day) return null
  const ticks = ticksTo(Math.max(...days.flatMap(({ value, before }) => [Number(value), Number(before)])))
  const top = ticks.at(-1) ?? 1
  const heightOf = (value: string): number => (HEIGHT * Number(value)) / top
  const said = `${dayName(day.date)}: ${inUnit(day.value, unit)}, ${inUnit(day.before, unit)} ${days.length} days before`
  const point = ({ clientX, currentTarget }: PointerEvent<HTMLDivElement>) => {
    const { left, right, width } = currentTarget.getBoundingClientRect()
    const isMirrored = getComputedStyle(currentTarget).direction === 'rtl'
    const along = (isMirrored ? right - clientX : clientX - left) / width
    setChosen(Math.max(0, Math.min(last, Math.floor(along * days.length))))
  }
  const move = (event: KeyboardEvent) => {
    const by = MOVES[event.key]
    if (by === undefined) return
    event.preventDefault()
    setChosen(Math.max(0, Math.min(last, at + by)))
  }
  return (
    <section className="chart" aria-label="By day">
      <div className="head">
        <label>
          <span className="hidden">Chart</span>
          <select value={shown.key} onChange={({ target }) => setKey(target.value)}>
            {all.map((each) => (
              <option key={each.key} value={each.key}>
                {each.name}
              </option>
            ))}
          </select>
        </label>
        <p className="said">
          <strong>{dayName(day.date)}</strong> {inUnit(day.value, unit)}
          <span className="hint">
            {' '}
            · {inUnit(day.before, unit)} {days.length} days before
          </span>
        </p>
      </div>
      <div className="plot">
        <ol className="axis" aria-hidden="true">
          {ticks.toReversed().map((tick, index) => (
            <li key={tick}>
              {compact.format(tick)}
              {index === 0 && ` ${unit === 'transactions' ? '' : unit}`}
            </li>
          ))}
        </ol>
        <div
          className="area"
          role="slider"
          tabIndex={0}
          aria-label={`${name}, by day`}
          aria-valuemin={1}
          aria-valuemax={days.length}
          aria-valuenow={at + 1}
          aria-valuetext={said}
          onPointerMove={point}
          onPointerDown={point}
          onKeyDown={move}
        >
          <svg
            viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
            className="drawn"
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            {ticks.map((tick) => (
              <line
                key={tick}
                x1={0}
                x2={days.length * STEP}
                y1={HEIGHT - (HEIGHT * tick) / top}
                y2={HEIGHT - (HEIGHT * tick) / top}
              />
            ))}
            {days.map(({ date, value, before }, index) => (
              <g key={date} className={index === at ? 'chosen' : undefined}>
                <rect
                  className="bar"
                  x={index * STEP + (STEP - BAR) / 2}
                  width={BAR}
                  y={HEIGHT - heightOf(value)}
                  height={heightOf(value)}
                />
                {before !== '0' && (
                  <rect
                    className="before"
                    x={index * STEP}
                    width={STEP}
                    y={Math.max(0, HEIGHT - heightOf(before) - 0.75)}
                    height={1.5}
                  />
                )}
              </g>
            ))}
          </svg>
        </div>
        <p className="dates" aria-hidden="true">
          {[days[0], days[Math.floor(last / 2)], days[last]].map((each) => (
            <span key={each?.date}>{each && dayName(each.date)}</span>
          ))}
        </p>
      </div>
      <p className="hint legend">
        <span className="bar" /> this period <span className="before" /> {days.length} days before
      </p>
      <details className="days">
        <summary>Show each day</summary>
        <Table
          numbers
          label="Each day"
          rows={days.filter(({ value, before }) => value !== '0' || before !== '0').toReversed()}
          keyOf={({ date }) => date}
          columns={[
            { title: 'Day', cell: ({ date }) => <time dateTime={date}>{dayName(date)}</time> },
            { title: name, numeric: true, cell: ({ value }) => inUnit(value, unit) },
            { title: `${days.length} days before`, numeric: true, cell: ({ before }) => inUnit(before, unit) },
          ]}
        />
      </details>
    </section>
  )
}
