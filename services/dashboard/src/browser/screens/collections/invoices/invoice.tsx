import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { queries } from '../../../api.ts'
import { usePlace } from '../../../context.ts'
import { ChangeButton } from '../../../parts/forms/change.tsx'
import { DraftNote, useDraft } from '../../../parts/forms/draft.tsx'
import { requestFile } from '../../../parts/forms/files.ts'
import { Missing, useMissing } from '../../../parts/frame/missing.tsx'
import { CustomerChoice } from '../../../parts/lists/customer-choice.tsx'
import { Amount, Failure, Field, fieldsOf, Screen } from '../../../parts/parts.tsx'
import { NewCustomer } from '../../customers/new-customer.tsx'
import { CURRENCIES, Destination, destinationIn } from '../destination.tsx'
import { DiscountFields, Items } from './items.tsx'
import { discountIn, itemsIn, linesIn, PRICE_CURRENCIES, problemsIn, sumOf, typedDiscountIn } from './lines.ts'
import { Preview, type Previewed } from './preview.tsx'

/** The page on which an invoice is written. Leaving it loses nothing. */
export function NewInvoice() {
  /** Each discarded draft is followed by a new form. */
  const [round, setRound] = useState(0)
  return (
    <Screen title="New invoice">
      <Missing of="routes" />
      {useMissing('routes') === undefined && <InvoiceForm key={round} again={() => setRound(round + 1)} />}
    </Screen>
  )
}

/** An invoice: its lines, and what they come to while they are typed. */
function InvoiceForm({ again }: { again: () => void }) {
  const { environment, api } = usePlace()
  const [, navigate] = useLocation()
  const { form: ref, kept, keep, forget } = useDraft('invoice')
  const typed = kept?.typed ?? {}
  const [priced, setPriced] = useState(typed.priced ?? '')
  const price = PRICE_CURRENCIES.find((each) => each === priced)
  const [lines, setLines] = useState(linesIn(typed))
  const [discount, setDiscount] = useState(typedDiscountIn(typed))
  /** What cannot be read is said from the first try on, as it is typed. */
  const [tried, setTried] = useState(false)
  const [currency, setCurrency] = useState(typed.currency ?? CURRENCIES[0])
  const priceCurrency = price ?? currency
  const problems = problemsIn(lines, discount, priceCurrency)
  const [customerId, setCustomerId] = useState(typed.customerId ?? '')
  const [isNew, setNew] = useState(false)
  // No field of the form was typed into.
  const chooseCustomer = (id: string) => {
    setCustomerId(id)
    keep()
  }
  const changeLines = (changed: typeof lines) => {
    setLines(changed)
    keep()
  }
  const create = useMutation({
    mutationFn: (input: Parameters<typeof api.collections.create.mutate>[0]) => api.collections.create.mutate(input),
    onSuccess: ({ id }) => {
      forget()
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
      {kept && (
        <DraftNote
          at={kept.at}
          discard={() => {
            forget()
            again()
          }}
        />
      )}
      <form ref={ref} className="written" onSubmit={submit} onInput={() => keep()}>
        <Field label="Description" error={wrong.title}>
          {(props) => (
            <input
              {...props}
              name="title"
              defaultValue={typed.title}
              required
              maxLength={120}
              placeholder="Consulting in January"
            />
          )}
        </Field>
        <div className="pair">
          <Field label="Customer" hint="Needed to send it by email" error={wrong.customerId}>
            {(props) => (
              <div className="or-new">
                <CustomerChoice {...props} name="customerId" value={customerId} choose={chooseCustomer} />
                <button type="button" onClick={() => setNew(true)}>
                  New customer
                </button>
              </div>
            )}
          </Field>
          <Field label="Due" error={wrong.dueAt}>
            {(props) => <input {...props} name="due" type="date" defaultValue={typed.due} />}
          </Field>
        </div>
        <Field
          label="Currency of the items"
          hint="Choose EUR, NGN or USD to attach an e-invoice for accounting software"
          error={wrong['pricing.currency'] ?? wrong.pricing}
        >
          {(props) => (
            <select {...props} name="priced" value={priced} onChange={({ target }) => setPriced(target.value)}>
              <option value="">{currency} (what you receive)</option>
              {PRICE_CURRENCIES.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
        <Items lines={lines} change={changeLines} wrong={wrong} />
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
        <Destination wrong={wrong} currency={currency} choose={setCurrency} typed={typed} />
        {Object.keys(wrong).length === 0 && <Failure error={failed} />}
        <div className="actions">
          <ChangeButton calls="collections.create" type="submit" className="primary" disabled={create.isPending}>
            {create.isPending ? 'Creating …' : 'Create invoice'}
          </ChangeButton>
          <button type="submit" value="preview" disabled={preview.isPending}>
            {preview.isPending ? 'Drawing …' : 'Preview'}
          </button>
        </div>
      </form>
      {isNew && (
        <NewCustomer
          close={() => setNew(false)}
          done={(id) => {
            chooseCustomer(id)
            setNew(false)
          }}
        />
      )}
      {preview.data && <Preview of={preview.data} close={() => preview.reset()} />}
    </>
  )
}
