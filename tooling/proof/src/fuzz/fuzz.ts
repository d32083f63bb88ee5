import { Agent } from 'node:http'
import { operations, type RestOperation } from '@payments/gateway'
import type { ServiceStand } from '@payments/stand'
import { random } from '@payments/stand'
import { wholeDocument } from '../documents/document.ts'
import { bodiesOf } from './requests/bodies.ts'
import { type GeneratedRequest, generate } from './requests/requests.ts'
import { type Reply, send } from './requests/send.ts'
import { newTenant, sendsCredentialOf } from './tenant.ts'
import { replyProblem } from './validity.ts'

/** Requests that are sent at the same time. They are generated before, so that a seed repeats them. */
const WAVE = 8
/** Requests after which a new organisation is used: a generated request may have anonymised or revoked what the last one had. */
const REQUESTS_OF_TENANT = 1000

/** Areas whose operations alone every other organisation's requests use, so that they meet on the same objects at the same time. */
const FOCUS = 3

/** The area of a path: its first part, without what says who may call it. */
const areaOf = ({ path }: Pick<RestOperation, 'path'>): string =>
  path.replace(/^\/(admin\/ops|admin|sandbox)\//, '/').split('/')[1] ?? ''

/** Messages to credentials that an earlier request has ended. */
const ENDED = /Token invalid or expired|Invalid API key|Organisation suspended/

export interface FuzzReport {
  readonly requests: number
  /** Replies by status. */
  readonly statuses: ReadonlyMap<number, number>
  /** Operations that succeeded at least once, by name. */
  readonly succeeded: ReadonlySet<string>
  /** What went wrong, with the request. */
  readonly failures: readonly string[]
}

/** All but event streams, which do not end, and the one that makes a provider fail for a while: what follows would be failures that were asked for. */
export const fuzzed = operations.filter(
  ({ path, operation }) => path !== '/admin/ops/sandbox/faults' && operation.meta.produces !== 'event-stream',
)

const areas = [...new Set(fuzzed.map(areaOf))]

/** The operations that the requests of one organisation use: all, or those of a few areas. */
function operationsOf(seed: number, turn: number): readonly RestOperation[] {
  if (turn % 2 === 0) return fuzzed
  const choices = random(seed ^ turn)
  const chosen = Array.from({ length: FOCUS }, () => choices.pick(areas))
  return fuzzed.filter((operation) => chosen.includes(areaOf(operation)))
}

/**
 * Sends requests that are generated from the API document, over REST and tRPC, with ids from earlier replies, and checks every
 * reply: no internal error, nothing of the inside, and exactly what the document says.
 */
export async function fuzz(
  service: Pick<ServiceStand, 'url' | 'runtime' | 'logs'>,
  { requests, seed, progress }: { requests: number; seed: number; progress?: (sent: number) => void },
): Promise<FuzzReport> {
  const document = wholeDocument()
  const bodies = bodiesOf(document)
  const agent = new Agent({ keepAlive: true, maxSockets: WAVE })
  const statuses = new Map<number, number>()
  const succeeded = new Set<string>()
  const failures: string[] = []
  let tenant = await newTenant(service)
  try {
    for (let sent = 0; sent < requests; sent += WAVE) {
      if (sent % REQUESTS_OF_TENANT === 0 && sent > 0) tenant = await newTenant(service)
      if (sent % 5000 === 0 && sent > 0) progress?.(sent)
      const chosen = operationsOf(seed, Math.floor(sent / REQUESTS_OF_TENANT))
      // Each request has choices of its own: what one draws does not shift those after it.
      const wave = Array.from({ length: Math.min(WAVE, requests - sent) }, (_, index) =>
        generate(chosen, bodies, tenant, random(seed ^ Math.imul(sent + index + 1, 0x9e3779b1))),
      )
      let ended = false
      const replies = await Promise.all(wave.map((each) => send(service.url, each, agent)))
      for (const [index, reply] of replies.entries()) {
        const made = wave[index] as GeneratedRequest
        if (reply === undefined) continue
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
        const problem = replyProblem(document, made, reply)
        if (problem) {
          const log = reply.status >= 500 ? service.logs.slice(-WAVE) : []
          failures.push([describe(made, reply, `#${sent + index} ${problem}`), ...log].join('\n'))
        } else if (reply.status < 300) {
          succeeded.add(made.operation.name)
          tenant.ids.learn(made.operation.path, dataOf(reply))
        }
        ended ||= ENDED.test(reply.text) && sendsCredentialOf(tenant, made.headers)
      }
      if (ended) tenant = await newTenant(service)
    }
  } finally {
    agent.destroy()
  }
  return { requests, statuses, succeeded, failures }
}

/** What is in the envelope, over either surface. */
function dataOf({ type, text }: Reply): unknown {
  if (!type.startsWith('application/json') || text === '') return undefined
  const { data, result } = JSON.parse(text)
  return data ?? result?.data
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
