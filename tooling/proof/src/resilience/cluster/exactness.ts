import { newId } from '@payments/kernel'
import { type Answer, BANK_ACCOUNT, call, cngnCustomer, rows, type StandDatabase } from '@payments/stand'
import { ADDRESS_LIMIT, type Cluster } from './cluster.ts'
import type { Tenant } from './load.ts'

/** The most webhook endpoints of an organisation (specification, Webhooks). */
const ENDPOINTS = 50
const PAYOUTS = 10
const PAYOUT_AMOUNT = 100

/** Limits and idempotency hold over both gateways together: requests race on purpose, half of them at each. */
export async function checkExactness(
  database: StandDatabase,
  cluster: Cluster,
  keys: number,
): Promise<{ findings: string[]; figures: Record<string, number> }> {
  const findings: string[] = []
  const expect = (name: string, found: unknown, wanted: unknown) => {
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      findings.push(`${name}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`)
  }
  const perGateway = cluster.gateways.map(({ url }) => cluster.proxy.answered.get(url) ?? 0)
  const tenant = await cluster.newTenant()
  const own = (line: string, body?: object, key: string = newId(), address?: string) =>
    at(cluster, tenant, line, { key, body, address })

  const crowded = `203.0.113.${crowdedAddresses++}`
  const statuses = await Promise.all(
    Array.from({ length: ADDRESS_LIMIT + 60 }, () => own('GET /v1/customers', undefined, newId(), crowded)),
  )
  expect(`requests of one address that were served`, count(statuses, 200), ADDRESS_LIMIT)
  expect(`requests of one address that were refused`, count(statuses, 429), 60)

  const endpoints = await inWaves(ENDPOINTS + 30, (number) =>
    own('POST /v1/webhooks', { url: `https://merchant.example/${number}` }),
  )
  expect('webhook endpoints of one organisation', count(endpoints, 201), ENDPOINTS)

  const replies = await inWaves(keys, async () => {
    const key = newId()
    const body = { name: 'Ada', email: `${newId()}@example.com` }
    return Promise.all(Array.from({ length: 4 }, () => own('POST /v1/customers', body, key)))
  })
  for (const same of replies) {
    expect(
      'replies to one idempotency key',
      [...new Set(same.map(({ status, text }) => `${status} ${text}`))].length,
      1,
    )
    expect('first replies to one idempotency key', same.filter(({ replayed }) => !replayed).length, 1)
  }
  const [made] = await rows<{ count: number }>(
    database,
    'select count(*)::int as count from customers where organisation_id = $1',
    [tenant.organisationId],
  )
  expect('objects of so many idempotency keys', made?.count, keys)

  const paid = await payouts(own)
  expect('payouts from a balance that is enough for so many', count(paid, 201), PAYOUTS)
  const now = cluster.gateways.map(
    ({ url }, index) => (cluster.proxy.answered.get(url) ?? 0) - (perGateway[index] ?? 0),
  )
  if (now.some((each) => each < 100)) findings.push(`the gateways answered ${now.join(' and ')} of these requests`)
  return {
    findings,
    figures: { addressLimit: ADDRESS_LIMIT, idempotencyKeys: keys, requestsPerKey: 4, payouts: PAYOUTS },
  }
}

type Own = (line: string, body?: object, key?: string) => Promise<Answer>

/** Three times as many payouts at once as the balance of a customer is enough for. */
async function payouts(own: Own): Promise<Answer[]> {
  const id = await cngnCustomer(own, `${PAYOUTS * PAYOUT_AMOUNT}`)
  const body = { customerId: id, amount: `${PAYOUT_AMOUNT}`, bankAccount: BANK_ACCOUNT }
  return Promise.all(Array.from({ length: 3 * PAYOUTS }, () => own('POST /v1/cngn/payouts', body)))
}

let addresses = 0
let crowdedAddresses = 1
/** Another address for each request: only the limit of one address is to be reached. */
const nextAddress = (): string => `192.0.2.${addresses++ % 250}`

function at(
  { proxy }: Cluster,
  { key: token }: Tenant,
  line: string,
  { key, body, address = nextAddress() }: { key: string; body: object | undefined; address: string | undefined },
): Promise<Answer> {
  return call(proxy, line, { key, token, body, headers: { 'x-forwarded-for': address } })
}

const count = (replies: readonly Answer[], status: number): number =>
  replies.filter((reply) => reply.status === status).length

/** Twenty at a time: more of one organisation would be told to wait. */
async function inWaves<T>(times: number, work: (number: number) => Promise<T>): Promise<T[]> {
  const done: T[] = []
  for (let first = 0; first < times; first += 20)
    done.push(
      ...(await Promise.all(Array.from({ length: Math.min(20, times - first) }, (_, index) => work(first + index)))),
    )
  return done
}
