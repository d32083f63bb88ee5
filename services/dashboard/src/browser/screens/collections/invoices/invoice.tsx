import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { requestFile } from '../../parts/forms/files.ts'
import { CustomerChoice } from '../../parts/lists/customer-choice.tsx'
import { Amount, Dialog, Failure, Field, fieldsOf } from '../../parts/parts.tsx'
import { CURRENCIES, Destination, destinationIn } from './destination.tsx'
import { itemsIn, type Line, PRICE_CURRENCIES, subtotalOf, TAX_CATEGORIES } from './lines.ts'
import { Preview, type Previewed } from './preview.tsx'

const EMPTY: Line = {
  description: '',
  quantity: '1',
  unitAmount: '',
  taxPercent: '',
  taxCategory: '',
  taxExemptionReason: '',
}

/** An invoice: its lines, and what they come to while they are typed. */
export function NewInvoice({ close }: { close: () => void }) {
  const { environment, api } = usePlace()
  const [, navigate] = useLocation()
  const [priced, setPriced] = useState('')
  const price = PRICE_CURRENCIES.find((each) => each === priced)
  const [lines, setLines] = useState<readonly Line[]>([EMPTY])
  const [customerId, setCustomerId] = useState('')
  const create = useMutation({
    mutationFn: (input: Parameters<typeof api.collections.create.mutate>[0]) => api.collections.create.mutate(input),
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: [environment] })
      navigate(`/collections/${id}`)
    },
  })
  const preview = useMutation({
    mutationFn: async (input: object): Promise<Previewed> => {
      const file = (format: string) => requestFile('/collections/preview', { environment, body: { ...input, format } })
      const [page, pdf] = await Promise.all([file('html'), file('pdf')])
      return { page: await page.text(), pdf: await pdf.blob() }
    },
  })
  const failed = create.error ?? preview.error
  const wrong = fieldsOf(failed)
  const set = (index: number, change: Partial<Line>) =>
    setLines(lines.map((line, at) => (at === index ? { ...line, ...change } : line)))
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const input = {
      ...{ type: 'invoice' as const, title: text('title'), customerId: customerId || null },
      ...destinationIn(form),
      dueAt: text('due') || null,
      ...(price ? { pricing: { currency: price } } : {}),
      items: itemsIn(lines),
    }
    create.reset()
    preview.reset()
    const { submitter } = event.nativeEvent as SubmitEvent
    if (submitter?.getAttribute('value') === 'preview') preview.mutate(input)
    else create.mutate(input)
  }
  const [currency, setCurrency] = useState<string>(CURRENCIES[0])
  const subtotal = subtotalOf(lines)
  return (
    <>
      <Dialog title="New invoice" close={close}>
        <form onSubmit={submit}>
          <Field label="What it is for" error={wrong.title}>
            {(props) => <input {...props} name="title" required maxLength={120} placeholder="Consulting in January" />}
          </Field>
          <div className="pair even">
            <Field label="Customer" hint="Needed to send it by email" error={wrong.customerId}>
              {(props) => <CustomerChoice {...props} value={customerId} choose={setCustomerId} />}
            </Field>
            <Field label="Due" error={wrong.dueAt}>
              {(props) => <input {...props} name="due" type="date" />}
            </Field>
          </div>
          <Field
            label="Currency of the items"
            hint="Choose EUR, NGN or USD to attach an e-invoice for accounting software"
            error={wrong['pricing.currency'] ?? wrong.pricing}
          >
            {(props) => (
              <select {...props} value={priced} onChange={({ target }) => setPriced(target.value)}>
                <option value="">{currency} (what you receive)</option>
                {PRICE_CURRENCIES.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            )}
          </Field>
          <fieldset className="lines">
            <legend>Items</legend>
            {lines.map((line, index) => (
              <div key={index} className="line">
                {(
                  [
                    ['description', 'Description', 'text'],
                    ['quantity', 'Quantity', 'numeric'],
                    ['unitAmount', 'Price', 'decimal'],
                    ['taxPercent', 'Tax %', 'decimal'],
                  ] as const
                ).map(([name, label, mode]) => (
                  <Field key={name} label={label} error={wrong[`items.${index}.${name}`]}>
                    {(props) => (
                      <input
                        {...props}
                        value={line[name]}
                        required={name !== 'taxPercent'}
                        inputMode={mode}
                        autoComplete="off"
                        onChange={({ target }) =>
                          set(index, {
                            [name]: target.value,
                            // A rate above 0 says the category by itself.
                            ...(name === 'taxPercent' && Number(target.value) > 0 ? { taxCategory: '' } : {}),
                          })
                        }
                      />
                    )}
                  </Field>
                ))}
                {!(Number(line.taxPercent) > 0) && (
                  <Field label="Tax exemption" error={wrong[`items.${index}.taxCategory`]}>
                    {(props) => (
                      <select
                        {...props}
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
                  onClick={() => setLines(lines.filter((_line, at) => at !== index))}
                >
                  Remove
                </button>
              </div>
            ))}
            <button type="button" onClick={() => setLines([...lines, EMPTY])}>
              Add an item
            </button>
          </fieldset>
          <p role="status">
            {subtotal && (
              <>
                Without tax: <Amount of={`${subtotal} ${price ?? currency}`} />
              </>
            )}
          </p>
          <Destination wrong={wrong} currency={currency} choose={setCurrency} />
          {Object.keys(wrong).length === 0 && <Failure error={failed} />}
          <div className="actions">
            <ChangeButton type="submit" className="primary" disabled={create.isPending}>
              {create.isPending ? 'Creating …' : 'Create invoice'}
            </ChangeButton>
            <button type="submit" value="preview" disabled={preview.isPending}>
              {preview.isPending ? 'Drawing …' : 'Preview'}
            </button>
          </div>
          {customerId === '' && (
            <p className="hint">
              <Link href="/customers?new=1">Create a customer</Link> to send it by email.
            </p>
          )}
        </form>
      </Dialog>
      {preview.data && <Preview of={preview.data} close={() => preview.reset()} />}
    </>
  )
}
