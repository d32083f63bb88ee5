import { Fragment, type ReactNode } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { isId } from '../../parts/checks.ts'
import { Copyable, Time } from '../../parts/parts.tsx'
import { commandPath, organisationPath } from './links.ts'

/** `destinationChainKey` and `payment_route` as words. */
export const nameOf = (name: string): string => {
  const text = name
    .replace(/[_-]/g, ' ')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return (text.charAt(0).toUpperCase() + text.slice(1)).replace(/\bcngn\b/i, 'cNGN').replace(/\bapi\b/i, 'API')
}

/** A text of the reference: what is between backticks is code. */
export const Described = ({ text }: { text: string }): ReactNode =>
  // Every second part was between two backticks.
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={`${index}-${part}`}>{part}</code> : part))

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** An address, a hash or another name that nobody types. */
const LONG = /^[\w-]{32,}$/

/** A value as it is, which is always text: an id leads to its object, a time has its zone. */
export function Value({ of }: { of: unknown }): ReactNode {
  if (of === null || of === undefined || of === '') return '–'
  if (Array.isArray(of)) return of.some((each) => typeof each === 'object') ? <Json of={of} /> : of.join(', ')
  if (typeof of === 'object') return <Nested of={of as Readonly<Record<string, unknown>>} />
  const text = String(of)
  if (isId(text))
    return (
      <Link href={`/search?text=${text}`}>
        <code>{text}</code>
      </Link>
    )
  if (TIME.test(text)) return <Time at={text} precise />
  return LONG.test(text) ? <Copyable text={text} label={`Copy ${text.slice(0, 8)}…`} /> : text
}

const Json = ({ of }: { of: unknown }) => <pre>{JSON.stringify(of, null, 2)}</pre>

/** The parts of a field. What is nested deeper is rare, and shown as it is. */
function Nested({ of }: { of: Readonly<Record<string, unknown>> }) {
  if (Object.values(of).some((value) => typeof value === 'object' && value !== null)) return <Json of={of} />
  return <Facts of={of} />
}

/** The fields of an object, those without a value left out. */
export function Facts({ of }: { of: Readonly<Record<string, unknown>> }) {
  const isShown = (value: unknown) =>
    value !== null && value !== '' && !(typeof value === 'object' && Object.keys(value as object).length === 0)
  return (
    <dl className="facts">
      {Object.entries(of)
        .filter(([, value]) => isShown(value))
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{nameOf(name)}</dt>
            <dd>
              <Value of={value} />
            </dd>
          </Fragment>
        ))}
    </dl>
  )
}

/** The end of an id, which tells it from others: those that were made together begin alike. */
export const endOf = (id: string): string => `…${id.slice(-8)}`

/** Test or live, in a colour that repeats what its word says. */
export function Environment({ of }: { of: string | null }) {
  return of === null ? '–' : <span className={`status ${of}`}>{of}</span>
}

export function Organisation({ id }: { id: string | null }) {
  if (id === null) return '–'
  return (
    <Link href={organisationPath(id)} aria-label={`Organisation ${endOf(id)}`}>
      <code>{endOf(id)}</code>
    </Link>
  )
}

/** A link to a command with its fields filled in. It leads back here. */
export function CommandLink({
  name,
  fields = {},
  label,
  children,
}: {
  name: string
  fields?: Readonly<Record<string, string | number | null | undefined>>
  /** What a screen reader says, where the text alone does not say of what. */
  label?: string
  children: ReactNode
}) {
  const [location] = useLocation()
  const [search] = useSearchParams()
  const here = search.size > 0 ? `${location}?${search}` : location
  return (
    <Link href={commandPath(name, fields, here)} className="button" {...(label ? { 'aria-label': label } : {})}>
      {children}
    </Link>
  )
}
