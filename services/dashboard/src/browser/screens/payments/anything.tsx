import { CallError, type Client } from '@payments/client'
import { useQuery } from '@tanstack/react-query'
import { Link, Redirect } from 'wouter'
import { usePlace } from '../../context.ts'
import { Raw } from '../../parts/object/raw.tsx'
import { Timeline } from '../../parts/object/timeline.tsx'
import { Empty, Failure, Screen, Skeleton } from '../../parts/parts.tsx'
import { allKinds } from './kinds/index.ts'
import { PaymentObject } from './object.tsx'

/** Where objects that are no payments are shown. */
const ELSEWHERE: readonly (readonly [path: string, read: (api: Client, id: string) => Promise<unknown>])[] = [
  ['/collections', (api, collectionId) => api.collections.get.query({ collectionId })],
  ['/customers', (api, customerId) => api.customers.get.query({ customerId })],
  ['/webhooks', (api, webhookEndpointId) => api.webhooks.get.query({ webhookEndpointId })],
]

const NOT_FOUND = 404

/** What reads the object whose id it is; undefined where nothing does. Any other error is passed on. */
async function found<T>(reads: readonly (() => Promise<T>)[]): Promise<T | undefined> {
  const results = await Promise.allSettled(reads.map((read) => read()))
  const good = results.find((result) => result.status === 'fulfilled')
  if (good) return good.value
  const bad = results.find(
    (result) =>
      result.status === 'rejected' && !(result.reason instanceof CallError && result.reason.status === NOT_FOUND),
  )
  if (bad?.status === 'rejected') throw bad.reason
  return undefined
}

/** The object of an id, whatever it is: from a search, a log line or a customer's message. */
export function Anything({ id }: { id: string }) {
  const { environment, api } = usePlace()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'object', id],
    async queryFn() {
      const payment = () =>
        found(allKinds.map((kind) => async () => ({ kind, of: await kind.read(api, id), path: '', event: undefined })))
      const elsewhere = () =>
        found(
          ELSEWHERE.map(([path, read]) => async () => {
            await read(api, id)
            return { kind: undefined, of: undefined, path: `${path}/${id}`, event: undefined }
          }),
        )
      const event = () =>
        found([
          async () => ({
            kind: undefined,
            of: undefined,
            path: '',
            event: await api.events.get.query({ eventId: id }),
          }),
        ])
      return (await payment()) ?? (await elsewhere()) ?? (await event()) ?? null
    },
  })
  if (data?.path) return <Redirect to={data.path} replace />
  return (
    <Screen title={data?.kind ? `${data.kind.one.replace(/^(?!cNGN)./, (first) => first.toUpperCase())}` : 'Object'}>
      <Failure error={error} retry={() => void refetch()} />
      {data === undefined && !error && <Skeleton lines={6} />}
      {data === null && (
        <Empty title={`Nothing in ${environment} has this id`}>
          <p>
            <code>{id}</code>
          </p>
          <p>
            It may be of the other environment or of another organisation.{' '}
            <Link href={`/transactions?text=${encodeURIComponent(id)}`}>Search transactions for it</Link>
          </p>
        </Empty>
      )}
      {data?.kind && <PaymentObject kind={data.kind} of={data.of} />}
      {data?.event && (
        <>
          <Timeline id={id} />
          <Raw value={data.event} call={`GET /v1/events/${id}`} />
        </>
      )}
    </Screen>
  )
}
