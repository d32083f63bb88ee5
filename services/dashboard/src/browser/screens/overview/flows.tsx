import type { Outputs } from '@payments/client'
import { type Direction, directionOf } from '@payments/kernel'
import { exact, type Money } from '../../parts/format.ts'
import { Amount } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { isOnItsWay, sum } from './series.ts'

type Summary = Outputs['reports']['summary']
type Period = Pick<Summary, 'totals' | 'items'>

const moved = ({ totals }: Period, direction: Direction, asset: string): string =>
  sum(
    totals
      .filter((each) => each.asset === asset && directionOf(each.kind) === direction)
      .map((each) => each.succeededAmount),
  )

/** What came in, what went out and what is on its way, by currency, beside the same of the period before. */
export function Flows({ summary }: { summary: Summary }) {
  const { totals, items, previous } = summary
  const assets = [...new Set([...totals, ...previous.totals].map(({ asset }) => asset))].toSorted()
  const rows = assets.map((asset) => ({
    asset,
    in: moved(summary, 'in', asset),
    inBefore: moved(previous, 'in', asset),
    out: moved(summary, 'out', asset),
    outBefore: moved(previous, 'out', asset),
    underWay: sum(items.filter((each) => each.asset === asset && isOnItsWay(each)).map(({ amount }) => amount)),
  }))
  return (
    <Table
      numbers
      label="Money by currency"
      rows={rows}
      keyOf={({ asset }) => asset}
      columns={[
        { title: 'Currency', cell: ({ asset }) => asset },
        {
          title: 'Came in',
          numeric: true,
          cell: (row) => <Compared now={`${row.in} ${row.asset}`} before={row.inBefore} />,
        },
        {
          title: 'Went out',
          numeric: true,
          cell: (row) => <Compared now={`${row.out} ${row.asset}`} before={row.outBefore} />,
        },
        { title: 'On its way', numeric: true, cell: ({ underWay, asset }) => <Amount of={`${underWay} ${asset}`} /> },
      ]}
    />
  )
}

/** An amount, with that of the period before where there was one. */
const Compared = ({ now, before }: { now: Money; before: string }) => (
  <>
    <Amount of={now} />
    {before !== '0' && <span className="hint"> {exact(`${before} before`)}</span>}
  </>
)
