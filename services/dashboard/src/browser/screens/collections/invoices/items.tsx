import { Field } from '../../../parts/parts.tsx'
import { DISCOUNT_KINDS, EMPTY_LINE, type Line, TAX_CATEGORIES, type TypedDiscount } from './lines.ts'

const INPUTS = [
  ['description', 'Item', 'text'],
  ['quantity', 'Quantity', 'decimal'],
  ['unitAmount', 'Price', 'decimal'],
  ['taxPercent', 'Tax %', 'decimal'],
] as const

/** True for a rate that says by itself why there is tax. */
const isTaxed = ({ taxPercent }: Line): boolean => /[1-9]/.test(taxPercent)

/** The lines of an invoice. */
export function Items({
  lines,
  change,
  wrong,
}: {
  lines: readonly Line[]
  change: (lines: readonly Line[]) => void
  wrong: Readonly<Record<string, string>>
}) {
  const set = (index: number, changed: Partial<Line>) =>
    change(lines.map((line, at) => (at === index ? { ...line, ...changed } : line)))
  return (
    <fieldset className="lines">
      <legend>Items</legend>
      {lines.map((line, index) => (
        <div key={index} className="line">
          {INPUTS.map(([name, label, mode]) => (
            <Field key={name} label={label} error={wrong[`items.${index}.${name}`]}>
              {(props) => (
                <input
                  {...props}
                  name={`items.${index}.${name}`}
                  value={line[name]}
                  required={name !== 'taxPercent'}
                  inputMode={mode}
                  autoComplete="off"
                  onChange={({ target: { value } }) => {
                    const changed = { ...line, [name]: value }
                    // A rate above 0 says the category by itself.
                    set(index, isTaxed(changed) ? { ...changed, taxCategory: '' } : changed)
                  }}
                />
              )}
            </Field>
          ))}
          {!isTaxed(line) && (
            <Field label="Tax exemption" error={wrong[`items.${index}.taxCategory`]}>
              {(props) => (
                <select
                  {...props}
                  name={`items.${index}.taxCategory`}
                  value={line.taxCategory}
                  onChange={({ target }) => set(index, { taxCategory: target.value })}
                >
                  <option value="">None</option>
                  {TAX_CATEGORIES.map(([value, label]) => (
                    <option key={value} value={value}>
                      {label}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          )}
          {line.taxCategory === 'exempt' && (
            <Field label="Reason of the exemption" error={wrong[`items.${index}.taxExemptionReason`]}>
              {(props) => (
                <input
                  {...props}
                  name={`items.${index}.taxExemptionReason`}
                  value={line.taxExemptionReason}
                  maxLength={200}
                  onChange={({ target }) => set(index, { taxExemptionReason: target.value })}
                />
              )}
            </Field>
          )}
          <button
            type="button"
            className="quiet"
            aria-label={`Remove item ${index + 1}`}
            disabled={lines.length === 1}
            onClick={() => change(lines.filter((_line, at) => at !== index))}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" onClick={() => change([...lines, EMPTY_LINE])}>
        Add an item
      </button>
    </fieldset>
  )
}

/** What is taken off the sum of the lines. */
export function DiscountFields({
  of,
  change,
  currency,
  wrong,
}: {
  of: TypedDiscount
  change: (discount: TypedDiscount) => void
  currency: string
  wrong: Readonly<Record<string, string>>
}) {
  return (
    <div className="discount">
      <Field label="Discount" error={wrong.discount}>
        {(props) => (
          <select
            {...props}
            name="discount.kind"
            value={of.kind}
            onChange={({ target }) =>
              change({ ...of, kind: DISCOUNT_KINDS.find((kind) => kind === target.value) ?? '' })
            }
          >
            <option value="">None</option>
            <option value="percent">Percent</option>
            <option value="amount">Amount in {currency}</option>
          </select>
        )}
      </Field>
      {of.kind !== '' && (
        <>
          <Field
            label={of.kind === 'percent' ? 'Discount %' : `Discount in ${currency}`}
            error={wrong[`discount.${of.kind}`]}
          >
            {(props) => (
              <input
                {...props}
                name="discount.value"
                value={of.value}
                required
                inputMode="decimal"
                autoComplete="off"
                placeholder={of.kind === 'percent' ? '10' : '1,250'}
                onChange={({ target }) => change({ ...of, value: target.value })}
              />
            )}
          </Field>
          <Field label="Name of the discount (optional)" error={wrong['discount.description']}>
            {(props) => (
              <input
                {...props}
                name="discount.description"
                value={of.description}
                maxLength={200}
                placeholder="Early payment"
                onChange={({ target }) => change({ ...of, description: target.value })}
              />
            )}
          </Field>
        </>
      )}
    </div>
  )
}
