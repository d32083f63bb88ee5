import type { Process } from '@payments/api'
import { errors as commonErrors, ServiceError } from '@payments/kernel'
import { parseBody, readBody } from '../http/body.ts'
import { DASHBOARD_API } from '../http/dashboard.ts'
import { operations } from '../operations/operations.ts'
import type { Gateway, State } from '../operations/state.ts'
import type { Callers } from '../requests/caller.ts'
import { mountTrpc } from '../requests/protocols/trpc.ts'
import { showsMail } from './mail.ts'
import type { DashboardSessions } from './session.ts'

/** Their replies have tokens, which no script may read: `/session` calls them and keeps the tokens in the cookie. */
const WITH_TOKENS: ReadonlySet<string> = new Set(['auth.verify', 'auth.refresh', 'auth.organisation', 'auth.logout'])

/**
 * Mounts what the dashboard's application calls: its session, and the procedures as the signed-in user. Everything about
 * access, limits and live mode is decided where it is for `/v1`: by the procedure, from the same actor.
 */
export function mountDashboardApi(router: Gateway, process: Process, caller: Callers, own: DashboardSessions): void {
  mountTrpc(router, process, caller, { prefix: `${DASHBOARD_API}/trpc/`, anonymous: true, withheld: WITH_TOKENS })
  const path = `${DASHBOARD_API}/session`
  /** Who is signed in, or null. */
  const signedIn = async (state: State): Promise<unknown> => {
    if (state.credential.kind === 'none') return null
    try {
      return await process.createCaller(caller.of(state)).auth.me({})
    } catch (error) {
      if (error instanceof ServiceError && error.status === 401) return null
      throw error
    }
  }
  router.get(path, async (ctx) => {
    const session = await signedIn(ctx.state)
    if (!session && ctx.state.credential.kind !== 'none') own.forget(ctx)
    ctx.body = { session, mail: showsMail(process.runtime.settings, ctx) ? '/dev/mail' : null }
  })
  router.post(path, async (ctx) => {
    // A session that is there already is replaced.
    ctx.state.actor = undefined
    await own.start(ctx, 'auth.verify', parseBody(await readBody(ctx.req), ctx.req.headers))
    ctx.body = {}
  })
  router.post(`${path}/organisation`, async (ctx) => {
    caller.authorised(ctx.state, requiredBy('auth.organisation'))
    await own.start(ctx, 'auth.organisation', parseBody(await readBody(ctx.req), ctx.req.headers))
    ctx.body = {}
  })
  router.post(`${path}/end`, async (ctx) => {
    const { everywhere = false } = parseBody(await readBody(ctx.req), ctx.req.headers)
    if (ctx.state.credential.kind !== 'none')
      try {
        const as = process.createCaller(caller.of(ctx.state))
        if (everywhere === true) await as.auth.endOtherSessions({})
        await as.auth.logout({})
      } catch (error) {
        // It has ended already.
        if (!(error instanceof ServiceError) || error.status !== 401) throw error
      }
    own.forget(ctx)
    ctx.body = {}
  })
}

/** What an operation asks of its caller. */
function requiredBy(name: string) {
  const found = operations.find((each) => each.name === name)
  if (!found) throw commonErrors.no_token()
  return found.operation.meta
}
