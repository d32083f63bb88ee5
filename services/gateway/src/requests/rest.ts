import type { IncomingMessage, ServerResponse } from 'node:http'
import Router, { type RouterMiddleware } from '@koa/router'
import type { Process } from '@payments/api'
import { type Actor, allowsAnonymous, checkInput, invalid } from '@payments/kernel'
import { addressBlock, type Exchange, UnreadableInput } from '@payments/platform'
import type { Middleware } from 'koa'
import { parseBody, readBody } from '../http/body.ts'
import { clientLeft } from '../http/connections/connections.ts'
import type { Streams } from '../http/connections/streams.ts'
import { FILES, STREAMS } from '../http/dashboard.ts'
import { deprecationHeaders } from '../http/deprecation.ts'
import { sendEtag } from '../http/download.ts'
import { idIn } from '../http/paths.ts'
import { errors } from '../operations/errors.ts'
import { operations, type RestOperation } from '../operations/operations.ts'
import type { RequestContext, RequestQuery } from '../operations/request-context.ts'
import type { Gateway, State } from '../operations/state.ts'
import type { Callers } from './caller.ts'
import { dispatcher, KEY_LENGTH, type Sent } from './dispatch.ts'
import { subjectOf } from './layers/identified.ts'
import { isInside } from './protocols/inside.ts'

/** What of a request names its operation's input. */
interface Given {
  readonly req: IncomingMessage
  readonly path: string
  readonly query: Record<string, string | string[] | undefined>
  readonly params: Record<string, string>
}

/** Who may call, and what the database has about a credential now. */
interface Access {
  readonly caller: Callers
  load(query: RequestQuery): Promise<RequestContext>
}

/**
 * Answers a request of an operation. The API contract defines the order: authentication, suspension and scope, then the idempotency key, then
 * the replay, and only then the body.
 */
function answering(process: Process, streams: Streams, { caller, load }: Access) {
  const dispatch = dispatcher(process, streams)
  return async (each: RestOperation, given: Given & { readonly res: ServerResponse }, state: State): Promise<Sent> => {
    const { operation, method } = each
    const { req, res } = given
    const { meta } = operation
    const { ip, log, context, credential, exchange } = state
    if (!exchange) throw new Error('A request of an operation has an exchange')
    const actor = caller.authorised(state, meta)
    const key = keyOf(each, actor, given)
    const input = await inputOf(each, { ...given, exchange })
    return dispatch(each, {
      call: process.callContext(actor, {
        log,
        ip,
        userAgent: req.headers['user-agent'],
        lastEventId: req.headersDistinct['last-event-id']?.[0],
        position: context.position,
      }),
      ...{ input, key, replay: context.replay, exchange },
      // Nothing else is streamed.
      signal: operation.download ? clientLeft(res) : NEVER,
      headersOnly: req.method === 'HEAD',
      inside: method === 'GET' && isInside(req),
      async recheck() {
        const query = {
          ...{ block: addressBlock(ip), count: 0, view: false, auth: false, signIn: false, dashboard: false },
          ...subjectOf(credential),
          replay: undefined,
        }
        caller.recheck(state, meta, await load(query))
      },
    })
  }
}

const NEVER = new AbortController().signal

/** A router whose paths are exact. */
export const newRouter = (): Gateway => new Router<State>({ sensitive: true, strict: true })

/**
 * The beginning of a path, such as `/v1/customers`: the operations of each resource have a router of their own, because a router tries
 * its routes one after another.
 */
const resourceOf = (path: string): string => path.split('/', 3).join('/')

/**
 * Mounts the operations below `/v1`, and on `router` those that the dashboard's browser opens itself: its files and streams.
 * @returns the layer that serves `/v1`, and the methods that a path of it has
 */
