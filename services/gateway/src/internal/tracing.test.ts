import { expect, onTestFinished, test } from 'vitest'
import { newMerchant, samples, startProcess, startReceiver, useService } from '#testing'

const service = useService()

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[]
  readonly status: { readonly code?: number }
}
interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Span['attributes'] }
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[]
  }[]
}

async function collector() {
  const receiver = await startReceiver({ answer: () => ({ status: 200, body: '{}' }) })
  onTestFinished(() => receiver.close())
  const traces = () => receiver.received.filter(({ path }) => path === '/v1/traces')
  const spans = () =>
    traces().flatMap(({ body }) =>
      (JSON.parse(body) as Exported).resourceSpans.flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap((scope) => scope.spans),
      ),
    )
  return { receiver, traces, spans }
}

const attributeOf = (span: Span | undefined, key: string) =>
  Object.values(span?.attributes.find((each) => each.key === key)?.value ?? {})[0]

test('a collector receives a request with its unit of work and provider calls, jobs and deliveries, and nothing that a caller wrote', async () => {
  const { receiver, traces, spans } = await collector()
  const process = await startProcess(service, {
    PROCESS_ROLE: 'all',
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.origin}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector,x-tenant=one',
    OTEL_SERVICE_NAME: 'payments-tested',
    OTEL_TRACES_SAMPLER_ARG: '1',
    WEBHOOK_DEV_TARGETS: receiver.origin,
  })
  onTestFinished(() => process.stop())
  const merchant = await newMerchant({ runtime: service.runtime, url: process.url })
  const endpoint = { url: receiver.url }
  expect((await merchant.call('POST /v1/webhooks', { body: endpoint })).status).toBe(201)
  const created = await merchant.call(`POST ${samples.swap.path}`, {
    body: samples.swap.body({ metadata: { note: 'a secret note' } }),
    headers: { 'x-request-id': 'request-of-the-test' },
  })
  expect(created.status).toBe(201)
  const registered = { email: 'ada@example.com', organisationName: 'Ada' }
  expect((await merchant.call('POST /v1/auth/register', { body: registered, token: null })).status).toBe(200)
  expect((await merchant.call(`POST ${samples.swap.path}`, { body: {} })).status).toBe(422)
  await receiver.until((all) => all.some(({ path }) => path === '/hooks'), 20_000)
  const logged = process.output()
  await process.stop()

  const all = spans()
  const request = all.find((span) => attributeOf(span, 'payments.request_id') === 'request-of-the-test')
  expect(request).toMatchObject({ name: 'POST /v1/swaps', kind: 2 })
  expect([attributeOf(request, 'http.route'), attributeOf(request, 'http.response.status_code')]).toEqual([
    '/v1/swaps',
    201,
  ])
  const within = all.filter(({ traceId }) => traceId === request?.traceId).map(({ name }) => name)
  expect(within).toEqual(
    expect.arrayContaining(['unit of work', 'sandbox swaps quote', 'sandbox swaps prepareAddress']),
  )
  const refused = all.find((span) => attributeOf(span, 'error.type') === 'validation_failed')
  expect([attributeOf(refused, 'http.response.status_code'), refused?.status.code ?? 0]).toEqual([422, 0])
  expect(all.some(({ name }) => name.startsWith('job '))).toBe(true)
  const delivery = all.find(({ name }) => name === 'webhook delivery')
  expect(attributeOf(delivery, 'http.response.status_code')).toBe(200)

  const line = logged
    .split('\n')
    .find((each) => each.includes('request-of-the-test') && each.includes('request completed'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ traceId: request?.traceId, spanId: request?.spanId })

  expect(traces()[0]?.headers).toMatchObject({ authorization: 'Bearer collector', 'x-tenant': 'one' })
  const sent = traces()
    .map(({ body }) => body)
    .join()
  expect(sent).toContain('payments-tested')
  for (const secret of ['a secret note', merchant.key, 'ada@example.com', 'Ada', '"exception'])
    expect(sent).not.toContain(secret)
})

test('a collector that does not answer delays no request, and the end of the process by seconds at most', async () => {
  const receiver = await startReceiver({ answer: () => 'hang' })
  onTestFinished(() => receiver.close())
  const process = await startProcess(service, {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin,
    OTEL_TRACES_SAMPLER_ARG: '1',
  })
  onTestFinished(() => process.stop())
  const merchant = await newMerchant({ runtime: service.runtime, url: process.url })
  for (let count = 0; count < 20; count++) expect((await merchant.call('GET /v1/swaps')).status).toBe(200)
  await process.stop()
  expect(receiver.received.length).toBeGreaterThan(0)
})
