import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Environment, environments } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { Outcome } from '../../parts/forms/confirm.tsx'
import { Failure, Field, Screen, Skeleton, Time } from '../../parts/parts.tsx'
import { refusalOf } from '../../parts/rights.ts'

const ACCESS = { read_write: 'Read and write', read: 'Read' } as const

/**
 * Allows or refuses a command line that waits for a key of this organisation. The code is typed, and no link fills it in: a person who clicks a link
 * of a stranger would otherwise allow the stranger's command line.
 */
export function CommandLine() {
  const [code, setCode] = useState('')
  return (
    <Screen title="Sign in to the command line">
      {code ? (
        <Answer key={code} code={code} again={() => setCode('')} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            setCode(String(new FormData(event.currentTarget).get('code') ?? '').trim())
          }}
        >
          <Field label="Code" hint="Type the code that your own terminal shows">
            {(props) => (
              <input
                {...props}
                name="code"
                required
                maxLength={9}
                autoCapitalize="characters"
                autoComplete="off"
                placeholder="WDJB-MJHT"
              />
            )}
          </Field>
          <button type="submit" className="primary">
            Continue
          </button>
        </form>
      )}
    </Screen>
  )
}

function Answer({ code, again }: { code: string; again: () => void }) {
  const { api, environment, me } = usePlace()
  const [choice, setChoice] = useState<{ environment: Environment; access: keyof typeof ACCESS }>({
    environment,
    access: 'read_write',
  })
  // What waits was read once: an answer ends it, and is shown in its place.
  const { data, error } = useQuery({
    queryKey: ['device', code],
    queryFn: () => api.auth.findDevice.query({ userCode: code }),
    retry: false,
    staleTime: 'static',
  })
  const approve = useMutation({ mutationFn: () => api.auth.approveDevice.mutate({ userCode: code, ...choice }) })
  const refused = refusalOf('auth.approveDevice', { environment: choice.environment, me })
  const deny = useMutation({ mutationFn: () => api.auth.denyDevice.mutate({ userCode: code }) })
  if (approve.data) return <p role="status">Allowed. Go back to your terminal; you can close this page.</p>
  if (deny.data) return <p role="status">Refused. The command line gets no key.</p>
  if (error)
    return (
      <>
        <Failure error={error} />
        <button type="button" onClick={again}>
          Enter another code
        </button>
      </>
    )
  if (!data) return <Skeleton />
  const isBusy = approve.isPending || deny.isPending
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        approve.mutate()
      }}
    >
      <p>This command line asks for a key of {me.organisation.name}.</p>
      <p className="note">
        Allow only a command line that you have started yourself. If someone sent you this code, refuse: a stranger
        would get the key.
      </p>
      <dl className="facts">
        <dt>Name</dt>
        <dd>{data.clientName}</dd>
        <dt>Address</dt>
        <dd>{data.address ?? 'Unknown'}</dd>
        <dt>Started</dt>
        <dd>
          <Time at={data.createdAt} />
        </dd>
        <dt>Organisation</dt>
        <dd>{me.organisation.name}</dd>
      </dl>
      <Field label="Environment">
        {(props) => (
          <select
            {...props}
            value={choice.environment}
            onChange={({ target }) => setChoice({ ...choice, environment: target.value as Environment })}
          >
            {environments.map((each) => (
              <option key={each} value={each}>
                {each === 'test' ? 'Test: no money moves' : 'Live: it moves real money'}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Access">
        {(props) => (
          <select
            {...props}
            value={choice.access}
            onChange={({ target }) => setChoice({ ...choice, access: target.value as keyof typeof ACCESS })}
          >
            {Object.entries(ACCESS).map(([access, label]) => (
              <option key={access} value={access}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {refused && <p className="note">{refused}</p>}
      <Outcome error={approve.error} again={() => approve.mutate()} />
      <Failure error={deny.error} />
      <div className="actions">
        <ChangeButton calls={null} type="submit" className="primary" disabled={isBusy || refused !== undefined}>
          Allow
        </ChangeButton>
        <ChangeButton calls={null} type="button" disabled={isBusy} onClick={() => deny.mutate()}>
          Refuse
        </ChangeButton>
      </div>
    </form>
  )
}
