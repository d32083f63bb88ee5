import { CallError } from '@payments/client'
import { useMutation } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import { clients } from '../../api.ts'
import { Failure, Field } from '../parts.tsx'
import { Form, type Values } from './form.tsx'

/** True where the session must be confirmed with a fresh code before the call is repeated. */
export const needsConfirmation = (error: unknown): boolean =>
  error instanceof CallError && error.code === 'confirmation_required'

/** Confirms the session with a fresh code, and does then what was refused without. `typed` hears the code before it is sent. */
export function Confirm({ done, typed }: { done: () => void; typed?: (code: string) => void }) {
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
                onChange={({ target }) => {
                  setCode(target.value)
                  typed?.(target.value.trim())
                }}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter') return
                  // The form around it would be sent again.
                  event.preventDefault()
                  confirm.mutate()
                }}
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

type FormProps = ComponentProps<typeof Form>

/** A form of a change that may need a fresh code: it asks for the code then, and sends what was typed after it. */
export function ConfirmedForm({
  submit,
  done,
  ...form
}: Pick<FormProps, 'calls' | 'fields' | 'label' | 'changed' | 'disabled'> & {
  submit: (values: Values) => Promise<unknown>
  done?: () => void
}) {
  const [given, setGiven] = useState<Values>({})
  const [code, setCode] = useState('')
  const send = useMutation({ mutationFn: submit, ...(done ? { onSuccess: done } : {}) })
  return (
    <Form
      {...form}
      submit={async (values) => {
        setGiven(values)
        try {
          // Who types the code and presses the button of the form has confirmed it.
          if (needsConfirmation(send.error) && code) await clients.test.auth.confirm.mutate({ code })
          return await send.mutateAsync(values)
        } catch (error) {
          if (needsConfirmation(error)) return undefined
          throw error
        }
      }}
    >
      {() => needsConfirmation(send.error) && <Confirm typed={setCode} done={() => send.mutate(given)} />}
    </Form>
  )
}
