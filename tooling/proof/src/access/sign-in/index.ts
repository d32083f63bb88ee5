import { newId } from '@payments/kernel'
import { randomText } from '@payments/platform'
import {
  call,
  createKeyFor,
  type Data,
  foundOrganisation,
  type ServiceStand,
  signedIn,
  startStand,
} from '@payments/stand'
import type { Proof } from '../../proof.ts'
import { compare } from './compare.ts'

/** A chance of one in 15 000 that equal groups differ this much. */
const THRESHOLD = 4

const PAIRS = { short: 100, full: 1000 } as const

/** Whether response times tell known from unknown. */
interface Difference {
  readonly differs: boolean
  /** Medians of the known and of the unknown. */
  readonly milliseconds: readonly [number, number]
  readonly z: number
  readonly superiority: number
}

interface FactsQuery {
  readonly name: string
  /** One request of either kind; `index` makes its subject fresh where a limit counts. */
  known(index: number): Promise<{ ms: number }>
  unknown(index: number): Promise<{ ms: number }>
}

/** One request: its duration in milliseconds, and the response. */
async function timed(
  service: ServiceStand,
  line: string,
  body?: object,
  token: string | null = null,
): Promise<{ ms: number; status: number; data: Data }> {
  const started = performance.now()
  const { status, data } = await call(service, line, { key: null, token, body })
  return { ms: performance.now() - started, status, data }
}

async function questions(service: ServiceStand, pairs: number): Promise<FactsQuery[]> {
  const { runtime } = service
  const organisationId = await foundOrganisation(runtime)
  const key = await createKeyFor(runtime, { organisationId, environment: 'test', scopes: ['api:read'] })
  const emails: string[] = []
  for (let index = 0; index < pairs; index++)
    emails.push((await signedIn(runtime, { organisationId, role: 'member' })).email)
  const login = (email: string) => timed(service, 'POST /v1/auth/login', { email })
  const read = (token: string) => timed(service, 'GET /v1/customers', undefined, token)
  return [
    {
      name: 'login: known and unknown email',
      known: (index) => login(emails[index] as string),
      unknown: () => login(`member-${newId()}@example.com`),
    },
    {
      name: 'API key: known and unknown lookup part',
      known: () => read(`${key.slice(0, 17)}${randomText(24)}`),
      unknown: () => read(`svc_test_${randomText(32)}`),
    },
  ]
}

/** Sends both kinds in turn and in changing order, so that a drift of the machine affects both. */
async function ask(question: FactsQuery, pairs: number): Promise<Difference> {
  const known: number[] = []
  const unknown: number[] = []
  for (let index = 0; index < pairs; index++) {
    const first = index % 2 === 0
    if (first) known.push((await question.known(index)).ms)
    unknown.push((await question.unknown(index)).ms)
    if (!first) known.push((await question.known(index)).ms)
  }
  const warm = Math.floor(pairs / 10)
  const { medians, z, superiority } = compare(known.slice(warm), unknown.slice(warm))
  const [first, second] = medians.map((ms) => Math.round(ms * 1000) / 1000)
  return {
    differs: Math.abs(z) >= THRESHOLD,
    milliseconds: [first ?? 0, second ?? 0],
    z: Math.round(z * 100) / 100,
    superiority: Math.round(superiority * 1000) / 1000,
  }
}

/**
 * Response times do not reveal what responses do not. Statistical: a shared machine may fail it by chance, so
 * it is no part of the tests, and the short form only measures.
 */
export const run: Proof = async ({ size, times, log }) => {
  const findings: string[] = []
  const figures: Record<string, unknown> = {}
  const pairs = times ?? PAIRS[size]
  const quiet = await startStand({}, false)
  try {
    for (const question of await questions(quiet, pairs)) {
      const { differs, ...measured } = await ask(question, pairs)
      figures[question.name] = measured
      log(`${differs ? 'DIFFER' : 'equal '}  ${question.name}: ${JSON.stringify(measured)}`)
      if (differs && size === 'full') findings.push(`${question.name}: z ${measured.z}, at most ${THRESHOLD} allowed`)
    }
  } finally {
    await quiet.stop()
  }
  return { findings, figures }
}
