import type { Process } from '@payments/api'
import { anonymous, ownCell, ServiceError } from '@payments/kernel'
import { type Authentication, type Credential, publicUrl, type Runtime } from '@payments/platform'
import type { ParameterizedContext } from 'koa'
import { DASHBOARD_API } from '../http/dashboard.ts'
import { operations } from '../operations/operations.ts'
import type { State } from '../operations/state.ts'

type Context = ParameterizedContext<State>

/** The tokens of a session: the browser has them encrypted, and no script can read them. */
interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
}

/** Associated data of an encrypted cookie. */
const CONTEXT = 'dashboard-session'
/** The cell before a cookie: cookies from before there were cells have none. */
const OF_CELL = /^[0-9a-f]{3}\./
/** As long as a refresh token lives. */
const COOKIE_SECONDS = 30 * 86_400

/** The session of a browser: two tokens of `/v1/auth`, kept in one cookie and refreshed here. */
export interface DashboardSessions {
  /** The credential of a call, from its cookie. An expired access token is refreshed, and the cookie with it. */
  credential(ctx: Context): Promise<Credential>
  /** Calls an operation that answers with tokens, and keeps them in the cookie. @throws ServiceError */
  start(ctx: Context, name: 'auth.verify' | 'auth.organisation', input: Record<string, unknown>): Promise<void>
  /** Forgets the cookie. */
  forget(ctx: Context): void
}

export function dashboardSessions(
  { runtime, executor, callContext }: Process,
  authentication: ReturnType<Authentication['create']>,
): DashboardSessions {
  const call = async (ctx: Context, name: string, input: Record<string, unknown>): Promise<Tokens> => {
    const found = operations.find((each) => each.name === name)
    if (!found) throw new Error(`There is no operation ${name}`)
    const { log, ip, actor = anonymous } = ctx.state
    const more = { log, ip, userAgent: ctx.get('user-agent') }
    const { data } = await executor.execute(found.operation, callContext(actor, more), input)
    return data as Tokens
  }
  const keep = (ctx: Context, { accessToken, refreshToken }: Tokens): void => {
    const value = `${ownCell()}.${runtime.keyring.encrypt(JSON.stringify({ accessToken, refreshToken }), CONTEXT)}`
    ctx.append('Set-Cookie', cookieOf(runtime, value, COOKIE_SECONDS))
  }
  const forget = (ctx: Context) => ctx.append('Set-Cookie', cookieOf(runtime, '', 0))
  return {
    forget,
    async credential(ctx) {
      const tokens = tokensIn(runtime, ctx.get('cookie'))
      if (!tokens) return { kind: 'none' }
      const credential = await authentication.read(`Bearer ${tokens.accessToken}`)
      if (credential.kind === 'session') return credential
      try {
        // Parallel calls with one token get the same successor (`POST /v1/auth/refresh`).
        const renewed = await call(ctx, 'auth.refresh', { refreshToken: tokens.refreshToken })
        keep(ctx, renewed)
        return await authentication.read(`Bearer ${renewed.accessToken}`)
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status !== 401) throw error
        forget(ctx)
        return { kind: 'none' }
      }
    },
    async start(ctx, name, input) {
      keep(ctx, await call(ctx, name, input))
    },
  }
}

/** The name says where the cookie is sent: `__Secure-` only over HTTPS, which browsers then require when it is set. */
const nameOf = (secure: boolean): string => `${secure ? '__Secure-' : ''}payments-dashboard`

const isSecure = ({ settings }: Pick<Runtime, 'settings'>): boolean =>
  settings.production || publicUrl(settings).startsWith('https:')

function cookieOf(runtime: Runtime, value: string, seconds: number): string {
  const secure = isSecure(runtime)
  const parts = [`${nameOf(secure)}=${value}`, `Path=${DASHBOARD_API}`, `Max-Age=${seconds}`]
  return [...parts, 'HttpOnly', 'SameSite=Strict', ...(secure ? ['Secure'] : [])].join('; ')
}

function tokensIn(runtime: Runtime, header: string): Tokens | undefined {
  const prefix = `${nameOf(isSecure(runtime))}=`
  const [cookie, another] = header.split(/; */).filter((each) => each.startsWith(prefix))
  // A page of a neighbouring name may have set the second: which of two is meant cannot be told.
  if (!cookie || another !== undefined) return undefined
  try {
    const encrypted = cookie.slice(prefix.length).replace(OF_CELL, '')
    return JSON.parse(runtime.keyring.decrypt(encrypted, CONTEXT)) as Tokens
  } catch {
    return undefined
  }
}
