import { appRouter, type Process } from '@payments/api'
import { type Actor, errors as commonErrors, ServiceError } from '@payments/kernel'
import { callerErrorOf, isDatabaseUnavailable } from '@payments/platform'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { ZodError } from 'zod'
import { readBody } from './body.ts'
import { errors } from './errors.ts'
import type { Gateway, State } from './state.ts'

const PREFIX = '/trpc/'
const BATCH = 20

/** The procedures that a tRPC path calls, one or a batch; none for any other path. */
export function trpcCalls(path: string): string[] {
  if (!path.startsWith(PREFIX)) return []
  try {
    return decodeURIComponent(path.slice(PREFIX.length)).split(',')
  } catch {
    return []
  }
}

/** Serves the procedures over tRPC for dashboard sessions: internal tools call them with types and get objects without the envelope. */
export function mountTrpc(router: Gateway, { callContext }: Process, actorOf: (state: State) => Actor): void {
  router.all('/trpc/:procedures', async (ctx) => {
    const actor = actorOf(ctx.state)
    if (actor.kind !== 'session')
      throw actor.kind === 'anonymous' ? commonErrors.no_token() : commonErrors.session_required()
    if (trpcCalls(ctx.path).length > BATCH) throw errors.batch_too_large()
    const body = ctx.method === 'POST' ? await readBody(ctx.req) : undefined
    const call = callContext(actor, { log: ctx.state.log, ip: ctx.state.ip, userAgent: ctx.get('user-agent') })
    const answer = await fetchRequestHandler({
      endpoint: '/trpc',
      router: appRouter,
      req: new Request(new URL(ctx.url, 'http://gateway'), {
        method: ctx.method,
        headers: { 'content-type': ctx.get('content-type') || 'application/json' },
        ...(body ? { body: new Uint8Array(body) } : {}),
      }),
      createContext: () => call,
      onError({ error, path }) {
        if (error.code === 'INTERNAL_SERVER_ERROR' && !callerErrorOf(error))
          ctx.state.log.error({ err: error, path }, 'procedure failed')
      },
      responseMeta: ({ errors: all }) => {
        const [error] = all
        const caller = error && callerErrorOf(error)
        if (caller instanceof ServiceError) return { status: caller.status }
        if (caller instanceof ZodError) return { status: 422 }
        return error && isDatabaseUnavailable(error) ? { status: 503 } : {}
      },
    })
    ctx.status = answer.status
    ctx.type = 'application/json'
    ctx.body = await answer.text()
  })
}
