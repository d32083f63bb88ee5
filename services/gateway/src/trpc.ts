import { actorOf } from '@payments/accounts'
import { appRouter } from '@payments/app'
import { type Context, no, Refusal, type Runtime } from '@payments/kernel'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { readBody } from './body.ts'
import type { Gateway } from './state.ts'

const PREFIX = '/trpc/'
const BATCH = 20

/** The procedures that a tRPC path calls, batched ones too; none for another path. */
export function trpcCalls(path: string): string[] {
  if (!path.startsWith(PREFIX)) return []
  try {
    return decodeURIComponent(path.slice(PREFIX.length)).split(',')
  } catch {
    return []
  }
}

/** The same procedures as tRPC for dashboard sessions: internal tools call them typed, and get bare objects. */
export function mountTrpc(router: Gateway, runtime: Runtime): void {
  router.all('/trpc/:procedures', async (ctx) => {
    const actor = actorOf(ctx.state.credential, ctx.state.admission, ctx.state.environment)
    if (actor.kind !== 'session') throw actor.kind === 'anonymous' ? no.no_token() : no.session_required()
    const names = trpcCalls(ctx.path)
    if (names.length > BATCH)
      throw new Refusal('batch_too_large', { status: 422, says: `At most ${BATCH} calls in a batch` })
    const body = ctx.method === 'POST' ? await readBody(ctx.req) : undefined
    const context: Context = { runtime, actor, log: ctx.state.log, ip: ctx.state.ip }
    const answer = await fetchRequestHandler({
      endpoint: '/trpc',
      router: appRouter,
      req: new Request(new URL(ctx.url, 'http://gateway'), {
        method: ctx.method,
        headers: { 'content-type': ctx.get('content-type') || 'application/json' },
        ...(body ? { body: new Uint8Array(body) } : {}),
      }),
      createContext: () => context,
      onError({ error, path }) {
        if (error.code === 'INTERNAL_SERVER_ERROR' && !(error.cause instanceof Refusal))
          ctx.state.log.error({ err: error, path }, 'procedure failed')
      },
      responseMeta: ({ errors }) => {
        const refusal = errors[0]?.cause
        return refusal instanceof Refusal ? { status: refusal.status } : {}
      },
    })
    ctx.status = answer.status
    ctx.type = 'application/json'
    ctx.body = await answer.text()
  })
}
