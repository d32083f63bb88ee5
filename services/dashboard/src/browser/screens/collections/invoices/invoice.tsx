import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { queries } from '../../../api.ts'
import { usePlace } from '../../../context.ts'
import { ChangeButton } from '../../../parts/forms/change.tsx'
import { requestFile } from '../../../parts/forms/files.ts'
import { CustomerChoice } from '../../../parts/lists/customer-choice.tsx'
import { Amount, Dialog, Failure, Field, fieldsOf } from '../../../parts/parts.tsx'
import { CURRENCIES, Destination, destinationIn } from '../destination.tsx'
import { DiscountFields, FIRST_LINES, Items } from './items.tsx'
import { discountIn, itemsIn, PRICE_CURRENCIES, problemsIn, sumOf, type TypedDiscount } from './lines.ts'
import { Preview, type Previewed } from './preview.tsx'

/** An invoice: its lines, and what they come to while they are typed. */
export function NewInvoice({ close }: { close: () => void }) {
  const { environment, api } = usePlace()
  const [, navigate] = useLocation()
  const [priced, setPriced] = useState('')
  const price = PRICE_CURRENCIES.find((each) => each === priced)
  const [lines, setLines] = useState(FIRST_LINES)
  const [discount, setDiscount] = useState<TypedDiscount>({ kind: '', value: '', description: '' })
  /** What cannot be read is said from the first try on, as it is typed. */
  const [tried, setTried] = useState(false)
  const [currency, setCurrency] = useState<string>(CURRENCIES[0])
  const priceCurrency = price ?? currency
  const problems = problemsIn(lines, discount, priceCurrency)
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
  const wrong = { ...fieldsOf(failed), ...(tried ? problems : {}) }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    create.reset()
    preview.reset()
    setTried(true)
    if (Object.keys(problems).length > 0) return
    const input = {
      ...{ type: 'invoice' as const, title: text('title'), customerId: customerId || null },
      ...destinationIn(form),
      dueAt: text('due') || null,
      ...(price ? { pricing: { currency: price } } : {}),
      items: itemsIn(lines, priceCurrency),
      discount: discountIn(discount, priceCurrency),
    }
    const { submitter } = event.nativeEvent as SubmitEvent
    if (submitter?.getAttribute('value') === 'preview') preview.mutate(input)
    else create.mutate(input)
  }
  const sum = sumOf(lines, discount, priceCurrency)
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
          <Items lines={lines} change={setLines} wrong={wrong} />
          <DiscountFields of={discount} change={setDiscount} currency={priceCurrency} wrong={wrong} />
          <p role="status">
            {sum && (
              <>
                Without tax: <Amount of={`${sum.left} ${priceCurrency}`} />
                {discount.kind !== '' && (
                  <>
                    {' '}
                    (<Amount of={`${sum.subtotal} ${priceCurrency}`} /> before the discount)
                  </>
                )}
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
