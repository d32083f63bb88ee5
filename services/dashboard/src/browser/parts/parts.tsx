import { CallError } from '@payments/client'
import { useIsFetching } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { isSignedOut } from '../api.ts'
import { isTemporary } from '../live/recovery.ts'
import { endsDay, exact, type Money, shownDate, shownSecond, shownTime, shownWait } from './format.ts'
import { FileError } from './forms/files.ts'
import { afterPaint } from './frame/after-paint.ts'

/** The way back or forward leads to where a screen was left: the browser scrolls there. */
let isReturn = false
addEventListener('popstate', () => {
  isReturn = true
})
addEventListener('pushState', () => {
  isReturn = false
})

/** A screen: its title, which gets the focus when the screen opens, and what can be done. */
export function Screen({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Payments`
    // Who types into the search before the screen has come goes on typing.
    if (!document.activeElement?.closest('.palette')) heading.current?.focus({ preventScroll: true })
    if (!isReturn) scrollTo({ top: 0 })
  }, [title])
  return (
    <>
      <div className="head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions && <div className="actions">{actions}</div>}
      </div>
      {children}
    </>
  )
}

/** What stands where the data will be. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => `line-${index}`).map((key) => (
        <span key={key} />
      ))}
    </div>
  )
}

/** What to do about errors whose message does not say it. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  owner_required: 'Ask an owner of the organisation to do it, or to change your role.',
  finance_required: 'Ask an owner of the organisation to change your role.',
  developer_required: 'Ask an owner of the organisation to change your role.',
  finance_or_developer_required: 'Ask an owner of the organisation to change your role.',
  live_not_enabled: 'Live access is enabled by the operators of this service. Until then, everything works in test.',
  organisation_suspended: 'Reading still works. Contact the operators of this service.',
  rate_limited: 'Wait a moment before you try again.',
  internal: 'Try again. If it happens again, contact the operators of this service.',
  unreachable: 'Check your connection.',
}

/** What ends with the session, and what does not. */
export const SIGNED_OUT = 'You were signed out. Sign in again; what you typed is kept.'

/** An error, and the way out of it. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const [isTried, setTried] = useState(false)
  const isReading = useIsFetching() > 0
  if (!error) return null
  const known = error instanceof CallError ? error : undefined
  const fields = Object.entries(fieldsOf(error))
  const wait = known?.retryAfter
  return (
    <div className="failure" role="alert">
      <p>
        <strong>
          {isSignedOut(error) ? SIGNED_OUT : error instanceof Error ? error.message : 'Something went wrong'}
        </strong>
      </p>
      {fields.map(([field, problem]) => (
        <p key={field}>
          {field}: {problem}
        </p>
      ))}
      {wait !== undefined && <p>Try again in {shownWait(wait)}.</p>}
      {known && WAYS_OUT[known.code] && <p>{WAYS_OUT[known.code]}</p>}
      {retry && isTemporary(error) && <p>Retrying every few seconds.</p>}
      {retry && (
        <button
          type="button"
          onClick={() => {
            setTried(true)
            retry()
          }}
        >
          {isTried && isReading ? 'Trying again …' : 'Try again'}
        </button>
      )}
    </div>
  )
}

/** What a screen without data is for, and how it gets some. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  )
}

const GOOD = ['active', 'paid', 'completed', 'delivered', 'enabled', 'verified', 'confirmed', 'settled']
const BAD = [
  'failed',
  'expired',
  'disabled',
  'revoked',
  'deleted',
  'void',
  'refunded',
  'returned',
  'cancelled',
  'overdue',
]

/** A status, in a colour that repeats what its word says. */
export function Status({ of }: { of: string }) {
  const tone = GOOD.includes(of) ? 'good' : BAD.includes(of) ? 'bad' : 'neutral'
  return <span className={`status ${tone}`}>{of.replaceAll('_', ' ')}</span>
}

/** A time with its zone; with `precise`, to the second. */
export function Time({ at, precise = false }: { at: string; precise?: boolean }) {
  return <time dateTime={at}>{precise ? shownSecond(at) : shownTime(at)}</time>
}

/** When something is due: the end of a day in its zone is that day, wherever its reader is. */
export function Due({ at, timeZone }: { at: string; timeZone: string }) {
  return endsDay(at, timeZone) ? <time dateTime={at}>{shownDate(at, timeZone)}</time> : <Time at={at} />
}

/** An exact amount, with its currency. */
export function Amount({ of }: { of: Money }) {
  return <span className="amount">{exact(of)}</span>
}

/** Copies a text, and says so. */
export function Copy({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  return (
    <button
      type="button"
      className="copy"
      aria-label={label}
      onClick={() =>
        void navigator.clipboard.writeText(text).then(() => {
          setCopied(true)
          setTimeout(setCopied, 2000, false)
        })
      }
    >
      <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
    </button>
  )
}

/** An id, an address or a hash, and a button that copies it. */
export function Copyable(of: { text: string; label: string }) {
  return (
    <>
      <code>{of.text}</code> <Copy {...of} />
    </>
  )
}

/** What a field gives its input. */
interface FieldProps {
  readonly id: string
  readonly 'aria-describedby': string
  readonly 'aria-invalid': boolean
  readonly onBlur?: (event: FormEvent<HTMLInputElement | HTMLSelectElement>) => void
  readonly onInput?: (event: FormEvent<HTMLInputElement | HTMLSelectElement>) => void
}

/** A labelled field. With `check`, it says what is wrong with its text once it was left, and then as it is typed. */
export function Field({
  label,
  hint,
  error,
  check,
  children,
}: {
  label: string
  hint?: string | undefined
  error?: string | undefined
  check?: (text: string) => string | undefined
  children: (props: FieldProps) => ReactNode
}) {
  const id = useId()
  const [typed, setTyped] = useState<string>()
  const read = ({ currentTarget }: FormEvent<HTMLInputElement | HTMLSelectElement>) =>
    setTyped(currentTarget.value.trim())
  const problem = error ?? (typed ? check?.(typed) : undefined)
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': `${id}-more`,
        'aria-invalid': problem !== undefined,
        ...(check ? { onBlur: read, ...(typed === undefined ? {} : { onInput: read }) } : {}),
      })}
      <p id={`${id}-more`} className={problem ? 'error' : 'hint'}>
        {problem ?? hint}
      </p>
    </div>
  )
}

/** A modal dialog of the browser: it keeps the focus, and Escape closes it. What was typed into it is not lost without a question. */
export function Dialog({ title, close, children }: { title: string; close: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [typed, setTyped] = useState(false)
  const [asking, setAsking] = useState(false)
  useEffect(() => {
    afterPaint(() => dialog.current?.showModal())
  }, [])
  // Where the form has done its work, nothing can be lost.
  const isTyped = () => typed && dialog.current?.querySelector('form') !== null
  const leave = () => (isTyped() ? setAsking(true) : afterPaint(() => dialog.current?.close()))
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={close}
      onInput={() => setTyped(true)}
      onCancel={(event) => {
        if (!isTyped() || event.target !== dialog.current) return
        event.preventDefault()
        setAsking(!asking)
      }}
    >
      <div className="head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="quiet" onClick={leave}>
          Close
        </button>
      </div>
      {asking && (
        <div className="note" role="alert">
          <p>Discard what you entered?</p>
          <div className="actions">
            <button type="button" onClick={() => setAsking(false)}>
              Keep editing
            </button>
            <button
              type="button"
              className="danger"
              onClick={() => {
                // Its draft goes too.
                dialog.current?.querySelector('form')?.reset()
                afterPaint(() => dialog.current?.close())
              }}
            >
              Discard
            </button>
          </div>
        </div>
      )}
      {children}
    </dialog>
  )
}

/** The fields of an error, for the form that caused it. */
export const fieldsOf = (error: unknown): Readonly<Record<string, string>> =>
  error instanceof CallError || error instanceof FileError ? error.fields : {}
