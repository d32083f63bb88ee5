import { allowsAnonymous, newId } from '@payments/kernel'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  type Answer,
  call,
  enabledCustomer,
  type Merchant,
  newCngn,
  newCollection,
  newMerchant,
  newOfframp,
  newRoute,
  newSwap,
  pay,
  signedIn,
  startSession,
  sync,
  useService,
} from '#testing'
import { arrangements } from '../../test/arrangements.ts'
import { bodyOf } from '../../test/examples.ts'
import { openApiDocument } from '../openapi/document.ts'
import { operations, type RestOperation } from './operations.ts'

// One suite for every REST operation: a new one joins by itself. Inputs are made from the operation's own schema (its
// examples, else the kind of each required field), records from the POST that creates them.

const service = useService({ settings: { OPERATOR_EMAILS: 'operator@example.com,second@example.com' } })
type Response = { $ref?: string; content?: Record<string, { schema: object }> }
interface Document {
  readonly paths: Record<string, Record<string, { responses: Record<string, Response> }>>
  readonly components: { responses: Record<string, Response>; schemas: object }
}
const documents = (['merchants', 'operators'] as const).map(
  (audience) => openApiDocument(audience) as unknown as Document,
)
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({
  $id: 'api',
  components: { schemas: Object.assign({}, ...documents.map(({ components }) => components.schemas)) },
})

/** The documented response of an operation with a status. */
function documented({ method, path }: RestOperation, status: number): Response | undefined {
  for (const { paths, components } of documents) {
    const response = paths[path]?.[method.toLowerCase()]?.responses[String(status)]
    if (response) return response.$ref ? components.responses[response.$ref.split('/').at(-1) ?? ''] : response
  }
  return undefined
}

const isKeyed = ({ method, operation: { meta } }: RestOperation) =>
  method !== 'GET' && ['read', 'write', 'sandbox'].includes(meta.access)
const takesKeys = ({ operation: { meta } }: RestOperation) => ['read', 'write', 'sandbox'].includes(meta.access)
/** What a placeholder stands for where no POST makes it. */
const FIXED: Record<string, string> = { networkKey: 'ethereum', code: 'NGN' }

interface World {
  readonly merchant: Merchant
  readonly session: string
}

async function newWorld(environment: 'test' | 'live' = 'test'): Promise<World> {
  const merchant = await newMerchant(service, { environment })
  const { organisationId } = merchant
  const { accessToken } = await signedIn(service.runtime, { organisationId, role: 'owner' })
  return { merchant, session: accessToken }
}

/** The operation's path with records of this world, made where a POST makes them. */
async function pathOf(operation: RestOperation, world: World): Promise<string> {
  let path = operation.path
  for (const name of operation.placeholders) {
    const before = path.slice(0, path.indexOf(`{${name}}`) - 1)
    path = path.replace(`{${name}}`, FIXED[name] ?? (await record(name, before, world)))
  }
  return `/v1${path}`
}

async function record(name: string, collection: string, world: World): Promise<string> {
  if (name === 'organisationId') return world.merchant.organisationId
  if (/\/(timeline|support|objects)$/.test(collection)) return (await newRoute(world.merchant)).id
  const maker =
    operations.find(({ method, path }) => method === 'POST' && path === collection) ??
    operations.find(
      ({ method, path, placeholders }) => method === 'POST' && collection.endsWith(path) && placeholders.length === 0,
    )
  if (!maker) return newId()
  const made = await send(maker, world)
  return made.body?.data?.id ?? newId()
}

/** The required query of a GET. */
function queryOf({ method, operation, placeholders }: RestOperation, { merchant }: World): string {
  const { required = [] } = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' })
  const names = method === 'GET' ? required.filter((name) => !placeholders.includes(name)) : []
  expect(['', 'organisationId']).toContain(names.join())
  return names.length > 0 ? `?organisationId=${merchant.organisationId}` : ''
}

/** The operation's path with the first record that the list of its collection shows, where no POST creates one. */
async function firstListed(operation: RestOperation, world: World, token: string): Promise<string | undefined> {
  const collection = operation.path.slice(0, operation.path.indexOf('/{'))
  const list = operations.find(({ method, path }) => method === 'GET' && path === collection)
  if (operation.placeholders.length !== 1 || operation.placeholders[0] === 'organisationId' || !list) return undefined
  const { body } = await call(service, `GET /v1${collection}${queryOf(list, world)}`, { token })
  const rows = Object.values(body.data).find(Array.isArray)
  return `/v1${operation.path.replace(/\{\w+\}/, rows?.[0].id)}`
}

