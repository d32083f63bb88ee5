import { type Client, createClient } from '@payments/client'
import { RequestError, UsageError } from '../failures.ts'
import { request } from './rest.ts'
import type { State, StateFile } from './state.ts'

/** A token is replaced this long before it expires, so that it does not expire on its way. */
const EARLY_MS = 30_000

/** The service, and who calls it. */
export interface Service {
  /** Without `/v1`. */
  readonly base: string
  readonly state: StateFile
  /** An internal token, which replaces the session. */
  readonly token: string | undefined
  readonly client: Client
}

/** The service at `base`, called with the internal token, else with the session that is kept, which is refreshed when needed. */
export function connect(base: string, state: StateFile, token: string | undefined): Service {
  return { base, state, token, client: createClient({ url: base, token: () => token ?? accessToken(base, state) }) }
}

/** @throws UsageError without a session, or when it has ended */
async function accessToken(base: string, file: StateFile): Promise<string> {
  const { session } = file.read()
  if (!session) throw new UsageError('Sign in first: ops login --email <email>')
  if (Date.parse(session.expiresAt) - EARLY_MS > Date.now()) return session.accessToken
  try {
    const reply = await request(base, 'POST /v1/auth/refresh', { refreshToken: session.refreshToken })
    const refreshed = sessionOf(reply, session.email)
    file.write({ ...file.read(), session: refreshed })
    return refreshed.accessToken
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 401) throw error
    file.write({})
    throw new UsageError(`The session has ended: ops login --email ${session.email}`)
  }
}

interface Tokens {
  readonly accessToken: string
  readonly expiresIn: number
  readonly refreshToken: string
}

const sessionOf = (reply: Record<string, unknown>, email: string): NonNullable<State['session']> =>
  keptSession(reply.data as Tokens, email)

const keptSession = (tokens: Tokens, email: string): NonNullable<State['session']> => ({
  email,
  accessToken: tokens.accessToken,
  expiresAt: new Date(Date.now() + tokens.expiresIn * 1000).toISOString(),
  refreshToken: tokens.refreshToken,
})

/** Has a code sent to the address, and remembers what it is for. */
export async function requestCode({ base, state }: Service, email: string): Promise<void> {
  const { data } = await request(base, 'POST /v1/auth/login', { email })
  state.write({ ...state.read(), challenge: { email, challengeId: (data as { challengeId: string }).challengeId } })
}

/**
 * Signs in with the code that was requested last, and keeps the session: in the operators' organisation, if the user has others.
 * @throws UsageError without a requested code, or for a user who is not an operator
 */
export async function signIn({ base, state, client }: Service, code: string): Promise<string> {
  const { challenge } = state.read()
  if (!challenge) throw new UsageError('Request a code first: ops login --email <email>')
  const { email, challengeId } = challenge
  const reply = await request(base, 'POST /v1/auth/otp/verify', { challengeId, code })
  state.write({ session: sessionOf(reply, email) })
  const { organisation, organisations } = await client.auth.me.query({})
  if (organisation.role === 'operator') return email
  const operators = organisations.find(({ role }) => role === 'operator')
  if (!operators) {
    await signOut({ state, client })
    throw new UsageError(`${email} is not an operator: the setting OPERATOR_EMAILS of the service names them`)
  }
  state.write({ session: keptSession(await client.auth.organisation.mutate({ organisationId: operators.id }), email) })
  return email
}

/** Ends the session at the service, and forgets it here whatever the service says. */
export async function signOut({ state, client }: Pick<Service, 'state' | 'client'>): Promise<void> {
  if (!state.read().session) return state.write({})
  try {
    await client.auth.logout.mutate({})
  } finally {
    state.write({})
  }
}
