import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { actorOf, type Credential, keyUses, withoutSession } from '@payments/accounts'
import { authorise, invalid, type Log, Refusal, type Runtime, reader } from '@payments/kernel'
import type { Admission } from './admission.ts'
import { parseBody, readBody } from './body.ts'
import { success } from './envelope.ts'
import { idempotency } from './idempotency.ts'
import { listed } from './listing.ts'
import type { Operation } from './operations.ts'
import { no } from './refusals.ts'

const KEY_LENGTH = 255

/** A request as the layers before the operation left it. */
export interface Admitted {
  readonly req: IncomingMessage
  readonly ip: string
  readonly path: string
  readonly query: Record<string, string | string[] | undefined>
  readonly params: Record<string, string>
  readonly credential: Credential
  readonly admission: Admission
  /** The header `X-Service-Environment`, as it came. */
  readonly environment: string | undefined
  readonly log: Log
}

/** What goes back to the client. */
interface Answer {
  readonly status: number
  readonly body: string | Readable
  readonly replayed: boolean
}

/**
 * Turns admitted requests into replies. The order of the layers is the contract's: authentication, suspension and scope,
 * then the idempotency key, then a replay, and only then the body.
 */
export function dispatcher(runtime: Runtime) {
  const keys = idempotency(runtime)
  const uses = keyUses(runtime)

  return async (operation: Operation, request: Admitted): Promise<Answer> => {
    const { meta } = operation
    const credential = meta.access === 'sign-in' ? withoutSession(request.credential) : request.credential
    const actor = actorOf(credential, request.admission, request.environment)
    if (actor.keyId) uses.note(actor.keyId)
    authorise(meta.access, actor)
    const bodyOf = (data: unknown) => success(meta.message, data)
    const context = { runtime, actor, log: request.log, ip: request.ip }

    if (meta.listing) {
      const body = await listed(meta.message, meta.listing, reader(runtime, actor, request.log))
      return { status: meta.status, body, replayed: false }
    }
    if (operation.method === 'GET') {
      const data = await operation.call(context, queryInput(operation, request))
      return { status: meta.status, body: bodyOf(data), replayed: false }
    }
    if (actor.kind !== 'key') {
      const data = await operation.call(context, await bodyInput(operation, request))
      return { status: meta.status, body: bodyOf(data), replayed: false }
    }
    const identity = { actor, method: operation.method, path: request.path, key: idempotencyKey(request.req) }
    const bytes = await readBody(request.req)
    if (request.admission.replay) return keys.open(identity, request.admission.replay)
    return keys.once(
      identity,
      { prepares: meta.prepares, secret: meta.secretReply, status: meta.status, bodyOf },
      async (seal) => {
        await operation.call({ ...context, seal }, inputOf(operation, request, bytes))
      },
    )
  }
}

/** The key of a mutating request, as replays are looked up before anybody knows the operation; undefined when there is none to look up. */
export function replayKey(req: IncomingMessage): string | undefined {
  const values = req.headersDistinct['idempotency-key']
  return values?.length === 1 && values[0] && values[0].length <= KEY_LENGTH ? values[0] : undefined
}

function idempotencyKey(req: IncomingMessage): string {
  const values = req.headersDistinct['idempotency-key']
  if (!values) throw no.key_required()
  const [key] = values
  if (values.length > 1 || !key) throw no.key_repeated()
  if (key.length > KEY_LENGTH) {
    throw new Refusal(
      'key_too_long',
      { status: 422, says: 'Idempotency-Key must be 255 characters or fewer' },
      {
        fields: { 'Idempotency-Key': 'Must be 255 characters or fewer' },
      },
    )
  }
  return key
}

function queryInput(operation: Operation, request: Admitted): Record<string, unknown> {
  const known = Object.keys(operation.input.shape).filter((name) => !operation.placeholders.includes(name))
  const given = Object.fromEntries(
    known.flatMap((name) => (request.query[name] === undefined ? [] : [[name, request.query[name]]])),
  )
  return { ...given, ...request.params }
}

async function bodyInput(operation: Operation, request: Admitted): Promise<Record<string, unknown>> {
  return inputOf(operation, request, await readBody(request.req))
}

function inputOf(operation: Operation, request: Admitted, bytes: Buffer): Record<string, unknown> {
  if (operation.method === 'DELETE') return { ...request.params }
  const body = parseBody(bytes, request.req.headers['content-type'])
  const clash = operation.placeholders.filter((name) => Object.hasOwn(body, name))
  if (clash.length > 0) throw invalid(Object.fromEntries(clash.map((name) => [name, 'Unrecognized field'])))
  return { ...body, ...request.params }
}
