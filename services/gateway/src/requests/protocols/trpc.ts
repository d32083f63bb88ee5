import { appRouter, type Process } from '@payments/api'
import { errors as commonErrors } from '@payments/kernel'
import { type CallContext, callerErrorOf, isList } from '@payments/platform'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { checkJsonHeaders, readBody } from '../../http/body.ts'
import { clientLeft } from '../../http/connections/connections.ts'
import { DASHBOARD_API } from '../../http/dashboard.ts'
import { failure } from '../../http/envelope.ts'
import { errors, helpLink } from '../../operations/errors.ts'
import { operations } from '../../operations/operations.ts'
import type { Gateway } from '../../operations/state.ts'
import type { Callers } from '../caller.ts'

const PREFIX = '/trpc/'
const PREFIXES = [PREFIX, `${DASHBOARD_API}/trpc/`]
const BATCH = 20
/** How much the lists of a batch may be: one list has 200 rows, and needs no bound of its own. */
const REPLY_CHARACTERS = 32_000_000

const prefixOf = (path: string): string | undefined => PREFIXES.find((each) => path.startsWith(each))

/** True for a path whose errors are read by a tRPC client. */
export const isTrpc = (path: string): boolean => prefixOf(path) !== undefined

/** The procedures that a tRPC path calls, one or a batch; none for any other path. */
export function trpcCalls(path: string): string[] {
  const prefix = prefixOf(path)
  if (prefix === undefined) return []
  try {
    return decodeURIComponent(path.slice(prefix.length)).split(',')
  } catch {
    return []
  }
}

/** Event streams do not end, and a tRPC reply is sent whole: they are served over REST alone. */
const streams: ReadonlySet<string> = new Set(
  operations.filter(({ operation }) => operation.meta.produces === 'event-stream').map(({ name }) => name),
)

/** One place where procedures are served. */
interface TrpcMount {
  /** The path before the names of procedures. */
  readonly prefix: string
  /** Are callers without a credential served? Each procedure checks its own access. */
  readonly anonymous: boolean
  /** Names of procedures that are not served here. */
  readonly withheld: ReadonlySet<string>
}

/** For dashboard sessions of other clients and internal tokens: internal tools call them with types and get objects without the envelope. */
const TOOLS: TrpcMount = { prefix: PREFIX, anonymous: false, withheld: new Set() }

/** Serves the procedures over tRPC. */
export function mountTrpc(
  router: Gateway,
  { callContext, runtime }: Process,
  caller: Callers,
  { prefix, anonymous, withheld }: TrpcMount = TOOLS,
): void {
  router.all(`${prefix}:procedures`, async (ctx) => {
    const actor = caller.of(ctx.state)
    if (actor.kind !== 'session' && actor.kind !== 'token' && !(anonymous && actor.kind === 'anonymous'))
      throw actor.kind === 'anonymous' ? commonErrors.no_token() : commonErrors.session_required()
    const calls = trpcCalls(ctx.path)
    if (calls.length > BATCH) throw errors.batch_too_large()
    if (calls.some((name) => streams.has(name) || withheld.has(name))) throw errors.not_found()
    const body = await readBody(ctx.req)
    if (body.length > 0) checkJsonHeaders(ctx.req.headers)
    const { log, ip, context } = ctx.state
    const left = clientLeft(ctx.res)
    const given = { log, ip, userAgent: ctx.get('user-agent'), position: context.position, signal: left }
    const call = withinReply(callContext(actor, given), calls.length)
    const answer = await fetchRequestHandler({
      endpoint: prefix.slice(0, -1),
      router: appRouter,
      req: new Request(new URL(ctx.url, 'http://gateway'), {
        method: ctx.method,
        headers: { 'content-type': 'application/json' },
        ...(ctx.method === 'POST' ? { body: new Uint8Array(body) } : {}),
      }),
      createContext: () => call,
      onError({ error, path }) {
        if (left.aborted) return
        if (error.code === 'INTERNAL_SERVER_ERROR' && !callerErrorOf(error) && !runtime.database.report(error))
          ctx.state.log.error({ err: error, path }, 'procedure failed')
      },
      responseMeta: ({ errors: all }) => {
        const [error] = all
        if (!error) return {}
        const { status, retryAfter, code } = failure(error)
        if (code === errors.internal_error.code) return {}
        return {
          status,
          headers: { link: helpLink(code), ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }) },
        }
      },
    })
    ctx.status = answer.status
    const retryAfter = answer.headers.get('retry-after')
    if (retryAfter) ctx.set('Retry-After', retryAfter)
    const link = answer.headers.get('link')
    if (link) ctx.set('Link', link)
    ctx.type = 'application/json'
    ctx.body = await answer.text()
  })
}

/**
 * The context of the calls of one request, whose replies are sent together: their lists have at most so many bytes.
 * @throws replies_too_large 422
 */
function withinReply(call: CallContext, calls: number): CallContext {
  if (calls === 1) return call
  let left = REPLY_CHARACTERS
  return {
    ...call,
    async run(operation, context, input) {
      const result = await call.run(operation, context, input)
      if (isList(operation)) left -= JSON.stringify(result).length
      if (left < 0) throw errors.replies_too_large()
      return result
    },
  }
}
