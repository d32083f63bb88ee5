import type { Outputs } from '@payments/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { customerKey, useCustomer } from '../object/customer-link.tsx'

type Customer = Outputs['customers']['search']['customers'][number]

/** So many customers are offered: who is not among them is found by a longer text. */
const OFFERED = 8
/** A text is searched for once nothing was typed for so long, ms. */
const PAUSE = 200

const shownAs = ({ name, email }: Customer): string => `${name}, ${email}`

/** The text once it stands still. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(setSettled, PAUSE, text)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

/**
 * A field that finds a customer as one types, by words of name and email address, and offers the newest ones before. It is a combobox as
 * ARIA describes it: arrows, Enter and Escape work, and the focus stays in the field.
 */
export function CustomerChoice({
  value,
  choose,
  withCngn = false,
  isFilter = false,
  name,
  placeholder = 'Name or email address',
  ...field
}: {
  /** The id of the customer; empty while none is chosen. */
  value: string
  choose: (id: string) => void
  /** Customers without cNGN are shown, and cannot be chosen. */
  withCngn?: boolean
  /** It may stay empty, and has at any time one customer or none: what is typed and not chosen is dropped when the field is left. */
  isFilter?: boolean
  /** The name of the id in the data of the form. */
  name?: string
  placeholder?: string
  id: string
  required?: boolean
  'aria-describedby'?: string
  'aria-invalid'?: boolean
}) {
  const { environment, api } = usePlace()
  const list = useId()
  const input = useRef<HTMLInputElement>(null)
  /** What is typed; undefined once a customer is chosen. */
  const [typed, setTyped] = useState<string>()
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const chosen = useCustomer(value)
  const text = useSettled(typed?.trim() ?? '')
  const { data } = useQuery({
    queryKey: [environment, 'customers-offered', text],
    queryFn: () => api.customers.search.query({ limit: OFFERED, ...(text ? { text } : {}) }),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  })
  const offered = data?.customers ?? []
  const isOffered = (customer: Customer): boolean => !withCngn || customer.cngn.status === 'enabled'
  // One that cannot be read is called by its id.
  const shown = typed ?? (chosen.data ? shownAs(chosen.data) : chosen.isError ? value : '')
  const isUnfinished = !isFilter && value === '' && (typed ?? '').trim() !== ''
  useEffect(() => {
    input.current?.setCustomValidity(isUnfinished ? 'Choose one of the customers that are found' : '')
  }, [isUnfinished])
  const take = (customer: Customer | undefined) => {
    if (!customer || !isOffered(customer)) return
    // The field says it at once.
    queries.setQueryData(customerKey(environment, customer.id), customer)
    choose(customer.id)
    setTyped(undefined)
    setOpen(false)
  }
  const move = (by: number) => {
    setOpen(true)
    setActive(isOpen ? (active + by + offered.length) % Math.max(offered.length, 1) : 0)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    const isHandled = key === 'ArrowDown' || key === 'ArrowUp' || (isOpen && (key === 'Enter' || key === 'Escape'))
    if (!isHandled) return
    // Enter would send the form, and Escape close the dialog.
    event.preventDefault()
    if (key === 'Enter') take(offered[active])
    else if (key === 'Escape') setOpen(false)
    else move(key === 'ArrowDown' ? 1 : -1)
  }
  const optionId = (index: number): string => `${list}-${index}`
  return (
    <div className="combobox">
      <input
        {...field}
        ref={input}
        type="text"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={list}
        {...(isOpen && offered[active] ? { 'aria-activedescendant': optionId(active) } : {})}
        value={shown}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => {
          setTyped(target.value)
          setActive(0)
          setOpen(true)
          if (value && (!isFilter || target.value === '')) choose('')
        }}
        onClick={() => setOpen(true)}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setOpen(false)
          if (isFilter) setTyped(undefined)
        }}
      />
      {name && <input type="hidden" name={name} value={value} />}
      <div id={list} role="listbox" aria-label="Customers" hidden={!isOpen || offered.length === 0}>
        {offered.map((customer, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
          <div
            key={customer.id}
            id={optionId(index)}
            role="option"
            aria-selected={index === active}
            aria-disabled={!isOffered(customer)}
            // The field keeps the focus.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => take(customer)}
          >
            {customer.name} <span className="hint">{isOffered(customer) ? customer.email : 'cNGN is not enabled'}</span>
          </div>
        ))}
      </div>
      <span className="hint" role="status">
        {isOpen && data && (offered.length === 0 ? 'No customer is found' : data.next && 'Type to find more')}
      </span>
    </div>
  )
}
