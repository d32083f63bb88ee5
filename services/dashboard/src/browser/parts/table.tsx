import type { ReactNode } from 'react'

/** What stands in a cell without a value; a card leaves it out. */
export const NONE = '–'

/** A column: its heading, and what it shows of a row. */
export interface Column<R> {
  readonly title: string
  /** A column of numbers, which end at one line. */
  readonly numeric?: true
  cell(row: R): ReactNode
}

const isEmpty = (shown: ReactNode): boolean => shown === NONE || shown === '' || shown === null || shown === undefined

/** Rows in columns, and nothing where there are none. On a phone each row is a card, unless it is a table of numbers, which scrolls. */
export function Table<R>({
  label,
  columns,
  rows,
  keyOf,
  numbers = false,
}: {
  label: string
  columns: readonly Column<R>[]
  rows: readonly R[]
  keyOf: (row: R) => string
  numbers?: boolean
}) {
  if (rows.length === 0) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways on a phone must scroll with keys too
    <section className="table" tabIndex={0} aria-label={label}>
      <table className={numbers ? 'numbers' : undefined}>
        <thead>
          <tr>
            {columns.map(({ title, numeric }) => (
              <th key={title} scope="col" className={numeric && 'number'}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, numeric, cell }) => {
                const shown = cell(row)
                return (
                  <td
                    key={title}
                    data-title={title}
                    className={numeric ? 'number' : isEmpty(shown) ? 'none' : undefined}
                  >
                    {shown}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
