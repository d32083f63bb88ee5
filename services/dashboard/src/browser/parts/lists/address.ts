import { useSearchParams } from 'wouter'
import { isId } from '../forms/checks.ts'
import { valuesIn } from './several.tsx'

/** A filter of a list. It stands in the address by its name. */
export type Filter = {
  readonly name: string
  readonly label: string
} & (
  | { readonly options: readonly (readonly [value: string, shown: string])[] }
  | { readonly type: 'date' | 'decimal' | 'text'; readonly placeholder?: string }
  /** By the id. */
  | { readonly type: 'customer' }
)

/** The filter of what belongs to one customer. */
export const CUSTOMER: Filter = { name: 'customer', label: 'Customer', type: 'customer' }

/** The filters of the period in which something was created, as {@link createdIn} reads them. */
export const CREATED: readonly Filter[] = [
  { name: 'from', label: 'From', type: 'date' },
  { name: 'until', label: 'To', type: 'date' },
]

/** The filters by the amount, as {@link amountsIn} reads them. */
export const AMOUNTS: readonly Filter[] = [
  { name: 'min', label: 'Amount from', type: 'decimal', placeholder: '0' },
  { name: 'max', label: 'Amount to', type: 'decimal', placeholder: 'Any' },
]

/** The parameters of the address, and what changes one of them and keeps the others; an empty value removes it. */
export function useAddress() {
  const [search, setSearch] = useSearchParams()
  const change = (values: Readonly<Record<string, string>>, options?: { replace: boolean }) =>
    setSearch((present) => {
      const next = new URLSearchParams(present)
      for (const [name, value] of Object.entries(values)) {
        if (value) next.set(name, value)
        else next.delete(name)
      }
      return next
    }, options)
  return { search, change }
}

/** The day in the zone of the reader as a time; of a text that is no day, nothing. */
function startOf(day: string | null, daysLater = 0): string | undefined {
  const at = new Date(`${day}T00:00`)
  if (Number.isNaN(at.getTime())) return undefined
  at.setDate(at.getDate() + daysLater)
  return at.toISOString()
}

/** The period between two days of the address, of which both belong to it. */
export const createdIn = (search: URLSearchParams) => ({
  from: startOf(search.get('from')),
  to: startOf(search.get('until'), 1),
})

const amountIn = (text: string | null): string | undefined =>
  text !== null && /^\d{1,20}(\.\d{1,18})?$/.test(text) ? text : undefined

/** The least and the greatest amount of the address; a text that is no amount leaves nothing out. */
export const amountsIn = (search: URLSearchParams) => ({
  amountFrom: amountIn(search.get('min')),
  amountTo: amountIn(search.get('max')),
})

/** The text that is searched for. */
export const textIn = (search: URLSearchParams): string | undefined => search.get('text')?.trim() || undefined

/** The id that a parameter of the address is; another text is none. */
export const idIn = (search: URLSearchParams, name: string): string | undefined => {
  const id = search.get(name) ?? ''
  return isId(id) ? id : undefined
}

/** The values of a filter of the address; with `of`, those that are one of these. Undefined without any. */
export function chosenIn<V extends string>(search: URLSearchParams, name: string, of?: readonly V[]): V[] | undefined {
  const values = valuesIn(search.get(name)) as V[]
  const chosen = of ? of.filter((each) => values.includes(each)) : values
  return chosen.length > 0 ? chosen : undefined
}

/** Filters without those that leave nothing out. */
export const given = <F extends object>(filters: F) =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as {
    [N in keyof F]?: Exclude<F[N], undefined>
  }

/** Values as the options of a filter. */
export const optionsOf = (
  values: readonly string[],
  shown: (value: string) => string,
): readonly (readonly [string, string])[] => values.map((value) => [value, shown(value)])

/** What an address filters by, in words. */
export function inWords(search: URLSearchParams, filters: readonly Filter[]): { name: string; words: string }[] {
  const text = textIn(search)
  return [
    ...(text ? [{ name: 'text', words: `“${text}”` }] : []),
    ...filters.flatMap((filter) => {
      const value = search.get(filter.name)
      if (!value) return []
      // The bar above names the customer.
      if ('type' in filter && filter.type === 'customer') return [{ name: filter.name, words: filter.label }]
      const shown =
        'options' in filter
          ? valuesIn(value).map((each) => filter.options.find(([option]) => option === each)?.[1] ?? each)
          : [value]
      return [{ name: filter.name, words: `${filter.label}: ${shown.join(', ')}` }]
    }),
  ]
}
