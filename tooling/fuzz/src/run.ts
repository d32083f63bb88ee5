import { Agent, request } from 'node:http'
import { createKeyFor, foundOrganisation, signedIn } from '@payments/fixtures'
import { openApiDocument, operations, type RestOperation } from '@payments/gateway'
import type { Runtime } from '@payments/platform'
import { random } from './random.ts'
import { type GeneratedRequest, generate, type World } from './requests.ts'
import { type ApiDocument, replyProblem } from './validity.ts'
import type { Components, Schema } from './values.ts'

/** Requests that are sent at the same time. They are generated before, so that a seed repeats them. */
const WAVE = 8
/** Requests after which new credentials are used: a generated request may have ended those before. */
const WORLD = 200
/** Records that paths refer to. */
const IDS = 40

export interface FuzzReport {
  readonly requests: number
  /** Replies by status. */
  readonly statuses: ReadonlyMap<number, number>
  /** What went wrong, with the request. */
  readonly failures: readonly string[]
}

interface Reply {
  readonly status: number
  readonly type: string
  readonly text: string
}

/**
 * Sends requests that are generated from the API document, over REST and tRPC, and checks every reply: no internal error, no
 * unavailability, and exactly what the document says.
 */
export async function fuzz(
  service: { readonly url: string; readonly runtime: Runtime },
  { requests, seed }: { requests: number; seed: number },
): Promise<FuzzReport> {
  const document = wholeDocument()
  const schemas = {
    components: document.components.schemas as Components,
    body: ({ path, method }: RestOperation) =>
      document.paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json']?.schema as
        | Schema
        | undefined,
  }
  const choices = random(seed)
  const agent = new Agent({ keepAlive: true, maxSockets: WAVE })
  const statuses = new Map<number, number>()
  const failures: string[] = []
  let world = await newWorld(service.runtime)
  try {
    for (let sent = 0; sent < requests; sent += WAVE) {
      if (sent % WORLD === 0 && sent > 0) world = await newWorld(service.runtime)
      const wave = Array.from({ length: Math.min(WAVE, requests - sent) }, () =>
        generate(harmless, schemas, world, choices),
      )
      let ended = false
      const replies = await Promise.all(wave.map((each) => send(service.url, each, agent)))
      for (const [index, reply] of replies.entries()) {
        const made = wave[index] as GeneratedRequest
        if (reply === undefined) continue
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
        const problem = replyProblem(document, made, reply)
        if (problem) failures.push(describe(made, reply, `#${sent + index} ${problem}`))
        else remember(world, reply)
        ended ||= reply.status === 401 && sendsCredentialOf(world, made)
      }
      if (ended) world = await newWorld(service.runtime)
    }
  } finally {
    agent.destroy()
  }
  return { requests, statuses, failures }
}

/** All but event streams, which do not end, and the one that makes a provider fail for a while: what follows would be failures that were asked for. */
const harmless = operations.filter(
  ({ path, operation }) => path !== '/admin/ops/sandbox/faults' && operation.meta.produces !== 'event-stream',
)

/** Both documents in one: operations of merchants and of operators, with the schemas and responses that they share. */
function wholeDocument(): ApiDocument {
  const [merchants, operators] = (['merchants', 'operators'] as const).map(
    (audience) => JSON.parse(JSON.stringify(openApiDocument(audience))) as ApiDocument,
  ) as [ApiDocument, ApiDocument]
  return {
    paths: { ...merchants.paths, ...operators.paths },
    components: {
      schemas: { ...operators.components.schemas, ...merchants.components.schemas },
      responses: { ...operators.components.responses, ...merchants.components.responses },
    },
  }
}

async function newWorld(runtime: Runtime): Promise<World> {
  const organisationId = await foundOrganisation(runtime)
  const scopes = ['api:read', 'api:write']
  return {
    key: await createKeyFor(runtime, { organisationId, environment: 'test', scopes }),
    session: (await signedIn(runtime, { organisationId, role: 'owner' })).accessToken,
    operator: (await signedIn(runtime, { role: 'operator' })).accessToken,
    ids: [],
  }
}

const sendsCredentialOf = ({ key, session, operator }: World, { headers }: GeneratedRequest): boolean =>
  headers.some(
    ([name, value]) => name === 'authorization' && [key, session, operator].includes(value.slice('Bearer '.length)),
  )

function remember({ ids }: World, { status, text }: Reply): void {
  const id = status === 201 ? text.match(/"id":"([0-9a-f-]{36})"/)?.[1] : undefined
  if (!id) return
  ids.push(id)
  if (ids.length > IDS) ids.shift()
}

/** Undefined when the server closed the connection before a body that is too large was sent. */
function send(url: string, made: GeneratedRequest, agent: Agent): Promise<Reply | undefined> {
  const { hostname, port } = new URL(url)
  const large = (made.body?.length ?? 0) > 100_000
  const length: [string, string][] = made.body ? [['content-length', String(made.body.length)]] : []
  const headers = [['host', `${hostname}:${port}`], ...made.headers, ...length].flat() as string[]
  return new Promise((resolve, reject) => {
    const sent = request({
      hostname,
      port,
      method: made.method,
      path: made.path,
      headers,
      agent: large ? false : agent,
    })
    sent.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text }),
      )
      response.on('error', reject)
    })
    sent.on('error', (error) => {
      if (large) resolve(undefined)
      else resolve({ status: 0, type: '', text: String(error) })
    })
    sent.end(made.body)
  })
}

const describe = (
  { method, path, headers, body }: GeneratedRequest,
  { status, text }: Reply,
  problem: string,
): string =>
  [
    problem,
    `  ${method} ${path.slice(0, 300)}`,
    `  ${JSON.stringify(headers.filter(([name]) => name !== 'authorization'))}`,
    `  ${body?.toString('utf8').slice(0, 400) ?? ''}`,
    `  → ${status} ${text.slice(0, 400)}`,
  ].join('\n')
