import { FilterIcon } from '@primer/octicons-react'
import { type FormEvent, useId, useState } from 'react'
import { isId } from '../forms/checks.ts'
import { type Filter, useAddress } from './address.ts'
import { CustomerChoice } from './customer-choice.tsx'
import { Several, valuesIn } from './several.tsx'

/** The search and the filters of a list, which stand in the address. On a phone the filters are behind a button: the first row is on the first screen. */
export function FilterBar({
  name = 'text',
  label,
  placeholder,
  filters,
}: {
  /** The parameter of the address that is searched for. */
  name?: string
  /** What the search is called. */
  label: string
  /** What it finds. */
  placeholder: string
  filters: readonly Filter[]
}) {
  const id = useId()
  const { search, change } = useAddress()
  const [isOpen, setOpen] = useState(false)
  const names = [name, ...filters.map((filter) => filter.name)]
  const set = filters.filter((filter) => search.get(filter.name)).length
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    change({ [name]: String(new FormData(event.currentTarget).get(name) ?? '').trim() })
  }
  return (
    <>
      <form className="search" onSubmit={find}>
        <label className="hidden" htmlFor={id}>
          {label}
        </label>
        <input
          key={search.get(name)}
          id={id}
          name={name}
          type="search"
          defaultValue={search.get(name) ?? ''}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
        />
        <button type="submit">Search</button>
      </form>
      <button type="button" className="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <FilterIcon /> Filters{set > 0 && `, ${set} set`}
      </button>
      <fieldset className={isOpen ? 'filters' : 'filters folded'}>
        <legend className="hidden">Filters</legend>
        {filters.map((filter) => (
          <OneFilter
            key={filter.name}
            of={filter}
            value={search.get(filter.name) ?? ''}
            set={(value) => change({ [filter.name]: value })}
          />
        ))}
        {names.some((each) => search.get(each)) && (
          <button type="button" className="quiet" onClick={() => change(nothing(names))}>
            Clear filters
          </button>
        )}
      </fieldset>
    </>
  )
}

/** The change of an address that removes these parameters. */
export const nothing = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, '']))

function OneFilter({ of, value, set }: { of: Filter; value: string; set: (value: string) => void }) {
  if ('options' in of)
    return (
      <Several
        label={of.label}
        options={of.options}
        chosen={valuesIn(value)}
        choose={(values) => set(values.join(','))}
      />
    )
  if (of.type === 'customer') return <OneCustomer label={of.label} id={isId(value) ? value : ''} set={set} />
  return (
    <label>
      {of.label}
      <input
        key={value}
        defaultValue={value}
        autoComplete="off"
        spellCheck={false}
        {...(of.type === 'date' ? { type: 'date' } : {})}
        {...(of.type === 'decimal' ? { inputMode: 'decimal' as const } : {})}
        {...(of.placeholder ? { placeholder: of.placeholder } : {})}
        onBlur={({ target }) => target.value.trim() !== value && set(target.value.trim())}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && set(currentTarget.value.trim())}
      />
    </label>
  )
}

/** Whose list it is, where it is one customer's. */
function OneCustomer({ label, id, set }: { label: string; id: string; set: (id: string) => void }) {
  const field = useId()
  return (
    <div>
      <label htmlFor={field}>{label}</label>
      <CustomerChoice isFilter id={field} value={id} choose={set} />
    </div>
  )
}
