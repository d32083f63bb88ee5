import { CallError } from '@payments/client'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { clients } from '../api.ts'
import { Failure, Field } from './parts.tsx'

/** True where the session must be confirmed with a fresh code before the call is repeated. */
export const needsConfirmation = (error: unknown): boolean =>
  error instanceof CallError && error.code === 'confirmation_required'

/** Confirms the session with a fresh code, and does then what was refused without. */
export function Confirm({ done }: { done: () => void }) {
  const [code, setCode] = useState('')
  const { auth } = clients.test
  const ask = useMutation({ mutationFn: () => auth.confirm.mutate({}) })
  const confirm = useMutation({ mutationFn: () => auth.confirm.mutate({ code: code.trim() }), onSuccess: done })
  return (
    <div className="note">
      <p>This needs a fresh code by email.</p>
      {ask.isSuccess ? (
        <>
          <Field label="Code" error={confirm.error?.message}>
            {(props) => (
              <input
                {...props}
                inputMode="numeric"
                autoComplete="one-time-code"
                value={code}
                onChange={({ target }) => setCode(target.value)}
              />
            )}
          </Field>
          <button type="button" disabled={confirm.isPending} onClick={() => confirm.mutate()}>
            Confirm
          </button>
        </>
      ) : (
        <button type="button" disabled={ask.isPending} onClick={() => ask.mutate()}>
          Email me a code
        </button>
      )}
      <Failure error={ask.error} />
    </div>
  )
}

/** What went wrong with a change: the confirmation that it needs, or the error. */
export function Outcome({ error, again }: { error: unknown; again: () => void }) {
  return needsConfirmation(error) ? <Confirm done={again} /> : <Failure error={error} />
}
