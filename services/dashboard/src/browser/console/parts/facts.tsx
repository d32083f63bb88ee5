import { Fragment, type ReactNode } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { isId } from '../../parts/forms/checks.ts'
import { type Fields, isBare, textOf, titleOf } from '../../parts/object/fields.ts'
import { Copyable, Status, Time } from '../../parts/parts.tsx'
import { commandPath, organisationPath } from './links.ts'

/** A text of the reference: what is between backticks is code. */
export const Described = ({ text }: { text: string }): ReactNode =>
  // Every second part was between two backticks.
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={`${index}-${part}`}>{part}</code> : part))

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** An address, a hash or another name that nobody types. */
const LONG = /^[\w-]{32,}$/

/** Names of what ids stand for, where a screen knows them. */
export type Names = Readonly<Record<string, string>>

/** What an id stands for leads there. */
const Reference = ({ id, name }: { id: string; name: string | undefined }) => (
  <Link href={`/search?text=${id}`}>{name ?? <code>{id}</code>}</Link>
)

/**
 * A field of an object: an id leads to its object, a time has its zone, an amount its currency, and names of the service are words. Fields that
 * merchants named themselves are shown as they are.
 */
export function Value({
  field = '',
  in: object = {},
  within = {},
  of,
  names = {},
}: {
  field?: string
  in?: Fields
  /** What is around the object: it names the currency of amounts whose own object does not. */
  within?: Fields
  of: unknown
  names?: Names
}): ReactNode {
  if (of === null || of === undefined || of === '') return '–'
  if (Array.isArray(of))
    return of.some((each) => typeof each === 'object') ? (
      <Several of={of} within={{ ...within, ...object }} names={names} />
    ) : (
      of.map((each) => textOf(field, String(each), object, within)).join(', ')
    )
  if (typeof of === 'object')
    return <Facts of={of as Fields} within={{ ...within, ...object }} isOwn={field === 'metadata'} names={names} />
  if (typeof of === 'boolean') return of ? 'Yes' : 'No'
  const text = String(of)
  if (isId(text))
    return field === 'id' ? <Copyable text={text} label="Copy the id" /> : <Reference id={text} name={names[text]} />
  if (TIME.test(text)) return <Time at={text} precise />
  if (field === 'status') return <Status of={text} />
  return LONG.test(text) ? (
    <Copyable text={text} label={`Copy ${text.slice(0, 8)}…`} />
  ) : (
    textOf(field, text, object, within)
  )
}

/** The parts of a field that has several, in their order, each with its own fields. */
const Several = ({ of, ...more }: { of: readonly unknown[]; within: Fields; names: Names }) => (
  <ol>
    {of.map((each, index) => (
      <li key={index}>
        <Value of={each} {...more} />
      </li>
    ))}
  </ol>
)

/** The fields of an object, those without a value left out. */
export function Facts({
  of,
  within = {},
  about = {},
  isOwn = false,
  names = {},
}: {
  of: Fields
  within?: Fields
  /** What the fields are, by their name: it stands beside an amount whose currency no field names. */
  about?: Readonly<Record<string, string>>
  /** The fields have names that a merchant gave them. */
  isOwn?: boolean
  names?: Names
}) {
  const isShown = (value: unknown) =>
    value !== null && value !== '' && !(typeof value === 'object' && Object.keys(value as object).length === 0)
  return (
    <dl className="facts">
      {Object.entries(of)
        .filter(([, value]) => isShown(value))
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{isOwn ? name : titleOf(name)}</dt>
            <dd>
              {isOwn ? <Value of={value} /> : <Value field={name} in={of} within={within} of={value} names={names} />}
              {about[name] && isBare(name, value, of) && (
                <span className="hint">
                  {' '}
                  <Described text={about[name]} />
                </span>
              )}
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

/** An organisation by its name where it is known, else by its id. */
export function Organisation({ id, name }: { id: string | null; name?: string | null }) {
  if (id === null) return '–'
  return (
    <Link href={organisationPath(id)} aria-label={name ?? `Organisation ${endOf(id)}`}>
      {name ?? <code>{endOf(id)}</code>}
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
