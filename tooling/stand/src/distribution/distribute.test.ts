import { everyDomain } from '@payments/api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connectTo,
  type Data,
  expectConsistent,
  freshDatabase,
  type Merchant,
  newMerchant,
  repeatedly,
  samples,
  startReceiver,
  startService,
  startSession,
  type TestDatabase,
  type TestService,
} from '#testing'
import { create, pay } from '../../test/samples/create.ts'
import { distribute } from './distribute.ts'

/** What is done to a migrated database, and what is said of it. */
const planted: Readonly<Record<string, string>> = {
  'create table notes_of_nobody (id uuid primary key, organisation_id uuid)':
    'notes_of_nobody: without "organisation_id not null", and not in the list of global tables (distribution/tables.ts)',
  'drop table operator_resolutions': 'operator_resolutions: listed, but there is no such table',
  [`alter table sandbox_fiat_orders add organisation_id uuid, add environment text, add constraint of_offramp
      foreign key (organisation_id, environment, reference) references offramps (organisation_id, environment, id)`]:
    'sandbox_fiat_orders: foreign key of_offramp refers to a table that is distributed',
  'create table notes (id uuid primary key, organisation_id uuid not null)':
    'notes: notes_pkey: PRIMARY KEY constraint on table "notes" lacks column "organisation_id" which is part of the partition key.',
  'create unique index customers_phone on customers (environment, phone_number)':
    'customers: customers_phone: UNIQUE constraint on table "customers" lacks column "organisation_id" which is part of the partition key.',
}

test('a key without the organisation, a table that no list names, and a reference from one server to all are named, and nothing is distributed', async () => {
  const database = await freshDatabase()
  const owner = await connectTo(database.ownerUrl)
  const kind = async () => (await owner.query("select relkind from pg_class where relname = 'customers'")).rows
  try {
    const before = await kind()
    for (const statement of Object.keys(planted)) await owner.query(statement)
    expect(await distribute(database.ownerUrl)).toEqual(Object.values(planted))
    expect(await kind()).toEqual(before)
  } finally {
    await owner.end()
    await database.drop()
  }
})

/** One payment of each kind, to its end; what the list of transactions says of them. */
async function payEverything(
  service: TestService,
  merchant: Merchant,
  receiver: string,
): Promise<Record<string, string>> {
  await merchant.call('POST /v1/webhooks', { body: { url: `${receiver}/${merchant.organisationId}` } })
  const customerId = (await create(merchant, samples.customer)).id
  for (const sample of [samples.route, samples.swap, samples.offramp, samples.onramp])
    await pay(merchant, sample, (await create(merchant, sample, { customerId })).id)
  const collection = await create(merchant, samples.collection, { customerId })
  await pay(merchant, samples.collection, (await startSession(service, collection.id)).id)
  const transactions = async () => {
    const { body } = await merchant.call('GET /v1/transactions')
    return Object.fromEntries(body.data.transactions.map(({ kind, status }: Data) => [kind, status]))
  }
  const passing = repeatedly(200, () => merchant.call('POST /v1/sandbox/advance', { body: { seconds: 60 } }))
  await expect.poll(transactions).toEqual(ENDED).finally(passing.stop)
  return transactions()
}

/** The last status of each kind. */
const ENDED = {
  payment_route: samples.route.ended,
  swap: samples.swap.ended,
  offramp: samples.offramp.ended,
  onramp: samples.onramp.ended,
  collection: samples.collection.ended,
}

describe('with the rows of organisations in several partitions', () => {
  let database: TestDatabase
  let service: Awaited<ReturnType<typeof startService>>
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let merchants: Merchant[]
  beforeAll(async () => {
    database = await freshDatabase()
    expect(await distribute(database.ownerUrl)).toEqual([])
    receiver = await startReceiver()
    service = await startService({ database, worker: true, settings: { WEBHOOK_DEV_TARGETS: receiver.origin } })
    merchants = await Promise.all(Array.from({ length: 6 }, () => newMerchant(service)))
  })
  afterAll(async () => {
    await service?.stop()
    await receiver?.close()
    await database?.drop()
  })

  test('every kind of payment ends as it does on one table, is sent to its endpoint once, and the ledger is consistent', async () => {
    const ended = await Promise.all(merchants.map((merchant) => payEverything(service, merchant, receiver.origin)))
    expect(ended).toEqual(merchants.map(() => ENDED))
    const { rows } = await service.runtime.pool.query<{ id: string }>(
      'select event_id as id from webhook_deliveries order by 1',
    )
    const deliveries = await receiver.until((received) => received.length >= rows.length)
    expect(deliveries.map(({ headers }) => headers['webhook-id']).sort()).toEqual(rows.map(({ id }) => id))
    await expectConsistent(service)
  })

  test('what is taken already is refused as it is on one table', async () => {
    const [one, other] = merchants as [Merchant, Merchant]
    const body = samples.customer.body()
    const answers = []
    for (const merchant of [one, one, other]) answers.push(await merchant.call('POST /v1/customers', { body }))
    expect(answers.map((answer) => answer.status)).toEqual([201, 409, 201])
    expect(answers[1]?.body.message).toBe('Customer already exists')
  })

  test('a purge deletes what has expired, and no row that has the same place in another partition', async () => {
    const owner = await connectTo(database.ownerUrl)
    try {
      // A third of each organisation's, at other places for each.
      for (const [place, { organisationId }] of merchants.entries())
        await owner.query(
          `insert into idempotency_keys (organisation_id, environment, method, path, key, fence, expires_at)
           select $1, 'test', 'POST', '/purged', n, gen_random_uuid(), now() + case (n + $2) % 3 when 0 then -1 else 1 end * interval '1 hour'
             from generate_series(1, 99) n`,
          [organisationId, place],
        )
      const [purge] = everyDomain
        .flatMap(({ work }) => work?.jobs ?? [])
        .filter(({ name }) => name === 'platform.purge')
      await purge?.run(service.runtime, {}, new AbortController().signal)
      const { rows } = await owner.query(
        "select expires_at > now() as kept, count(*)::int from idempotency_keys where path = '/purged' group by 1",
      )
      expect(rows).toEqual([{ kept: true, count: 66 * merchants.length }])
    } finally {
      await owner.end()
    }
  })
})
