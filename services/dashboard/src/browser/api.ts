import { CallError, type Client, createClient } from '@payments/client'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { countCalls } from './live/allowance.ts'

export const environments = ['test', 'live'] as const
export type Environment = (typeof environments)[number]

const API = '/dashboard/api'

/** Ends the reads in flight. */
let reads = new AbortController()
/** While the user signs out, calls wait for its failure: after a success the browser leaves the page. */
let signingOut: Promise<void> | undefined

/** The `fetch` of every call with the session: signing out ends reads in flight, and starts no call that the ended session could not make. */
export async function fetchSignedIn(url: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  await signingOut
  // Each call of a batch counts by itself, and has its name in the path.
  countCalls(new URL(String(url), location.origin).pathname.split(',').length)
  // What a command did is worth its reply.
  if (init.method === 'POST') return fetch(url, init)
  return fetch(url, { ...init, signal: AbortSignal.any([reads.signal, ...(init.signal ? [init.signal] : [])]) })
}

/** One client for each environment. The browser sends the cookie of the session, which no script can read. */
export const clients: Readonly<Record<Environment, Client>> = {
  test: createClient({ url: '', path: `${API}/trpc`, environment: 'test', fetch: fetchSignedIn }),
  live: createClient({ url: '', path: `${API}/trpc`, environment: 'live', fetch: fetchSignedIn }),
}

/** Who is signed in, and in development where the emails are. */
export interface Session {
  readonly session: Awaited<ReturnType<Client['auth']['me']['query']>> | null
  readonly mail: string | null
}

/** A call of the session that was refused, with what to tell the user. */
class SessionError extends Error {
  override name = 'SessionError'
}

async function send(path: string, body?: object): Promise<unknown> {
  const reply = await fetch(`${API}/session${path}`, {
    ...(body
      ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      : { method: 'GET' }),
  }).catch(() => undefined)
  if (!reply) throw new SessionError('The service cannot be reached: check your connection')
  const answer = (await reply.json().catch(() => ({}))) as { message?: string }
  if (!reply.ok) throw new SessionError(answer.message ?? 'The service did not answer')
  return answer
}

/** The session of this browser: no reply has a token in it. */
export const session = {
  read: () => send('') as Promise<Session>,
  start: (input: { challengeId: string; code: string }) => send('', input),
  switchTo: (organisationId: string) => send('/organisation', { organisationId }),
}

/**
 * Ends the session, or with `everywhere` all sessions of the user, and opens the sign-in at a path as a new document, so that nothing
 * the session has read stays in memory. Pending until the browser has left the page.
 * @throws SessionError when the service did not end it: the user is still signed in, and calls go on
 */
export async function signOut(path: string, everywhere: boolean): Promise<never> {
  const failure = Promise.withResolvers<void>()
  signingOut = failure.promise
  reads.abort()
  reads = new AbortController()
  try {
    await send('/end', { everywhere })
  } catch (error) {
    signingOut = undefined
    failure.resolve()
    throw error
  }
  forgetTyped()
  location.assign(path)
  return new Promise(() => undefined)
}

/** Removes what was typed and not sent from this browser: whoever signs in next does not find it. */
function forgetTyped(): void {
  try {
    localStorage.clear()
  } catch {
    // A browser that keeps nothing has nothing to remove.
  }
}

/** True of an error after which nobody is signed in. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof CallError && ['no_token', 'invalid_token'].includes(error.code)
/** Reads who is signed in, once a call was refused because nobody is: that leads to the sign-in. */
const onError = (error: unknown): void => {
  if (isSignedOut(error)) void queries.invalidateQueries({ queryKey: ['session'] })
}
const RETRIES = 2

/**
 * Everything read from the service. What is not reached is asked for again twice before that is said. Without a network a call fails at
 * once: one that waited would leave a screen empty, and a command could run long after its click.
 */
export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      networkMode: 'always',
      retry: (failures, error) => failures < RETRIES && !(error instanceof CallError && error.status !== undefined),
    },
    mutations: { networkMode: 'always' },
  },
})
