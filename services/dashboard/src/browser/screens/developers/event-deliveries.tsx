import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { Failure, Time } from '../../parts/parts.tsx'

/** The attempts to deliver an event, newest first, and the way to send it again. */
export function EventDeliveries({ id, object }: { id: string; object: string }) {
  const { environment, api } = usePlace()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'timeline', object],
    queryFn: () => api.timeline.get.query({ id: object }),
  })
  const again = useMutation({
    mutationFn: (of: { webhookEndpointId: string; deliveryId: string }) => api.webhooks.retry.mutate(of),
    onSuccess: () => queries.invalidateQueries({ queryKey: [environment] }),
  })
  const attempts = (data?.entries ?? []).filter(
    ({ kind, details }) => kind === 'delivery_attempt' && details.eventId === id,
  )
  // The newest attempt of each delivery says how it is.
  const deliveries = attempts.filter((each, index) => attempts.findIndex((other) => other.id === each.id) === index)
  return (
    <section aria-label="Deliveries">
      <h2>Deliveries</h2>
      <Failure error={error ?? again.error} retry={() => void refetch()} />
      {data && deliveries.length === 0 && <p className="hint">No attempt to deliver it yet.</p>}
      <ul className="rows">
        {deliveries.map(({ id: deliveryId, at, details }) => {
          const answer = typeof details.responseStatus === 'number' ? details.responseStatus : undefined
          const isDelivered = answer !== undefined && answer >= 200 && answer < 300
          const webhookEndpointId = String(details.webhookEndpointId)
          return (
            <li key={deliveryId}>
              <span className={`status ${isDelivered ? 'good' : 'bad'}`}>
                {isDelivered ? 'delivered' : `failed, attempt ${String(details.attempt)}`}
              </span>
              <Link href={`/webhooks/${webhookEndpointId}`}>
                {answer === undefined ? String(details.error) : `Your server answered ${answer}`}
              </Link>
              <Time at={at} precise />
              <ChangeButton
                calls="webhooks.retry"
                type="button"
                disabled={again.isPending}
                onClick={() => again.mutate({ webhookEndpointId, deliveryId })}
              >
                Send again
              </ChangeButton>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
