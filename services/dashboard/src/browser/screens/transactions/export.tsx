import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { usePlace } from '../../context.ts'
import { saveFile } from '../../parts/forms/files.ts'
import { assets, type Filters } from '../../parts/lists/transactions.ts'
import { titleOf } from '../../parts/object/fields.ts'
import { Dialog, Failure, Field } from '../../parts/parts.tsx'

const COLUMNS = [
  ...['id', 'kind', 'status', 'customerId', 'customerName'],
  ...['destination', 'amount', 'amountUsd', 'createdAt', 'settledAt', 'value', 'currency'],
  ...['fee', 'feeCurrency', 'reference', 'title', 'txHash'],
] as const

const FORMATS = [
  ['csv', 'Spreadsheet (CSV)', 'One row for each transaction, with the columns you choose.'],
  ['bank_csv', 'Bank statement (CSV)', 'For Xero, QuickBooks and similar: settled money in and out, in one currency.'],
  ['hledger', 'hledger journal', 'Double-entry bookkeeping: settled transactions with their fees and conversions.'],
] as const
type Format = (typeof FORMATS)[number][0]

/** Saves what the filters find as a file of the chosen format, with chosen columns and time zone, and shows how far it is. */
export function Export({ filters, total, close }: { filters: Filters; total: number; close: () => void }) {
  const { environment, me } = usePlace()
  const [columns, setColumns] = useState<readonly string[]>(COLUMNS)
  const [zone, setZone] = useState(me.organisation.timeZone)
  const [bom, setBom] = useState(false)
  const [format, setFormat] = useState<Format>('csv')
  const [currency, setCurrency] = useState(filters.assets?.[0] ?? 'USDC')
  const [lines, setLines] = useState(0)
  const stop = useRef(new AbortController())
  useEffect(() => () => stop.current.abort(), [])
  const save = useMutation({
    async mutationFn() {
      setLines(0)
      stop.current = new AbortController()
      const chosen = {
        csv: { columns, bom },
        bank_csv: { currency, bom },
        hledger: {},
      }[format]
      const body = { ...filters, format, ...chosen, timeZone: zone }
      const name = `transactions-${environment}.${format === 'hledger' ? 'journal' : 'csv'}`
      await saveFile('/transactions/export', { environment, body, name, progress: setLines }, stop.current.signal)
    },
  })
  const rows = Math.max(0, lines - 1)
  // How many lines the other formats have is not known before.
  const progressText = () => {
    if (save.isSuccess) return 'Saved'
    return format === 'csv' ? `${rows.toLocaleString('en')} of ${total.toLocaleString('en')}` : 'Receiving the file …'
  }
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
        <Field label="Format" hint={FORMATS.find(([name]) => name === format)?.[2]}>
          {(props) => (
            <select {...props} value={format} onChange={({ target }) => setFormat(target.value as Format)}>
              {FORMATS.map(([name, title]) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </Field>
        {format === 'bank_csv' && (
          <Field label="Currency">
            {(props) => (
              <select {...props} value={currency} onChange={({ target }) => setCurrency(target.value)}>
                {assets.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            )}
          </Field>
        )}
        {format === 'csv' && (
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
        )}
        <Field label="Time zone">
          {(props) => (
            <select {...props} value={zone} onChange={({ target }) => setZone(target.value)}>
              {[...new Set(['UTC', zone, ...Intl.supportedValuesOf('timeZone')])].map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
        {format !== 'hledger' && (
          <>
            <label className="check">
              <input type="checkbox" checked={bom} onChange={({ target }) => setBom(target.checked)} />
              For Excel and other spreadsheets
            </label>
            <p className="hint">Accents are read as they are, and numbers such as 007 stay text.</p>
          </>
        )}
        {(save.isPending || save.isSuccess) && (
          <p className="progress" role="status">
            <progress
              max={Math.max(total, 1)}
              value={save.isSuccess ? Math.max(total, 1) : format === 'csv' ? rows : undefined}
              aria-label="Progress"
            />
            <span>{progressText()}</span>
          </p>
        )}
        <Failure error={save.error} />
        <button
          type="submit"
          className="primary"
          disabled={save.isPending || (format === 'csv' && columns.length === 0)}
        >
          {save.isPending ? 'Exporting …' : format === 'hledger' ? 'Export as journal' : 'Export as CSV'}
        </button>
      </form>
    </Dialog>
  )
}
