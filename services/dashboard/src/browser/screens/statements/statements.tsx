import type { Outputs } from '@payments/client'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useSearchParams } from 'wouter'
import { usePlace } from '../../context.ts'
import { dayIn, words } from '../../parts/format.ts'
import { isId } from '../../parts/forms/checks.ts'
import { fileAddress } from '../../parts/forms/files.ts'
import { CustomerChoice } from '../../parts/lists/customer-choice.tsx'
import { Amount, Empty, Failure, Screen, Skeleton } from '../../parts/parts.tsx'
import { NONE, Table } from '../../parts/table.tsx'

type Statement = Outputs['reports']['statement']['statements'][number]

const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const shownDay = (day: string): string => days.format(new Date(day))

/** What the service holds, by asset and customer, month by month, from the journal. */
export function Statements() {
  const { environment, api, me } = usePlace()
  const [search, setSearch] = useSearchParams()
  const field = useId()
  const current = dayIn(me.organisation.timeZone, new Date()).slice(0, 7)
  const month = /^20\d\d-(0[1-9]|1[0-2])$/.test(search.get('month') ?? '') ? (search.get('month') ?? current) : current
  const customerId = search.get('customer') ?? ''
  const of = { month, ...(customerId ? { customerId } : {}) }
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'statement', of],
    queryFn: () => api.reports.statement.query(of),
  })
  const set = (name: string, value: string) =>
    setSearch((present) => {
      const next = new URLSearchParams(present)
      if (value) next.set(name, value)
      else next.delete(name)
      return next
    })
  return (
    <Screen
      title="Statements"
      actions={(['csv', 'pdf'] as const).map((format) => (
        <a
          key={format}
          className="button"
          download
          href={fileAddress('/reports/statement/export', environment, { ...of, format })}
        >
          {format.toUpperCase()}
        </a>
      ))}
    >
      <fieldset className="filters">
        <legend className="hidden">Which statement</legend>
        <label>
          Month
          <input type="month" value={month} max={current} onChange={({ target }) => set('month', target.value)} />
        </label>
        <div>
          <label htmlFor={field}>Customer</label>
          <CustomerChoice
            id={field}
            isFilter
            withCngn
            value={isId(customerId) ? customerId : ''}
            choose={(id) => set('customer', id)}
            placeholder="All together"
          />
        </div>
      </fieldset>
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton lines={6} />}
      {data?.statements.length === 0 && (
        <Empty title="No balance yet">
          <p>
            The service holds balances for customers with cNGN. Payment links, routes, swaps, offramps and onramps pass
            through: their money is delivered at once, and never held here.
          </p>
        </Empty>
      )}
      {data?.statements.map((each) => (
        <Balance key={each.asset} of={each} from={data.from} to={data.to} />
      ))}
      {data && data.statements.length > 0 && (
        <p className="hint">
          Exact figures from the ledger. Days are in {data.timeZone}. What is reserved for a payment is part of the
          balance until it leaves.
        </p>
      )}
    </Screen>
  )
}

/** One asset: the four numbers of the month, and its lines between opening and closing balance. */
function Balance({ of, from, to }: { of: Statement; from: string; to: string }) {
  const edge = (date: string, kind: string, balance: string) => ({ date, kind, in: '', out: '', fees: '', balance })
  const lines = [
    edge(from, 'opening_balance', of.openingBalance),
    // Within a day there was no balance.
    ...of.lines.map((line, place) => (line.date === of.lines[place + 1]?.date ? { ...line, balance: '' } : line)),
    edge(to, 'closing_balance', of.closingBalance),
  ]
  const amount = (text: string) => (Number(text) === 0 ? NONE : <Amount of={`${text} ${of.asset}`} />)
  return (
    <section aria-labelledby={`statement-${of.asset}`}>
      <h2 id={`statement-${of.asset}`}>{of.asset}</h2>
      <dl className="figures">
        {(
          [
            ['Opening balance', of.openingBalance],
            ['In', of.in],
            ['Out', of.out],
            ['Fees', of.fees],
            ['Closing balance', of.closingBalance],
          ] as const
        ).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Amount of={`${value} ${of.asset}`} />
            </dd>
          </div>
        ))}
      </dl>
      <Table
        numbers
        label={`Statement of ${of.asset}`}
        rows={lines}
        keyOf={({ date, kind }) => `${date} ${kind}`}
        columns={[
          { title: 'Day', cell: ({ date }) => <time dateTime={date}>{shownDay(date)}</time> },
          { title: 'Kind', cell: ({ kind }) => words(kind) },
          { title: 'In', numeric: true, cell: (line) => amount(line.in) },
          { title: 'Out', numeric: true, cell: (line) => amount(line.out) },
          { title: 'Fees', numeric: true, cell: (line) => amount(line.fees) },
          {
            title: 'Balance',
            numeric: true,
            cell: ({ balance }) => balance && <Amount of={`${balance} ${of.asset}`} />,
          },
        ]}
      />
    </section>
  )
}
