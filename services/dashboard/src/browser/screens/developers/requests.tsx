import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { Link, useSearchParams } from 'wouter'
import { usePlace } from '../../context.ts'
import type { Filter } from '../../parts/lists/address.ts'
import { FilterBar } from '../../parts/lists/filter-bar.tsx'
import { After, Before, shownOf, usePages } from '../../parts/lists/pages.tsx'
import { valuesIn } from '../../parts/lists/several.tsx'
import { NotLoaded } from '../../parts/object/not-loaded.tsx'
import { Copyable, Empty, Failure, Screen, Skeleton, Time } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'

const RENEW_MS = 5000
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const STATUSES = {
  succeeded: ['Succeeded', ['1xx', '2xx', '3xx']],
  refused: ['Refused (4xx)', ['4xx']],
  failed: ['Failed (5xx)', ['5xx']],
} as const
const isStatus = (text: string): text is keyof typeof STATUSES => Object.hasOwn(STATUSES, text)

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', options: Object.entries(STATUSES).map(([name, [label]]) => [name, label]) },
  { name: 'method', label: 'Method', options: METHODS.map((each) => [each, each]) },
  { name: 'path', label: 'Path', type: 'text', placeholder: '/v1/customers/{customerId}' },
]

/** What an address filters by; what the service would not take is left out. */
function filtersIn(search: URLSearchParams) {
  const [path, id] = ['path', 'id'].map((name) => search.get(name)?.trim() ?? '') as [string, string]
  const methods = METHODS.filter((each) => valuesIn(search.get('method')).includes(each))
  const statuses = valuesIn(search.get('status'))
    .filter(isStatus)
    .flatMap((each) => STATUSES[each][1])
  return {
    ...(statuses.length > 0 ? { statuses } : {}),
    ...(methods.length > 0 ? { methods } : {}),
    ...(path.startsWith('/v1/') ? { path } : {}),
    ...(id ? { requestId: id.slice(0, 128) } : {}),
  }
}

const tone = (status: number) => (status >= 500 ? 'bad' : status >= 400 ? 'neutral' : 'good')
const Code = ({ of }: { of: number }) => <span className={`status ${tone(of)}`}>{of}</span>

/** The requests of servers and tools to the API, filtered by what the address says. */
export function Requests() {
  const { environment, api } = usePlace()
  const [search] = useSearchParams()
  const filters = filtersIn(search)
  const pages = usePages({
    queryKey: [environment, 'requests', filters],
    read: (page) => api.requests.search.query({ ...filters, ...page }),
    rowsOf: (page) => page.requests.length,
    // No event tells of a request.
    renewMs: RENEW_MS,
  })
  const { data, error, refetch, skipped } = pages
  const requests = data?.pages.flatMap((page) => page.requests) ?? []
  const total = data?.pages[0]?.total
  return (
    <Screen title="Requests">
      <FilterBar name="id" label="Find a request" placeholder="X-Request-Id, in full" filters={FILTERS} />
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton lines={8} />}
      {data && requests.length === 0 && (
        <Empty title={Object.keys(filters).length > 0 ? 'No request fits these filters' : 'No requests yet'}>
          <p>What your servers ask the API is listed here for 30 days, without secrets and personal data.</p>
          <p>
            <Link href="/keys">Create an API key</Link>
          </p>
        </Empty>
      )}
      <p className="count" role="status">
        {requests.length > 0 &&
          (total === null || total === undefined
            ? 'More than 10,000 requests'
            : `${total.toLocaleString('en')} ${total === 1 ? 'request' : 'requests'}${shownOf(skipped, requests.length)}`)}
      </p>
      <Before of={pages} />
      {requests.length > 0 && (
        <Table
          label="Requests"
          keyOf={({ id }) => id}
          rows={requests}
          columns={[
            {
              title: 'Request',
              cell: ({ id, method, path }) => (
                <Link href={`/requests/${id}`}>
                  <code className="broken">
                    {method} {path}
                  </code>
                </Link>
              ),
            },
            { title: 'Status', cell: ({ status }) => <Code of={status} /> },
            { title: 'Error', cell: ({ errorCode, replayed }) => errorCode ?? (replayed ? 'Replayed' : '') },
            { title: 'Time', cell: ({ createdAt }) => <Time at={createdAt} precise /> },
            { title: 'Duration', cell: ({ durationMs }) => `${durationMs.toLocaleString('en')} ms` },
          ]}
        />
      )}
      <After of={pages} />
    </Screen>
  )
}

/** One request, with what was sent and answered. */
export function Request({ id }: { id: string }) {
  const { environment, api } = usePlace()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'request', id],
    queryFn: () => api.requests.get.query({ requestId: id }),
    staleTime: 'static',
  })
  if (!data)
    return <NotLoaded title="Request" error={error} retry={() => void refetch()} list={['/requests', 'requests']} />
  const facts: readonly (readonly [string, string | null])[] = [
    ['Error', data.errorCode],
    ['API key', data.apiKeyId],
    ['Address', data.ip],
    ['Client', data.userAgent],
    ['Idempotency-Key', data.idempotencyKey && `${data.idempotencyKey}${data.replayed ? ' (replayed)' : ''}`],
    ['Duration', `${data.durationMs.toLocaleString('en')} ms`],
  ]
  return (
    <Screen title="Request">
      <p className="link">
        <Code of={data.status} />{' '}
        <code>
          {data.method} {data.path}
        </code>
      </p>
      <dl className="facts">
        <dt>Time</dt>
        <dd>
          <Time at={data.createdAt} precise />
        </dd>
        <dt>X-Request-Id</dt>
        <dd>
          <Copyable text={data.requestId} label="Copy the id of the request" />
        </dd>
        {facts.map(
          ([name, value]) =>
            value && (
              <Fragment key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </Fragment>
            ),
        )}
        {data.resourceId && (
          <>
            <dt>Object</dt>
            <dd>
              <Link href={`/objects/${data.resourceId}`}>{data.resourceId}</Link>
            </dd>
          </>
        )}
      </dl>
      <Body title="Request body" value={data.requestBody} />
      <Body title="Reply" value={data.responseBody} />
      <p className="hint">Secrets and personal data were replaced before the request was stored.</p>
    </Screen>
  )
}

function Body({ title, value }: { title: string; value: unknown }) {
  return (
    <section className="raw" aria-label={title}>
      <h2>{title}</h2>
      {value ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll with keys too
        <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
      ) : (
        <p className="hint">None was kept.</p>
      )}
    </section>
  )
}
