import { setTimeout as sleep } from 'node:timers/promises'
import { type HttpClient, ProviderError } from '@payments/provider-http'
import type { OddReport } from '@payments/routes'
import { type Request, Requests } from '../wire.ts'
import { readElements } from './reports.ts'

const PAGE = 50
/** Page limit of one list: twenty thousand changed deposits. A longer list is an error of the provider. */
const PAGES = 400
/** A pause that Relay asks for in the middle of a list is waited for if it is short: what was read so far would be asked for again. */
const SHORT_PAUSE_SECONDS = 5
const PAUSES = 3

/** Requests of a list by id, what could not be read, and how many pages it had. */
export interface Listed {
  readonly found: Map<string, Request>
  readonly odd: readonly OddReport[]
  readonly pages: number
}

/** All requests that match a filter and changed since a time, newest first. */
export async function listRequests(
  client: HttpClient,
  filter: Record<string, string>,
  since: Date | null,
): Promise<Listed> {
  const found = new Map<string, Request>()
  const odd: OddReport[] = []
  let continuation: string | null = null
  let pages = 0
  do {
    if (pages++ === PAGES) throw new ProviderError('unreadable', 'The list of requests does not end')
    const query = {
      ...filter,
      sortBy: 'updatedAt',
      sortDirection: 'desc',
      limit: String(PAGE),
      ...(since ? { startTimestamp: String(Math.floor(since.getTime() / 1000)) } : {}),
      ...(continuation ? { continuation } : {}),
    }
    const read = () => client.get('/requests/v3', query, Requests)
    const answer: { requests: unknown[]; continuation: string | null } = await (continuation ? patiently(read) : read())
    const page = readElements(answer.requests)
    for (const request of page.requests) keepLatest(found, request)
    odd.push(...page.odd)
    continuation = answer.continuation
  } while (continuation)
  return { found, odd, pages }
}

/** Makes a call again after a short pause that Relay asks for. @throws ProviderError where it is long, or the fourth one */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (let pauses = 0; ; pauses++) {
    try {
      return await call()
    } catch (error) {
      const seconds = error instanceof ProviderError && error.kind === 'limited' ? error.retryAfter : undefined
      if (seconds === undefined || seconds > SHORT_PAUSE_SECONDS || pauses === PAUSES) throw error
      await sleep(seconds * 1000)
    }
  }
}

const timeOf = ({ updatedAt, createdAt }: Request): number => (updatedAt ?? createdAt)?.getTime() ?? 0

/** A list that changes between two pages can contain a request twice: the later state counts. */
function keepLatest(found: Map<string, Request>, request: Request): void {
  const known = found.get(request.id)
  if (!known || timeOf(known) <= timeOf(request)) found.set(request.id, request)
}
