import { setTimeout as pause } from 'node:timers/promises'
import { isPaymentsError, type Payments } from '@payments/sdk'
import { type Output, safe, UsageError } from '../output.ts'

type Request = Awaited<ReturnType<Payments['requests']['get']>>
type Logged = Omit<Request, 'requestBody' | 'responseBody' | 'lastResponse'>

export interface TailOptions {
  /** `404`, `4xx` or `400-499`; several with a comma between them. */
  readonly status: string | undefined
  readonly method: string | undefined
  /** The beginning of a path, with the names of its parameters. */
  readonly path: string | undefined
  /** How many requests of before are printed first. */
  readonly last: number
}

const POLL_MS = 1000
const LONGEST_PAUSE_MS = 15_000
/** Requests are written in batches by several processes: one that appears late may be this much older than one that was seen. */
const OVERLAP_MS = 10_000

/**
 * Prints the requests of the organisation as they are logged, oldest first, until it is interrupted. After a lost connection or a sleep of
 * the machine it reads on where it was, and leaves out none that the service still keeps. Its own reading is not printed.
 * @throws UsageError for a status that cannot be read, PaymentsError where the service refuses
 */
export async function tail(
  payments: Payments,
  { status, method, path, last }: TailOptions,
  { output, signal }: { readonly output: Output; readonly signal: AbortSignal },
): Promise<void> {
  const ranges = status?.split(',').map(rangeOf)
  const isWanted = (each: Logged): boolean =>
    (ranges === undefined || ranges.some(([from, to]) => each.status >= from && each.status <= to)) &&
    (method === undefined || each.method === method.toUpperCase()) &&
    (path === undefined ? !each.path.startsWith('/v1/requests') : each.path.startsWith(path))
  const show = (each: Logged): void => output.out(output.json ? JSON.stringify(each) : lineOf(each))

  const seen = new Map<string, number>()
  const remember = (each: Logged): boolean => {
    if (seen.has(each.id)) return false
    seen.set(each.id, Date.parse(each.createdAt))
    return true
  }
  let newest = 0
  let lost = false
  for (let failures = 0; ; ) {
    try {
      const { requests } = await payments.requests.list({ signal, maxRetries: 0 })
      const oldest = requests.at(-1)
      const isFirst = newest === 0
      const isGap = !isFirst && requests.length === 200 && oldest && Date.parse(oldest.createdAt) > newest - OVERLAP_MS
      const all = isGap ? await since(payments, newest - OVERLAP_MS, signal) : requests
      const fresh = all
        .filter((each) => Date.parse(each.createdAt) >= newest - OVERLAP_MS)
        .filter(remember)
        .filter(isWanted)
        .toReversed()
      if (isFirst) output.err('Ready: requests are printed as they are answered')
      else if (lost) output.err('Connected again: nothing was left out')
      for (const each of isFirst ? fresh.slice(Math.max(0, fresh.length - last)) : fresh) show(each)
      // The service's clock alone decides what is newer; without a request there is none to overlap with.
      newest = Math.max(newest, ...[...seen.values()], 1)
      for (const [id, at] of seen) if (at < newest - 2 * OVERLAP_MS) seen.delete(id)
      failures = 0
      lost = false
    } catch (error) {
      if (signal.aborted || !isPaymentsError(error) || !isPassing(error.status)) throw error
      if (!lost) output.err(safe(`Connection lost: ${error.message}. Trying again`))
      lost = true
      failures++
    }
    await pause(Math.min(POLL_MS * 2 ** Math.min(failures, 10), LONGEST_PAUSE_MS), undefined, { signal })
  }
}

/** All requests since a time, newest first: more than the list has. */
async function since(payments: Payments, at: number, signal: AbortSignal): Promise<Logged[]> {
  const all: Logged[] = []
  const params = { from: new Date(at).toISOString(), limit: 200 }
  for await (const each of payments.requests.search(params, { signal })) all.push(each)
  return all
}

/** The service or the way to it does not work now. */
const isPassing = (status: number): boolean => status === 0 || status === 429 || status >= 500

function rangeOf(status: string): [from: number, to: number] {
  const [, one, group, from, to] = status.match(/^(?:([1-5]\d\d)|([1-5])xx|([1-5]\d\d)-([1-5]\d\d))$/i) ?? []
  if (one) return [Number(one), Number(one)]
  if (group) return [Number(group) * 100, Number(group) * 100 + 99]
  if (from && to) return [Number(from), Number(to)]
  throw new UsageError(`--status ${status}: write it as 404, 4xx or 400-499, several with a comma between them`)
}

function lineOf({ createdAt, status, method, path, durationMs, errorCode, id, replayed }: Logged): string {
  const more = [errorCode, replayed ? 'replayed' : ''].filter(Boolean).join(', ')
  return safe(`${createdAt}  ${status}  ${method.padEnd(6)} ${path}  ${durationMs} ms  ${id}${more ? `  ${more}` : ''}`)
}
