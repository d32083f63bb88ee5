import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { NotLoaded } from '../../parts/object/not-loaded.tsx'
import { Copy, Dialog, Empty, Failure, Field, fieldsOf, Screen, Skeleton, Status, Time } from '../../parts/parts.tsx'
import { EndpointActions } from './endpoint-actions.tsx'

/** The endpoints that receive events. */
export function Webhooks() {
  const { environment, api } = usePlace()
  const [creating, setCreating] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'webhooks'],
    queryFn: () => api.webhooks.list.query({}),
  })
  return (
    <Screen
      title="Webhooks"
      actions={
        <ChangeButton calls="webhooks.create" type="button" className="primary" onClick={() => setCreating(true)}>
          New endpoint
        </ChangeButton>
      }
    >
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton />}
      {data?.total === 0 && (
        <Empty title="Get every event">
          <p>An endpoint is an address of yours that receives each event, signed, within a second.</p>
          <p>
            <a href="/docs/webhooks">How to verify a signature</a>
          </p>
        </Empty>
      )}
      {data && data.total > 0 && (
        <ul className="rows">
          {data.webhookEndpoints.map(({ id, url, description, status }) => (
            <li key={id}>
              <Link href={`/webhooks/${id}`}>{url}</Link>
              {description && <span>{description}</span>}
              <Status of={status} />
            </li>
          ))}
        </ul>
      )}
      {creating && <NewEndpoint close={() => setCreating(false)} />}
    </Screen>
  )
}

function NewEndpoint({ close }: { close: () => void }) {
  const { environment, api } = usePlace()
  const create = useMutation({
    mutationFn: (url: string) => api.webhooks.create.mutate({ url }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [environment] }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.mutate(String(new FormData(event.currentTarget).get('url') ?? '').trim())
  }
  if (create.data)
    return (
      <Dialog title="Your new endpoint" close={close}>
        <p>Copy its signing secret now: it is shown only once.</p>
        <p className="secret">
          <code>{create.data.secret}</code>
        </p>
        <Copy text={create.data.secret} label="Copy the signing secret" />
        <p>
          <Link href={`/webhooks/${create.data.id}`}>Send it a test event</Link>
        </p>
      </Dialog>
    )
  const wrong = fieldsOf(create.error)
  return (
    <Dialog title={`New ${environment} endpoint`} close={close}>
      <form onSubmit={submit}>
        <Field label="Address" hint="HTTPS, reachable from the internet" error={wrong.url}>
          {(props) => (
            <input {...props} name="url" type="url" required placeholder="https://merchant.example/webhooks" />
          )}
        </Field>
        {!wrong.url && <Failure error={create.error} />}
        <ChangeButton calls="webhooks.create" type="submit" className="primary" disabled={create.isPending}>
          Create endpoint
        </ChangeButton>
      </form>
    </Dialog>
  )
}

/** One endpoint, and what was sent to it. */
export function Endpoint({ id }: { id: string }) {
  const { environment, api } = usePlace()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'endpoint', id],
    async queryFn() {
      const [endpoint, sent] = await Promise.all([
        api.webhooks.get.query({ webhookEndpointId: id }),
        api.webhooks.deliveries.query({ webhookEndpointId: id }),
      ])
      return { endpoint, ...sent }
    },
    // No event tells of a delivery.
    refetchInterval: ({ state }) => (state.data?.deliveries.some(({ nextAttemptAt }) => nextAttemptAt) ? 2000 : false),
  })
  const renew = () => queries.invalidateQueries({ queryKey: [environment] })
  const test = useMutation({ mutationFn: () => api.webhooks.test.mutate({ webhookEndpointId: id }), onSuccess: renew })
  const retry = useMutation({
    mutationFn: (deliveryId: string) => api.webhooks.retry.mutate({ webhookEndpointId: id, deliveryId }),
    onSuccess: renew,
  })
  if (!data)
    return <NotLoaded title="Endpoint" error={error} retry={() => void refetch()} list={['/webhooks', 'endpoints']} />
  return (
    <Screen
      title="Endpoint"
      actions={
        <>
          {data.endpoint.status === 'enabled' && (
            <ChangeButton
              calls="webhooks.test"
              type="button"
              className="primary"
              disabled={test.isPending}
              onClick={() => test.mutate()}
            >
              Send a test event
            </ChangeButton>
          )}
          <EndpointActions of={data.endpoint} />
        </>
      }
    >
      <p className="link">
        <code>{data.endpoint.url}</code> <Status of={data.endpoint.status} />
      </p>
      <Failure error={test.error ?? retry.error} />
      <section aria-label="Deliveries" aria-live="polite">
        <h2>Deliveries</h2>
        {data.deliveries.length === 0 ? (
          <p className="hint">None yet. Send a test event, or change something: its event is sent here.</p>
        ) : (
          <ul className="deliveries">
            {data.deliveries.map(({ id: deliveryId, eventType, status, attempts, createdAt, nextAttemptAt }) => (
              <li key={deliveryId}>
                <details>
                  <summary>
                    <code>{eventType}</code>{' '}
                    {status === 'pending' && attempts.length > 0 ? (
                      <span className="status bad">
                        failing, {attempts.length} {attempts.length === 1 ? 'attempt' : 'attempts'}
                      </span>
                    ) : (
                      <Status of={status} />
                    )}{' '}
                    <Time at={createdAt} />
                  </summary>
                  {attempts.map((attempt) => (
                    <div key={attempt.attemptedAt} className="attempt">
                      <p>
                        <Time at={attempt.attemptedAt} />, {attempt.durationMs} ms:{' '}
                        {attempt.responseStatus ? `status ${attempt.responseStatus}` : attempt.error}
                      </p>
                      {attempt.responseBody && (
                        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll with keys too
                        <pre tabIndex={0}>{attempt.responseBody}</pre>
                      )}
                    </div>
                  ))}
                  {nextAttemptAt ? (
                    <p>
                      Next attempt <Time at={nextAttemptAt} />
                    </p>
                  ) : (
                    <ChangeButton
                      calls="webhooks.retry"
                      type="button"
                      disabled={retry.isPending}
                      onClick={() => retry.mutate(deliveryId)}
                    >
                      Send again
                    </ChangeButton>
                  )}
                </details>
              </li>
            ))}
          </ul>
        )}
      </section>
    </Screen>
  )
}
