import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useSearchParams } from 'wouter'
import { usePlace } from '../../context.ts'
import { words } from '../../parts/format.ts'
import { Several, valuesIn } from '../../parts/several.tsx'
import { assets, type FilterName, kinds, parametersIn, statuses } from './filters.ts'

/** All filters of the list, which stand in the address. */
export function FilterBar() {
  const [search, setSearch] = useSearchParams()
  const { environment, api } = usePlace()
  const networks = useQuery({
    queryKey: [environment, 'networks'],
    queryFn: () => api.paymentRoutes.networks.query({}),
    staleTime: 'static',
  })
  const set = (name: FilterName, value: string) =>
    setSearch((present) => {
      const next = new URLSearchParams(present)
      if (value) next.set(name, value)
      else next.delete(name)
      return next
    })
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    set('text', String(new FormData(event.currentTarget).get('text') ?? '').trim())
  }
  const choice = (name: FilterName, label: string, options: readonly (readonly [string, string])[]) => (
    <Several
      label={label}
      options={options}
      chosen={valuesIn(search.get(name))}
      choose={(values) => set(name, values.join(','))}
    />
  )
  const typed = (name: FilterName, label: string, more: { type?: string; placeholder?: string }) => (
    <label>
      {label}
      <input
        key={search.get(name)}
        defaultValue={search.get(name) ?? ''}
        autoComplete="off"
        {...(more.type === 'date' ? {} : { inputMode: 'decimal' as const })}
        {...more}
        onBlur={({ target }) => target.value !== (search.get(name) ?? '') && set(name, target.value.trim())}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && set(name, currentTarget.value.trim())}
      />
    </label>
  )
  const count = parametersIn(search).size
  return (
    <>
      <form className="search" onSubmit={find}>
        <label className="hidden" htmlFor="transaction-text">
          Search transactions
        </label>
        <input
          key={search.get('text')}
          id="transaction-text"
          name="text"
          type="search"
          defaultValue={search.get('text') ?? ''}
          placeholder="Id, hash, address, reference or email address, in full"
          autoComplete="off"
          spellCheck={false}
        />
        <button type="submit">Search</button>
      </form>
      <fieldset className="filters">
        <legend className="hidden">Filters</legend>
        {choice(
          'kind',
          'Kind',
          kinds.map((each) => [each, words(each)]),
        )}
        {choice(
          'status',
          'Status',
          statuses.map((each) => [each, words(each)]),
        )}
        {choice(
          'asset',
          'Asset',
          assets.map((each) => [each, each]),
        )}
        {choice(
          'network',
          'Network',
          (networks.data?.networks ?? []).map(({ key, name }) => [key, name]),
        )}
        {typed('min', 'Amount from', { placeholder: '0' })}
        {typed('max', 'Amount to', { placeholder: 'Any' })}
        {typed('from', 'From', { type: 'date' })}
        {typed('until', 'To', { type: 'date' })}
        {count > 0 && (
          <button type="button" className="quiet" onClick={() => setSearch({})}>
            Clear filters
          </button>
        )}
      </fieldset>
    </>
  )
}
