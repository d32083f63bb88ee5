import type { Outputs } from '@payments/client'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { DAY_MS } from '../../parts/format.ts'
import { type Calls, ChangeButton } from '../../parts/forms/change.tsx'
import { Form } from '../../parts/forms/form.tsx'
import { Copy, Dialog, Failure } from '../../parts/parts.tsx'

type Endpoint = Outputs['webhooks']['get']

/** How many hours the old secret is still used after a rotation, unless another number is chosen. */
const OVERLAP_HOURS = '24'

const useRenew = () => {
  const { environment } = usePlace()
  return () => queries.invalidateQueries({ queryKey: [environment] })
}

/** What can be done with an endpoint beside a test event; nothing once it is deleted. */
export function EndpointActions({ of }: { of: Endpoint }) {
  const { api } = usePlace()
  const renew = useRenew()
  const [, navigate] = useLocation()
  const [asked, setAsked] = useState<'rotate' | 'recover' | 'disable' | 'delete'>()
  const close = () => setAsked(undefined)
  const webhookEndpointId = of.id
  const enable = useMutation({
    mutationFn: () => api.webhooks.update.mutate({ webhookEndpointId, status: 'enabled' }),
    onSuccess: renew,
  })
  if (of.status === 'revoked') return null
  const isEnabled = of.status === 'enabled'
  return (
    <>
      {isEnabled ? (
        <ChangeButton calls="webhooks.recover" type="button" onClick={() => setAsked('recover')}>
          Send missed events
        </ChangeButton>
      ) : (
        <ChangeButton
          calls="webhooks.update"
          type="button"
          className="primary"
          disabled={enable.isPending}
          onClick={() => enable.mutate()}
        >
          Enable
        </ChangeButton>
      )}
      <ChangeButton calls="webhooks.rotateSecret" type="button" onClick={() => setAsked('rotate')}>
        Rotate the secret
      </ChangeButton>
      {isEnabled && (
        <ChangeButton calls="webhooks.update" type="button" onClick={() => setAsked('disable')}>
          Disable
        </ChangeButton>
      )}
      <ChangeButton calls="webhooks.delete" type="button" className="danger" onClick={() => setAsked('delete')}>
        Delete
      </ChangeButton>
      <Failure error={enable.error} />
      {asked === 'rotate' && <Rotate id={webhookEndpointId} close={close} />}
      {asked === 'recover' && <Recover id={webhookEndpointId} close={close} />}
      {asked === 'disable' && (
        <Ask
          calls="webhooks.update"
          title="Disable the endpoint"
          run={() => api.webhooks.update.mutate({ webhookEndpointId, status: 'disabled' })}
          done={() => void renew().then(close)}
          close={close}
        >
          It receives nothing, and pending deliveries fail. Once it is enabled again, you can send what it missed.
        </Ask>
      )}
      {asked === 'delete' && (
        <Ask
          calls="webhooks.delete"
          title="Delete the endpoint"
          run={() => api.webhooks.delete.mutate({ webhookEndpointId })}
          done={() => void renew().then(() => navigate('/webhooks'))}
          close={close}
        >
          It receives no more events. To stop for a while, disable it instead.
        </Ask>
      )}
    </>
  )
}

/** A change that is asked about first. */
function Ask({
  calls,
  title,
  run,
  done,
  close,
  children,
}: {
  title: string
  run: () => Promise<unknown>
  done: () => void
  close: () => void
  children: ReactNode
} & Calls) {
  const change = useMutation({ mutationFn: run, onSuccess: done })
  return (
    <Dialog title={`${title}?`} close={close}>
      <p>{children}</p>
      <Failure error={change.error} />
      <ChangeButton
        calls={calls}
        type="button"
        className="danger"
        disabled={change.isPending}
        onClick={() => change.mutate()}
      >
        {title}
      </ChangeButton>
    </Dialog>
  )
}

/** A new signing secret, shown once. */
function Rotate({ id, close }: { id: string; close: () => void }) {
  const { api } = usePlace()
  const [secret, setSecret] = useState<string>()
  return (
    <Dialog title={secret ? 'Your new signing secret' : 'Rotate the signing secret'} close={close}>
      {secret ? (
        <>
          <p>Copy it now: it is shown only once.</p>
          <p className="secret">
            <code>{secret}</code>
          </p>
          <Copy text={secret} label="Copy the signing secret" />
        </>
      ) : (
        <Form
          calls="webhooks.rotateSecret"
          label="Rotate the secret"
          fields={() => [
            {
              name: 'overlapHours',
              label: 'Hours in which both secrets are valid',
              hint: '0 ends the old secret at once, 168 is the most. Until then each delivery is signed with both',
              initial: OVERLAP_HOURS,
              numeric: true,
            },
          ]}
          submit={({ overlapHours }) =>
            api.webhooks.rotateSecret.mutate({ webhookEndpointId: id, overlapHours: Number(overlapHours) })
          }
          done={({ secret: made }) => setSecret(made)}
        />
      )}
    </Dialog>
  )
}

/** Sends again what an endpoint has missed since a day, after it was counted. */
function Recover({ id, close }: { id: string; close: () => void }) {
  const { api } = usePlace()
  const renew = useRenew()
  const [counted, setCounted] = useState<{ since: string; found: number }>()
  const send = useMutation({
    mutationFn: (since: string) => api.webhooks.recover.mutate({ webhookEndpointId: id, since }),
    onSuccess: renew,
  })
  return (
    <Dialog title="Send missed events" close={close}>
      {send.data ? (
        <p role="status">
          {send.data.queued.toLocaleString('en')} of {send.data.found.toLocaleString('en')} are being sent, the oldest
          first.
        </p>
      ) : (
        <Form
          calls="webhooks.recover"
          label="Count them"
          changed={() => setCounted(undefined)}
          fields={() => [
            {
              name: 'since',
              label: 'Since the beginning of this day, UTC',
              hint: 'Each event that was neither delivered nor waits for its next attempt, also from while the endpoint was disabled',
              type: 'date',
              initial: new Date(Date.now() - DAY_MS).toISOString().slice(0, 10),
            },
          ]}
          submit={async ({ since: day }) => {
            const since = `${day}T00:00:00Z`
            const { found } = await api.webhooks.recover.mutate({ webhookEndpointId: id, since, dryRun: true })
            return { since, found }
          }}
          done={setCounted}
        />
      )}
      <Failure error={send.error} />
      {!send.data && counted?.found === 0 && <p role="status">It has missed nothing since then.</p>}
      {!send.data && counted && counted.found > 0 && (
        <ChangeButton
          calls="webhooks.recover"
          type="button"
          className="primary"
          disabled={send.isPending}
          onClick={() => send.mutate(counted.since)}
        >
          Send {counted.found.toLocaleString('en')} {counted.found === 1 ? 'event' : 'events'}
        </ChangeButton>
      )}
    </Dialog>
  )
}