/** The other operator commands on the same resource. */
const siblingsOf = (operation: RestOperation): RestOperation[] => {
  const parent = ({ path }: RestOperation) => path.slice(0, path.lastIndexOf('/'))
  return operations.filter(
    (other) => other !== operation && other.method === 'POST' && parent(other) === parent(operation),
  )
}

const token = (operation: RestOperation, world: World) =>
  takesKeys(operation)
    ? world.merchant.key
    : ['public', 'payer'].includes(operation.operation.meta.access)
      ? null
      : world.session

async function send(
  operation: RestOperation,
  world: World,
  options: {
    body?: unknown
    key?: string | null
    token?: string | null
    headers?: Record<string, string>
    path?: string
  } = {},
): Promise<Answer> {
  const path = options.path ?? (await pathOf(operation, world))
  const body =
    operation.method === 'GET' || operation.method === 'DELETE' ? {} : { body: options.body ?? bodyOf(operation) }
  return call(service, `${operation.method} ${path}`, {
    token: token(operation, world),
    ...body,
    ...(isKeyed(operation) ? {} : { key: null }),
    ...options,
  })
}

function expectDocumented(operation: RestOperation, answer: Answer): void {
  const reply = documented(operation, answer.status)
  expect(reply, `${answer.status} ${answer.text} is in the document`).toBeDefined()
  const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
  expect(Object.keys(reply?.content ?? {})).toContain(type)
  if (!reply?.content || type !== 'application/json') return
  const schema = JSON.parse(
    JSON.stringify(reply?.content['application/json']?.schema).replaceAll('"#/components', '"api#/components'),
  )
  const validate = ajv.compile(schema)
  expect(validate(answer.body), `${JSON.stringify(validate.errors)} ${answer.text}`).toBe(true)
}

let world: World
beforeAll(async () => {
  world = await newWorld()
})

