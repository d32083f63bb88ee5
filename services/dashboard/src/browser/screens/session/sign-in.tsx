import { CallError } from '@payments/client'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { clients, queries, session } from '../../api.ts'
import { Failure, Field, fieldsOf, SIGNED_OUT } from '../../parts/parts.tsx'

const { auth } = clients.test

/** The text of a form's field. */
const textIn = (event: FormEvent<HTMLFormElement>, name: string): string =>
  String(new FormData(event.currentTarget).get(name) ?? '').trim()

/** A code that was sent: for what, and when. */
interface Challenge {
  readonly challengeId: string
  readonly email: string
  readonly organisationName: string
  readonly registers: boolean
  readonly at: number
}

const CHALLENGE = 'challenge'
/** As long as its code works. */
const CHALLENGE_MS = 600_000

/** The challenge of this tab, so that a reload stays at its code. A browser that keeps nothing has none. */
function keptChallenge(): Challenge | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(CHALLENGE) ?? 'null') as Challenge | null
    return kept && Date.now() - kept.at < CHALLENGE_MS ? kept : undefined
  } catch {
    return undefined
  }
}

function keepChallenge(challenge: Challenge | undefined): void {
  try {
    if (challenge) sessionStorage.setItem(CHALLENGE, JSON.stringify(challenge))
    else sessionStorage.removeItem(CHALLENGE)
  } catch {
    // Then a reload begins again.
  }
}

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
  const [sent, setSent] = useState(keptChallenge)
  const [registers, setRegisters] = useState(
    sent?.registers ?? (!operators && new URLSearchParams(location.search).has('register')),
  )
  const [resent, setResent] = useState(false)
  const change = (challenge: Challenge | undefined) => {
    keepChallenge(challenge)
    setSent(challenge)
  }
  useEffect(() => {
    document.title = 'Sign in · Payments'
  }, [])
  const ask = useMutation({
    mutationFn: ({ email, organisationName }: Pick<Challenge, 'email' | 'organisationName'>) =>
      registers
        ? auth.register.mutate({ email, organisationName, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone })
        : auth.login.mutate({ email }),
    onSuccess: ({ challengeId }, { email, organisationName }) =>
      change({ challengeId, email, organisationName, registers, at: Date.now() }),
  })
  const verify = useMutation({
    mutationFn: (code: string) => session.start({ challengeId: sent?.challengeId ?? '', code }),
    onSuccess() {
      keepChallenge(undefined)
      return queries.resetQueries()
    },
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
                // Emails and clipboards put spaces between the digits.
                onChange={({ target }) => {
                  target.value = target.value.replace(/\D/g, '').slice(0, 6)
                }}
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
            onClick={() => ask.mutate(sent, { onSuccess: () => setResent(true) })}
          >
            Resend code
          </button>
          <button type="button" className="quiet" onClick={() => change(undefined)}>
            Use another address
          </button>
        </form>
      ) : (
        <form
          key="address"
          onSubmit={(event) => {
            event.preventDefault()
            const input = { email: textIn(event, 'email'), organisationName: textIn(event, 'organisationName') }
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
