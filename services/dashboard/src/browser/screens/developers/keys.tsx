import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { Confirm, needsConfirmation } from '../../parts/forms/confirm.tsx'
import { Copy, Dialog, Empty, Failure, Field, fieldsOf, Screen, Skeleton, Time } from '../../parts/parts.tsx'
import { refusalOf } from '../../parts/rights.ts'

const ACCESS = { read: 'Read', write: 'Write', read_write: 'Read and write' } as const

/** The API keys of the environment. */
export function Keys() {
  const place = usePlace()
  const { environment, api } = place
  const [refused, kept] = [refusalOf('apiKeys.create', place), refusalOf('apiKeys.revoke', place)]
  const [creating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<{ id: string; name: string }>()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'keys'],
    queryFn: () => api.apiKeys.list.query({}),
  })
  const keys = data?.apiKeys.filter((key) => key.environment === environment)
  return (
    <Screen
      title="API keys"
      actions={
        <ChangeButton calls="apiKeys.create" type="button" className="primary" onClick={() => setCreating(true)}>
          New API key
        </ChangeButton>
      }
    >
      {refused && <p className="note">{refused}</p>}
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton />}
      {keys?.length === 0 && (
        <Empty title={`No ${environment} keys yet`}>
          <p>With a key, your servers do through the API whatever you do here. Keep it on your servers.</p>
          <p>
            <a href="/docs">Read the first guide</a>
          </p>
        </Empty>
      )}
      {keys && keys.length > 0 && (
        <ul className="rows">
          {keys.map((key) => (
            <li key={key.id}>
              <strong>{key.name}</strong>
              <code>{key.maskedKey}</code>
              <span>{key.access ? ACCESS[key.access] : 'No access'}</span>
              <span>
                {key.lastUsedAt ? (
                  <>
                    Last used <Time at={key.lastUsedAt} />
                  </>
                ) : (
                  'Never used'
                )}
              </span>
              {key.revokedAt ? (
                <span className="status bad">revoked</span>
              ) : (
                <button
                  type="button"
                  aria-label={`Revoke ${key.name}`}
                  disabled={kept !== undefined}
                  onClick={() => setRevoking(key)}
                >
                  Revoke
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {creating && <NewKey close={() => setCreating(false)} />}
      {revoking && <Revoke of={revoking} close={() => setRevoking(undefined)} />}
    </Screen>
  )
}

function NewKey({ close }: { close: () => void }) {
  const { environment, api } = usePlace()
  const create = useMutation({
    mutationFn: (input: { name: string; access: 'read' | 'read_write' }) =>
      api.apiKeys.create.mutate({ ...input, environment }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [environment] }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    create.mutate({
      name: String(form.get('name') ?? ''),
      access: form.get('access') === 'read' ? 'read' : 'read_write',
    })
  }
  if (create.data)
    return (
      <Dialog title="Your new API key" close={close}>
        <p>Copy it now: it is shown only once.</p>
        <p className="secret">
          <code>{create.data.key}</code>
        </p>
        <Copy text={create.data.key} label="Copy the key" />
      </Dialog>
    )
  const unconfirmed = needsConfirmation(create.error)
  return (
    <Dialog title={`New ${environment} key`} close={close}>
      <form onSubmit={submit}>
        <Field label="Name" hint="Where it is used" error={fieldsOf(create.error).name}>
          {(props) => <input {...props} name="name" required maxLength={80} placeholder="Order service" />}
        </Field>
        <Field label="Access">
          {(props) => (
            <select {...props} name="access">
              <option value="read_write">Read and write</option>
              <option value="read">Read</option>
            </select>
          )}
        </Field>
        {unconfirmed ? (
          <Confirm done={() => create.variables && create.mutate(create.variables)} />
        ) : (
          <Failure error={create.error} />
        )}
        <ChangeButton calls="apiKeys.create" type="submit" className="primary" disabled={create.isPending}>
          Create key
        </ChangeButton>
      </form>
    </Dialog>
  )
}

function Revoke({ of: { id, name }, close }: { of: { id: string; name: string }; close: () => void }) {
  const { environment, api } = usePlace()
  const revoke = useMutation({
    mutationFn: () => api.apiKeys.revoke.mutate({ apiKeyId: id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [environment] })
      close()
    },
  })
  return (
    <Dialog title={`Revoke ${name}?`} close={close}>
      <p>Whatever uses this {environment} key is refused from now on. This cannot be undone.</p>
      <Failure error={revoke.error} />
      <button type="button" className="danger" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
        Revoke the key
      </button>
    </Dialog>
  )
}
