import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { usePlace } from '../../context.ts'
import { saveFile } from '../../parts/forms/files.ts'
import type { Filters } from '../../parts/lists/transactions.ts'
import { titleOf } from '../../parts/object/fields.ts'
import { Dialog, Failure, Field } from '../../parts/parts.tsx'

const COLUMNS = [
  ...['id', 'kind', 'status', 'customerId', 'customerName'],
  ...['destination', 'amount', 'amountUsd', 'createdAt', 'settledAt', 'value', 'currency'],
  ...['fee', 'feeCurrency', 'reference', 'title', 'txHash'],
] as const

/** Saves what the filters find as CSV, with chosen columns and time zone, and shows how far it is. */
export function Export({ filters, total, close }: { filters: Filters; total: number; close: () => void }) {
  const { environment, me } = usePlace()
  const [columns, setColumns] = useState<readonly string[]>(COLUMNS)
  const [zone, setZone] = useState(me.organisation.timeZone)
  const [bom, setBom] = useState(false)
  const [lines, setLines] = useState(0)
  const stop = useRef(new AbortController())
  useEffect(() => () => stop.current.abort(), [])
  const save = useMutation({
    async mutationFn() {
      setLines(0)
      stop.current = new AbortController()
      const body = { ...filters, columns, timeZone: zone, bom }
      const name = `transactions-${environment}.csv`
      await saveFile('/transactions/export', { environment, body, name, progress: setLines }, stop.current.signal)
    },
  })
  const rows = Math.max(0, lines - 1)
  return (
    <Dialog
      title={`Export ${total.toLocaleString('en')} ${total === 1 ? 'transaction' : 'transactions'}`}
      close={close}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <fieldset className="checks">
          <legend>Columns</legend>
          {COLUMNS.map((each) => (
            <label key={each} className="check">
              <input
                type="checkbox"
                checked={columns.includes(each)}
                onChange={({ target }) =>
                  setColumns(COLUMNS.filter((name) => (name === each ? target.checked : columns.includes(name))))
                }
              />
              {titleOf(each)}
            </label>
          ))}
        </fieldset>
        <Field label="Time zone">
          {(props) => (
            <select {...props} value={zone} onChange={({ target }) => setZone(target.value)}>
              {[...new Set(['UTC', zone, ...Intl.supportedValuesOf('timeZone')])].map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
        <label className="check">
          <input type="checkbox" checked={bom} onChange={({ target }) => setBom(target.checked)} />
          For Excel and other spreadsheets
        </label>
        <p className="hint">Accents are read as they are, and numbers such as 007 stay text.</p>
        {(save.isPending || save.isSuccess) && (
          <p className="progress" role="status">
            <progress
              max={Math.max(total, 1)}
              value={save.isSuccess ? Math.max(total, 1) : rows}
              aria-label="Progress"
            />
            <span>{save.isSuccess ? 'Saved' : `${rows.toLocaleString('en')} of ${total.toLocaleString('en')}`}</span>
          </p>
        )}
        <Failure error={save.error} />
        <button type="submit" className="primary" disabled={save.isPending || columns.length === 0}>
          {save.isPending ? 'Exporting …' : 'Export as CSV'}
        </button>
      </form>
    </Dialog>
  )
}