for (const operation of operations) {
  describe(`${operation.method} ${operation.path}`, () => {
    test('answers as the document says', async () => {
      const answer = await send(operation, await newWorld())
      expect(answer.status, answer.text).toBeLessThan(500)
      if (operation.operation.meta.produces === undefined || answer.status >= 400)
        expect(Object.keys(answer.body).filter((field) => field !== 'errors')).toEqual(['status', 'message', 'data'])
      expectDocumented(operation, answer)
    })

    if (operation.operation.meta.access === 'operator') {
      test('answers an operator with its success status', async () => {
        const own = await newWorld()
        const { accessToken } = await signedIn(service.runtime, { role: 'operator' })
        const arranged = await arrangements(service, own.merchant, accessToken)[
          `${operation.method} ${operation.path}`
        ]?.()
        if (arranged) {
          const { path, body, token: by = accessToken } = arranged
          const answer = await send(operation, own, { token: by, path, body })
          expect(answer.status, answer.text).toBe(operation.operation.meta.status)
          return expectDocumented(operation, answer)
        }
        const { id } = await newRoute(own.merchant)
        await pay(own.merchant, id, '12.50')
        await sync(own.merchant, id)
        await service.runtime.pool.query(
          `insert into events (id, organisation_id, environment, type, resource_id, payload, created_at, drained_at, set_aside_reason)
           values ($1, $2, 'test', 'payment_route.created', $3, '{}', now(), now(), 'It could not be fanned out')`,
          [newId(), own.merchant.organisationId, id],
        )
        await newOfframp(own.merchant)
        await newSwap(own.merchant)
        const session = await startSession(service, (await newCollection(own.merchant)).id)
        await service.runtime.pool.query(
          "update checkout_sessions set status = 'processing', updated_at = now() - interval '2 hours' where id = $1",
          [session.id],
        )
        const { organisationId } = own.merchant
        const customerId = await enabledCustomer(service.runtime, organisationId)
        await newCngn(own.merchant, 'payins', customerId)
        await service.runtime.pool.query(
          `insert into cngn_receipts (id, environment, account, reference, status, asset, amount, fee, targets, received_at, created_at)
           values ($1::uuid, 'test', $2, $1::text, 'suspense', 'cNGN', 1000000, 0, '{}', now() - interval '1 hour', now())`,
          [newId(), organisationId],
        )
        const listed = await firstListed(operation, own, accessToken)
        const path = listed ?? (await pathOf(operation, own))
        const body = operation.method === 'GET' ? {} : { body: bodyOf(operation, { organisationId, customerId }) }
        const attempt = () =>
          send(operation, own, { token: accessToken, path: `${path}${queryOf(operation, own)}`, ...body })
        let answer = await attempt()
        // A state that must be reached first, such as paused before it can be resumed.
        for (const sibling of answer.status === 409 ? siblingsOf(operation) : []) {
          const siblingPath = path.replace(/[^/]+$/, sibling.path.split('/').at(-1) ?? '')
          await send(sibling, own, { token: accessToken, path: siblingPath })
          answer = await attempt()
          if (answer.status !== 409) break
        }
        expect(answer.status, answer.text).toBe(operation.operation.meta.status ?? 200)
        expectDocumented(operation, answer)
      })
    }

    if (!allowsAnonymous(operation.operation.meta.access)) {
      test('is closed without a credential', async () => {
        const answer = await send(operation, world, {
          token: null,
          path: `/v1${operation.path.replace(/\{\w+\}/g, newId)}`,
        })
        expect([answer.status, answer.body.message]).toEqual([401, 'No token provided'])
        expectDocumented(operation, answer)
      })
    }

    if (takesKeys(operation)) {
      test('is closed to a key without the scope', async () => {
        const { organisationId } = world.merchant
        const weak = await newMerchant(service, {
          organisationId,
          scopes: operation.operation.meta.access === 'read' ? ['nothing'] : ['api:read'],
        })
        const answer = await send(operation, world, {
          token: weak.key,
          path: `/v1${operation.path.replace(/\{\w+\}/g, newId)}`,
        })
        expect([answer.status, answer.body.message]).toEqual([
          403,
          `Missing required scopes: ${operation.operation.meta.access === 'read' ? 'api:read' : 'api:write'}`,
        ])
      })
    }

    const [first] = operation.placeholders
    if (takesKeys(operation) && first && !FIXED[first]) {
      test("shows no record of another organisation or environment, nor one that isn't", async () => {
        const path = await pathOf(operation, world)
        const stranger = await newMerchant(service)
        const live = await newMerchant(service, { environment: 'live', organisationId: world.merchant.organisationId })
        const answers = await Promise.all([
          send(operation, world, { token: stranger.key, path }),
          ...(operation.operation.meta.access === 'sandbox' ? [] : [send(operation, world, { token: live.key, path })]),
          send(operation, world, { path: `/v1${operation.path.replace(/\{\w+\}/g, newId)}` }),
          send(operation, world, { path: `/v1${operation.path.replace(/\{\w+\}/g, 'not-a-uuid')}` }),
        ])
        for (const answer of answers) {
          expect(answer.status, answer.text).toBe(404)
          expect(answer.body.message).toMatch(/ not found$/)
        }
      })
    }

    if (isKeyed(operation)) {
      test('needs one well-formed Idempotency-Key of an API key, and none of a session', async () => {
        const path = await pathOf(operation, world)
        const refused = async (headers: Record<string, string>) => {
          const { status, body } = await send(operation, world, { key: null, headers, path })
          return [status, body.message]
        }
        expect(await refused({})).toEqual([400, 'Idempotency-Key header is required for mutating API requests'])
        expect(await refused({ 'idempotency-key': '' })).toEqual([
          400,
          'Idempotency-Key header must be sent once and must not be empty',
        ])
        expect(await refused({ 'idempotency-key': 'k'.repeat(256) })).toEqual([
          422,
          'Idempotency-Key must be 255 characters or fewer',
        ])
        const bySession = await send(operation, world, { key: null, token: world.session, path })
        expect(bySession.status, bySession.text).not.toBe(400)
      })

      test('replays its first reply for the same key, also with another body', async () => {
        const own = await newWorld()
        const path = await pathOf(operation, own)
        const key = newId()
        const once = await send(operation, own, { key, path })
        const again = await send(operation, own, { key, path })
        const other = await send(operation, own, { key, path, body: { something: 'else' } })
        if (once.status >= 400) return expect(again.headers.get('idempotent-replayed')).toBeNull()
        expect([again.text, again.status, again.headers.get('idempotent-replayed')]).toEqual([
          once.text,
          once.status,
          'true',
        ])
        expect([other.text, other.status]).toEqual([once.text, once.status])
      })
    }

    if (['POST', 'PUT', 'PATCH'].includes(operation.method)) {
      test('refuses an unknown field by name', async () => {
        const answer = await send(operation, world, { body: { ...bodyOf(operation), surprise: 1 } })
        expect(answer.status, answer.text).toBe(operation.operation.meta.access === 'operator' ? 403 : 422)
        if (answer.status === 422) expect(answer.body.errors.surprise).toBe('Unrecognized field')
      })
    }
  })
}
