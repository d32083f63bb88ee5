import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { type AmountRule, amountCheck, typedAmount } from '../../parts/forms/checks.ts'
import { DraftNote, useDraft } from '../../parts/forms/draft.tsx'
import { Dialog, Failure, Field, fieldsOf } from '../../parts/parts.tsx'
import { CURRENCIES, Destination, destinationIn } from './destination.tsx'

const PRICES = ['NGN', 'USD', 'EUR'] as const

type Type = 'link' | 'checkout'

const nameOf = (type: Type): string => (type === 'link' ? 'payment link' : 'checkout')

/** A payment link, or a checkout for one order, which needs an amount. */
export function NewLink({ type, close }: { type: Type; close: () => void }) {
  /** Each discarded draft is followed by a new form. */
  const [round, setRound] = useState(0)
  return (
    <Dialog title={`New ${nameOf(type)}`} close={close}>
      <LinkForm key={round} type={type} again={() => setRound(round + 1)} />
    </Dialog>
  )
}

function LinkForm({ type, again }: { type: Type; again: () => void }) {
  const { environment, api } = usePlace()
  const [, navigate] = useLocation()
  const { form: ref, kept, keep, forget } = useDraft(type)
  const given = kept?.typed ?? {}
  const [currency, setCurrency] = useState<string>(given.currency ?? CURRENCIES[0])
  const [priced, setPriced] = useState(given.priced ?? '')
  const [unread, setUnread] = useState<string>()
  const create = useMutation({
    mutationFn: (input: Parameters<typeof api.collections.create.mutate>[0]) => api.collections.create.mutate(input),
    onSuccess: ({ id }) => {
      forget()
      void queries.invalidateQueries({ queryKey: [environment] })
      navigate(`/collections/${id}`)
    },
  })
  const wrong = fieldsOf(create.error)
  const rule: AmountRule = priced ? { currency: priced, decimals: 2 } : { currency }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const typed = typedAmount(text('amount'), rule)
    // An empty field is no amount; what cannot be read is not sent.
    if ('problem' in typed && text('amount')) return setUnread(typed.problem)
    const amount = 'amount' in typed ? typed.amount : null
    const price = PRICES.find((each) => each === priced)
    const asked = price && amount ? { pricing: { currency: price, amount } } : { amount }
    create.mutate({ type, title: text('title'), ...asked, ...destinationIn(form) })
  }
  return (
    <>
      {kept && <DraftNote at={kept.at} discard={() => ref.current?.reset()} />}
      <form
        ref={ref}
        onSubmit={submit}
        onInput={() => keep()}
        onReset={() => {
          forget()
          again()
        }}
        onChange={() => {
          create.reset()
          setUnread(undefined)
        }}
      >
        <Field label="Description" error={wrong.title}>
          {(props) => (
            <input
              {...props}
              name="title"
              defaultValue={given.title}
              required
              maxLength={120}
              placeholder="Consulting in January"
            />
          )}
        </Field>
        <Field
          label="Amount"
          hint={type === 'link' ? 'Leave empty to let the payer choose' : undefined}
          error={wrong.amount ?? wrong['pricing.amount'] ?? unread}
          check={amountCheck(rule)}
        >
          {(props) => (
            <input
              {...props}
              name="amount"
              defaultValue={given.amount}
              inputMode="decimal"
              placeholder="1,250"
              autoComplete="off"
              required={type === 'checkout'}
            />
          )}
        </Field>
        <Field
          label="Priced in"
          hint="Naira, dollar and euro prices are converted when the payer starts; the rate is held for 15 minutes"
          error={wrong['pricing.currency']}
        >
          {(props) => (
            <select {...props} name="priced" value={priced} onChange={({ target }) => setPriced(target.value)}>
              <option value="">{currency} (what you receive)</option>
              {PRICES.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
        <Destination wrong={wrong} currency={currency} choose={setCurrency} typed={given} />
        {Object.keys(wrong).length === 0 && <Failure error={create.error} />}
        <ChangeButton calls="collections.create" type="submit" className="primary" disabled={create.isPending}>
          {create.isPending ? 'Creating …' : `Create ${nameOf(type)}`}
        </ChangeButton>
      </form>
    </>
  )
}
