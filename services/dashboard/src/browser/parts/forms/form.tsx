import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { CustomerChoice } from '../lists/customer-choice.tsx'
import { Failure, Field, fieldsOf } from '../parts.tsx'
import { type Calls, ChangeButton } from './change.tsx'
import { type AmountRule, amountCheck, typedAmount } from './checks.ts'
import { DraftNote, useDraft } from './draft.tsx'

/** The texts of a form by the name of the field, which is the path that the API calls it by. */
export type Values = Readonly<Record<string, string>>

export interface FieldSpec {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  /** Options make it a choice, of values and what they are called. */
  readonly options?: readonly (readonly [value: string, shown: string])[]
  /** It is the id of a customer, of any or of one with cNGN. */
  readonly customer?: 'any' | 'cngn'
  readonly optional?: boolean
  readonly initial?: string
  readonly placeholder?: string
  readonly type?: 'text' | 'email' | 'date' | 'number'
  readonly numeric?: boolean
  /** It is kept in no draft. */
  readonly secret?: boolean
  /** It is an amount: read as people write it, and sent as the API takes it. */
  readonly amount?: AmountRule
  /** What stands below the field, such as what a bank says about it. */
  readonly below?: ReactNode
  /** It has a line of its own. */
  readonly wide?: boolean
  /** What is wrong with what is typed, as the service says. */
  readonly error?: string | undefined
  /** What is wrong with a text, as it is typed. */
  check?(value: string): string | undefined
}

/** The values with each amount as the API takes it; one that cannot be read is empty. */
function withAmounts(specs: readonly FieldSpec[], values: Values): Values {
  const amounts = specs.flatMap(({ name, amount }) => {
    const typed = amount && values[name]
    if (!typed) return []
    const read = typedAmount(typed, amount)
    return [[name, 'amount' in read ? read.amount : ''] as const]
  })
  return { ...values, ...Object.fromEntries(amounts) }
}

/** A form whose fields are checked as they are typed; what the API refuses is said at its field. What was typed is kept until it is sent or discarded. */
export function Form<R>({
  calls,
  fields,
  submit,
  label,
  done,
  children,
  changed,
  disabled = false,
}: {
  fields: (values: Values) => readonly FieldSpec[]
  submit: (values: Values) => Promise<R>
  label: string
  done?: (result: R) => void
  /** What stands before the button, such as a quote. */
  children?: (values: Values) => ReactNode
  /** Hears what was typed and chosen; what was not is missing. An amount is as the API takes it, and empty until it can be read. */
  changed?: (values: Values) => void
  /** It can be read, and not sent. */
  disabled?: boolean
} & Calls) {
  const [location] = useLocation()
  const { kept, keep, forget } = useDraft(`${location}?${useSearch()} ${calls ?? label}`)
  const [draftAt, setDraftAt] = useState(kept?.at)
  const [values, setValues] = useState<Values>(kept?.typed ?? {})
  const [touched, setTouched] = useState<readonly string[]>([])
  const specs = fields(values)
  // A choice whose options have changed since is the first of them.
  const chosenOf = ({ name, initial, options }: FieldSpec): string => {
    const value = values[name] ?? initial
    if (!options) return value ?? ''
    return options.some(([option]) => option === value) ? (value ?? '') : (options[0]?.[0] ?? '')
  }
  const complete: Values = Object.fromEntries(specs.map((spec) => [spec.name, chosenOf(spec)]))
  const sent = withAmounts(specs, complete)
  useEffect(() => {
    if (kept) changed?.(withAmounts(specs, kept.typed))
  }, [])
  const discard = () => {
    forget()
    setDraftAt(undefined)
    setValues({})
    changed?.({})
  }
  const send = useMutation({
    mutationFn: () => submit(sent),
    onSuccess(result) {
      forget()
      setDraftAt(undefined)
      return done?.(result)
    },
  })
  const refused = fieldsOf(send.error)
  const shown = specs.some(({ name }) => refused[name] !== undefined)
  const set = (name: string, value: string) => {
    const next = { ...values, [name]: value }
    setValues(next)
    const secrets = specs.filter(({ secret }) => secret).map((spec) => spec.name)
    keep(Object.fromEntries(Object.entries(next).filter(([field]) => !secrets.includes(field))))
    send.reset()
    changed?.(withAmounts(specs, next))
  }
  const problem = ({ name, amount, error, check = amount && amountCheck(amount) }: FieldSpec): string | undefined => {
    const value = complete[name] ?? ''
    return refused[name] ?? error ?? (touched.includes(name) && value !== '' ? check?.(value.trim()) : undefined)
  }
  const isWrong = specs.some(
    ({ name, amount, check = amount && amountCheck(amount) }) =>
      complete[name] !== '' && check?.((complete[name] ?? '').trim()) !== undefined,
  )
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setTouched(specs.map(({ name }) => name))
    if (!isWrong) send.mutate()
  }
  return (
    <form className="fields" onSubmit={onSubmit} onReset={discard}>
      {draftAt && (
        <div className="wide">
          <DraftNote at={draftAt} discard={discard} />
        </div>
      )}
      {specs.map((spec) => (
        <div key={spec.name} className={spec.wide ? 'wide' : undefined}>
          <Field label={spec.optional ? `${spec.label} (optional)` : spec.label} hint={spec.hint} error={problem(spec)}>
            {(props) => {
              const common = {
                ...props,
                name: spec.name,
                value: complete[spec.name] ?? '',
                required: !spec.optional,
              }
              if (spec.customer)
                return (
                  <CustomerChoice {...common} choose={(id) => set(spec.name, id)} withCngn={spec.customer === 'cngn'} />
                )
              return spec.options ? (
                <select {...common} onChange={({ target }) => set(spec.name, target.value)}>
                  {spec.options.map(([value, name]) => (
                    <option key={value} value={value}>
                      {name}
                    </option>
                  ))}
                </select>
              ) : (
                <input
                  {...common}
                  type={spec.type ?? 'text'}
                  autoComplete="off"
                  spellCheck={false}
                  {...(spec.numeric || spec.amount ? { inputMode: 'decimal' as const } : {})}
                  {...(spec.placeholder ? { placeholder: spec.placeholder } : {})}
                  onChange={({ target }) => set(spec.name, target.value)}
                  onBlur={() => setTouched([...touched, spec.name])}
                />
              )
            }}
          </Field>
          {spec.below}
        </div>
      ))}
      {children?.(sent)}
      {!shown && <Failure error={send.error} />}
      <ChangeButton calls={calls} type="submit" className="primary" disabled={disabled || send.isPending}>
        {send.isPending ? 'Sending …' : label}
      </ChangeButton>
    </form>
  )
}
