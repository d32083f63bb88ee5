import { expect, onTestFinished, test } from 'vitest'
import { type Fault, newMerchant, random, sized, startFaultyProxy, startReceiver, useArtefact } from '#testing'
import { isPaymentsError, Payments, type ResponseInfo, type SwapCreateParams } from './index.ts'

const service = useArtefact()
const CALLS = sized(10_000, 30)
const FAULTS = [
  ...(['none', 'none', 'limited', 'unavailable', 'bad-gateway', 'cut-before'] as const),
  ...(['cut-after', 'truncated', 'halved', 'error-after', 'slow'] as const),
] satisfies Fault[]
const swap: SwapCreateParams = {
  fromCurrency: 'USDC',
  toCurrency: 'EURC',
  amount: '100',
  destinationAddress: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
}

/** A server that answers what it is told to, one answer after the other, and keeps what it was asked. */
async function answering(...answers: readonly { status: number; headers?: Record<string, string>; body?: string }[]) {
  const receiver = await startReceiver({ answer: (_received, count) => answers[count - 1] ?? 'cut' })
  onTestFinished(() => receiver.close())
  const seen: ResponseInfo[] = []
  const payments = new Payments({
    url: receiver.origin,
    apiKey: 'svc_test_key',
    onResponse: (response) => void seen.push(response),
  })
  return { receiver, payments, seen, keys: () => receiver.received.map(({ headers }) => headers['idempotency-key']) }
}
const json = { 'content-type': 'application/json' }
const refusal = (status: number, code: string, more: Record<string, string> = {}) => ({
  status,
  headers: { ...json, link: `</docs/reference/errors#${code}>; rel="help"`, 'x-request-id': 'request-1', ...more },
  body: JSON.stringify({ status: 'error', message: 'Refused', data: null }),
})
const success = {
  status: 200,
  headers: json,
  body: JSON.stringify({ status: 'success', message: '', data: { id: '1' } }),
}

test(`no change has its effect twice in ${CALLS} calls through a network that fails in every way, and each call succeeds`, {
  timeout: 900_000,
}, async () => {
  const { key, call } = await newMerchant(service)
  const choice = random(1)
  const proxy = await startFaultyProxy({
    upstream: service.url,
    slowMs: 3000,
    choose: (attempt) => (attempt > 6 ? 'none' : choice.pick(FAULTS)),
  })
  onTestFinished(() => proxy.close())
  const payments = new Payments({
    ...{ url: proxy.url, apiKey: key, timeoutMs: 2000, deadlineMs: 600_000, maxRetries: 20 },
  })
  const ids = new Set<string>()
  let left = CALLS
  const worker = async () => {
    while (left-- > 0) ids.add((await payments.swaps.create(swap)).id)
  }
  // A call mostly waits between its attempts.
  await Promise.all(Array.from({ length: sized(200, 30) }, worker))
  expect(ids.size).toBe(CALLS)
  expect((await call('GET /v1/swaps')).data.total).toBe(CALLS)
  expect([...proxy.happened.keys()].sort()).toEqual([...new Set(FAULTS)].sort())
})

test('a refusal of the caller is not repeated; one for now is, with the same key', async () => {
  for (const status of [400, 401, 403, 404, 409, 413, 415, 422]) {
    const { payments, receiver } = await answering(refusal(status, 'some_code'))
    const error = await payments.swaps.create(swap).catch((caught) => caught)
    expect([isPaymentsError(error), error.status, error.code, error.requestId]).toEqual([
      true,
      status,
      'some_code',
      'request-1',
    ])
    expect(receiver.received).toHaveLength(1)
  }
  for (const [status, code] of [
    [429, 'rate_limited'],
    [409, 'key_in_progress'],
    [503, 'busy'],
  ] as const) {
    const { payments, keys, seen } = await answering(refusal(status, code, { 'retry-after': '0' }), success)
    const { lastResponse } = await payments.swaps.create(swap)
    expect([lastResponse.attempts, lastResponse.idempotencyKey]).toEqual([2, keys()[0]])
    expect(new Set(keys()).size).toBe(1)
    expect(seen.map((each) => each.status)).toEqual([status, 200])
  }
})

test('a call ends at its deadline with the last error, instead of waiting longer than it may', async () => {
  const { payments, receiver } = await answering(refusal(429, 'rate_limited', { 'retry-after': '900' }))
  const error = await payments.swaps.create(swap, { deadlineMs: 5000 }).catch((caught) => caught)
  expect([error.code, error.retryAfter]).toEqual(['rate_limited', 900])
  expect(receiver.received).toHaveLength(1)
})

test('a change of a public operation is not repeated when its outcome is unknown: the service ignores its key', async () => {
  const { payments, receiver } = await answering(refusal(500, 'internal_error'), success)
  await expect(payments.pay.act('collection', { action: 'start' })).rejects.toMatchObject({ code: 'internal_error' })
  expect(receiver.received).toHaveLength(1)
  const reading = await answering(refusal(500, 'internal_error'), success)
  expect((await reading.payments.pay.get('collection')).lastResponse.attempts).toBe(2)
})

test('an attempt without a reply is given up and repeated, and the signal of the caller ends everything', async () => {
  const silent = await startReceiver({ answer: (_received, count) => (count === 1 ? 'hang' : success) })
  onTestFinished(() => silent.close())
  const payments = new Payments({ url: silent.origin, apiKey: 'svc_test_key', timeoutMs: 2000 })
  expect((await payments.swaps.create(swap)).lastResponse.attempts).toBe(2)
  const hanging = await startReceiver({ answer: () => 'hang' })
  onTestFinished(() => hanging.close())
  const caller = new AbortController()
  const { signal } = caller
  const call = () => new Payments({ url: hanging.origin }).customers.list({ signal }).catch((error) => error)
  const first = call()
  await expect.poll(() => hanging.received.length, { timeout: 10_000 }).toBe(1)
  caller.abort()
  // The second is ended before it is sent.
  for (const error of [await first, await call()]) expect(error).toBe(signal.reason)
  expect(hanging.received).toHaveLength(1)
})

test('an id that would be another path is refused before it is sent', async () => {
  const { payments, receiver } = await answering(success)
  for (const id of ['', '..', 'a/b', '%2e%2e'])
    await expect(async () => payments.swaps.get(id)).rejects.toThrow(TypeError)
  expect(receiver.received).toEqual([])
})
