import { CallError } from '@payments/client'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { clients, queries, session } from '../../api.ts'
import { Failure, Field, fieldsOf, SIGNED_OUT } from '../../parts/parts.tsx'

const { auth } = clients.test

/** The text of a form's field. */
const textIn = (event: FormEvent<HTMLFormElement>, name: string): string =>
  String(new FormData(event.currentTarget).get(name) ?? '').trim()

/** Signs in or registers, with a code by email. `mail` is where the emails of a development service are. Operators do not register. */
export function SignIn({
  mail,
  hasEnded,
  operators = false,
}: {
  mail: string | null
  /** The session has ended on a screen. */
  hasEnded: boolean
  operators?: boolean
}) {
  // An invitation to register leads here.
  const [registers, setRegisters] = useState(!operators && new URLSearchParams(location.search).has('register'))
  const [asked, setAsked] = useState({ email: '', organisationName: '' })
  const [resent, setResent] = useState(false)
  const [sent, setSent] = useState<{ challengeId: string; email: string }>()
  useEffect(() => {
    document.title = 'Sign in · Payments'
  }, [])
  const ask = useMutation({
    mutationFn: (input: { email: string; organisationName: string }) =>
      registers
        ? auth.register.mutate({ ...input, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone })
        : auth.login.mutate({ email: input.email }),
    onSuccess: ({ challengeId }, { email }) => setSent({ challengeId, email }),
  })
  const verify = useMutation({
    mutationFn: (code: string) => session.start({ challengeId: sent?.challengeId ?? '', code }),
    onSuccess: () => queries.resetQueries(),
  })
  const wrong = fieldsOf(ask.error)
  return (
    <main className="alone">
      <p className="product">
        <img src="/docs/icon.svg" alt="" />
        Payments
      </p>
      {hasEnded && <p className="note">{SIGNED_OUT}</p>}
      <h1>{sent ? 'Enter the code' : registers ? 'Create an account' : 'Sign in'}</h1>
      {sent ? (
        <form
          key="code"
          onSubmit={(event) => {
            event.preventDefault()
            verify.mutate(textIn(event, 'code'))
          }}
        >
          <p>We sent a six-digit code to {sent.email}. It works once, for 10 minutes.</p>
          {mail && (
            <p className="note">
              This is a development service: the code is in{' '}
              <a href={mail} target="_blank" rel="noreferrer">
                {mail}
              </a>
              .
            </p>
          )}
          <Field label="Code" error={verify.error?.message}>
            {(props) => (
              <input
                {...props}
                name="code"
                inputMode="numeric"
                autoComplete="one-time-code"
                pattern="\d{6}"
                required
                // biome-ignore lint/a11y/noAutofocus: the only field of the step that the user has just opened
                autoFocus
              />
            )}
          </Field>
          <button type="submit" className="primary" disabled={verify.isPending}>
            Continue
          </button>
          <p className="hint" role="status">
            {resent ? 'We sent another code. Use the newest one.' : ''}
          </p>
          <Failure error={ask.error} />
          <button
            type="button"
            className="quiet"
            disabled={ask.isPending}
            onClick={() => ask.mutate(asked, { onSuccess: () => setResent(true) })}
          >
            Resend code
          </button>
          <button type="button" className="quiet" onClick={() => setSent(undefined)}>
            Use another address
          </button>
        </form>
      ) : (
        <form
          key="address"
          onSubmit={(event) => {
            event.preventDefault()
            const input = { email: textIn(event, 'email'), organisationName: textIn(event, 'organisationName') }
            setAsked(input)
            setResent(false)
            ask.mutate(input)
          }}
        >
          {registers && (
            <Field label="Name of your organisation" error={wrong.organisationName}>
              {(props) => (
                <input {...props} name="organisationName" autoComplete="organization" required maxLength={120} />
              )}
            </Field>
          )}
          <Field label="Email address" error={wrong.email}>
            {(props) => <input {...props} name="email" type="email" autoComplete="email" required />}
          </Field>
          {ask.error && !(ask.error instanceof CallError && Object.keys(wrong).length > 0) && (
            <Failure error={ask.error} />
          )}
          <button type="submit" className="primary" disabled={ask.isPending}>
            Email me a code
          </button>
          {operators ? (
            <p className="hint">The operators’ console is for the operators of this service.</p>
          ) : (
            <button type="button" className="quiet" onClick={() => setRegisters(!registers)}>
              {registers ? 'I have an account' : 'Create an account'}
            </button>
          )}
        </form>
      )}
    </main>
  )
}