export function mountRest(
  router: Gateway,
  process: Process,
  streams: Streams,
  access: Access,
): { readonly layer: Middleware<State>; routersOf(path: string): readonly Gateway[] } {
  const answer = answering(process, streams, access)
  const resources = new Map<string, Gateway>()
  for (const each of operations) {
    const own = each.path.replace(/\{(\w+)\}/g, ':$1')
    // The dashboard's browser saves files under its own cookie: tRPC has no files.
    const isFile = each.operation.meta.produces !== undefined && each.operation.meta.produces !== 'event-stream'
    const route: RouterMiddleware<State> = async (ctx) => {
      const { req, res, path, query, params, state } = ctx
      state.resourceId = idIn(params)
      state.exchange = { operation: each.operation, named: { ...query, ...params } }
      const reply = await answer(each, { req, res, path, query, params }, state)
      ctx.status = reply.status
      ctx.set(deprecationHeaders(each.operation.meta))
      if (reply.resourceId) state.resourceId = reply.resourceId
      if (reply.replayed) ctx.set('Idempotent-Replayed', 'true')
      if (reply.filename) ctx.attachment(reply.filename)
      ctx.body = reply.body
      ctx.type = reply.type
      if (Buffer.isBuffer(reply.body)) sendEtag(ctx, reply.body)
    }
    const path = `/v1${own}`
    const resource = resources.get(resourceOf(path)) ?? newRouter()
    resources.set(resourceOf(path), resource)
    resource.register(path, [each.method], route)
    if (isFile) router.register(`${FILES}${own}`, [each.method], route)
  }
  for (const [own, name] of Object.entries(STREAMS)) {
    const stream = operations.find((each) => each.name === name)
    if (!stream) throw new Error(`There is no ${name}`)
    router.get(own, async (ctx) => {
      const { req, res, path, params, state } = ctx
      state.exchange = { operation: stream.operation }
      const reply = await answer(stream, { req, res, path, query: {}, params }, state)
      ctx.body = reply.body
      ctx.type = reply.type
    })
  }
  const routes = new Map(
    Array.from(resources, ([resource, own]) => [resource, own.routes() as unknown as Middleware<State>]),
  )
  return {
    layer: (ctx, next) => routes.get(resourceOf(ctx.path))?.(ctx, next) ?? next(),
    routersOf: (path) => [resources.get(resourceOf(path)) ?? []].flat(),
  }
}

/** The idempotency key of a command that requires one. @throws key_required 400, key_repeated 400, key_too_long 422 */
function keyOf({ operation, method }: RestOperation, actor: Actor, { req, path }: Given) {
  const isKeyed = method !== 'GET' && !operation.download && actor.kind === 'key'
  return isKeyed && !allowsAnonymous(operation.meta.access) ? { method, path, key: idempotencyKey(req) } : undefined
}

async function inputOf(
  { operation, placeholders, method }: RestOperation,
  given: Given & { readonly exchange: Exchange },
) {
  const bytes = await readBody(given.req)
  if (method === 'GET') refuseFields(parseBody(bytes, given.req.headers))
  const hasQuery = method === 'GET' || (operation.download !== undefined && method !== 'POST')
  return hasQuery ? queryInput(operation.input, placeholders, given) : bodyInput(placeholders, given, bytes)
}

function idempotencyKey(req: IncomingMessage): string {
  const values = req.headersDistinct['idempotency-key']
  if (!values) throw errors.key_required()
  const [key] = values
  if (values.length > 1 || !key) throw errors.key_repeated()
  if (key.length > KEY_LENGTH)
    throw errors.key_too_long({ fields: { 'Idempotency-Key': 'Must be 255 characters or fewer' } })
  return key
}

function queryInput(
  { shape }: { shape: Record<string, unknown> },
  placeholders: readonly string[],
  { query, params }: Given,
): Record<string, unknown> {
  const names = Object.keys(shape).filter((name) => !placeholders.includes(name))
  const values = Object.fromEntries(names.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])))
  checkInput(values)
  return { ...values, ...params }
}

/** The input of a GET is its query; a body is checked like any other, and has no fields. */
function refuseFields(body: Record<string, unknown>): void {
  const names = Object.keys(body)
  if (names.length > 0) throw invalid(Object.fromEntries(names.map((name) => [name, 'Unrecognized field'])))
}

function bodyInput(
  placeholders: readonly string[],
  { req, params, exchange }: Given & { readonly exchange: Exchange },
  bytes: Buffer,
): Record<string, unknown> | UnreadableInput {
  try {
    const body = parseBody(bytes, req.headers)
    exchange.body = body
    const reserved = placeholders.filter((name) => Object.hasOwn(body, name))
    if (reserved.length > 0) throw invalid(Object.fromEntries(reserved.map((name) => [name, 'Unrecognized field'])))
    return { ...body, ...params }
  } catch (error) {
    return new UnreadableInput(error)
  }
}
