import { newId } from '@payments/kernel'
import { domainsOf, platformSettings } from '@payments/platform'
import { beforeAll, expect, test } from 'vitest'
import { advance, call, newMerchant, newOfframp, newRoute, pay, sync, useService } from '#testing'
import { find, operator, ops } from '../test/operators.ts'

const service = useService()
let grace: Awaited<ReturnType<typeof operator>>
beforeAll(async () => {
  grace = await operator(service)
})

interface Found {
  readonly kind: string
  readonly id: string
  readonly matched: string
}
const search = async (text: string): Promise<Found[]> => (await find(service, grace, 'search', { text })).objects

test('an object is found by its id, an id of its provider, a transaction hash, an address, a reference and an email address', async () => {
  const merchant = await newMerchant(service)
  const email = `${newId()}@example.com`
  const customer = (await merchant.call('POST /v1/customers', { body: { name: 'Ada', email } })).body.data
  const route = await newRoute(merchant)
  await pay(merchant, route.id, '12.5')
  await advance(merchant, 10)
  await sync(merchant, route.id)
  const reference = `order-${newId()}`
  const offramp = await newOfframp(merchant, { reference })
  const { rows } = await service.runtime.pool.query(
    `select d.id, relay_request_id as request, deposit_tx_hash as hash, o.provider_order_id as "order"
       from payment_route_deposits d, offramps o where d.payment_route_id = $1 and o.id = $2`,
    [route.id, offramp.id],
  )
  const expected: [string, Found][] = [
    [customer.id, { kind: 'customer', id: customer.id, matched: 'id' }],
    [customer.id.toUpperCase(), { kind: 'customer', id: customer.id, matched: 'id' }],
    [email, { kind: 'customer', id: customer.id, matched: 'email' }],
    [email.toUpperCase(), { kind: 'customer', id: customer.id, matched: 'email' }],
    [route.depositAddress, { kind: 'payment_route', id: route.id, matched: 'deposit_address' }],
    [route.depositAddress.toUpperCase(), { kind: 'payment_route', id: route.id, matched: 'deposit_address' }],
    [rows[0].hash, { kind: 'payment_route_deposit', id: rows[0].id, matched: 'transaction_hash' }],
    [rows[0].request, { kind: 'payment_route_deposit', id: rows[0].id, matched: 'provider_id' }],
    [rows[0].order, { kind: 'offramp', id: offramp.id, matched: 'provider_id' }],
    [reference, { kind: 'offramp', id: offramp.id, matched: 'reference' }],
  ]
  for (const [text, object] of expected)
    expect(await search(text), text).toContainEqual({
      ...object,
      organisationId: merchant.organisationId,
      environment: 'test',
    })
  expect(await search('no such thing')).toEqual([])
  expect(await search(email.slice(0, -1))).toEqual([])
})

test('every search, every list of what needs an operator and every address of the service is answered by an index', async () => {
  const { pool } = service.runtime
  const client = await pool.connect()
  try {
    await client.query('begin; set local enable_seqscan = off')
    const plans = async (text: string, values: unknown[]) => {
      const { rows } = await client.query(`explain ${text}`, values)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }
    for (const { operators, money } of domainsOf(service.runtime)) {
      for (const own of money?.ownAddresses ?? []) {
        if ('known' in own || own.from === 'swap_fee_payers') continue
        const plan = await plans(`select from ${own.from} where ${own.by} = $1 and ${own.where ?? true}`, ['x'])
        expect(plan, own.from).not.toContain('Seq Scan')
        expect(plan, own.from).toContain('Index Cond')
      }
      for (const { kind, from, by } of operators?.search ?? [])
        for (const column of Object.values(by))
          expect(
            await plans(`select id from ${from} where ${column} = any ($1::text[])`, [['x']]),
            `${kind} ${column}`,
          ).not.toContain('Seq Scan')
      for (const { kind, sql } of operators?.attention ?? []) {
        const plan = await plans(sql, [])
        expect(plan, kind).not.toMatch(/Seq Scan on (?!fiat_polls|cngn_sends|swap_transactions)/)
      }
    }
  } finally {
    await client.query('rollback')
    client.release()
  }
})

test('what needs an operator is counted and listed in one list, filtered by kind, condition, organisation and age', async () => {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  const route = await newRoute(merchant)
  await pay(merchant, route.id, '5')
  await sync(merchant, route.id)
  const { rows } = await service.runtime.pool.query(
    `update payment_route_deposits set created_at = now() - interval '2 hours', updated_at = now() - interval '90 minutes'
      where payment_route_id = $1 returning id`,
    [route.id],
  )
  const listed = async (filter: object) => find(service, grace, 'attention', { organisationId, ...filter })
  const stuck = {
    kind: 'payment_route_deposit',
    id: rows[0].id,
    organisationId,
    environment: 'test',
    status: 'pending',
    condition: 'stuck',
    reason: 'Pending for longer than an hour',
  }
  expect(await listed({})).toMatchObject({
    counts: [{ kind: 'payment_route_deposit', condition: 'stuck', count: 1 }],
    objects: [stuck],
    total: 1,
  })
  expect((await listed({ kind: 'payment_route_deposit', condition: 'stuck', olderThanMinutes: 80 })).total).toBe(1)
  expect((await listed({ olderThanMinutes: 100 })).total).toBe(0)
  expect((await listed({ condition: 'failed' })).total).toBe(0)
  expect((await listed({ environment: 'live' })).total).toBe(0)
  const wrong = await call(service, 'POST /v1/admin/ops/attention', {
    token: grace.accessToken,
    key: null,
    body: { kind: 'nothing' },
  })
  expect([wrong.status, wrong.body.errors.kind]).toEqual([422, expect.stringContaining('payment_route_deposit')])
})

test('what needs an operator is listed with its merchant and its money, live and the largest amounts first where that is asked for', async () => {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  const route = await newRoute(merchant)
  for (const amount of ['5', '900', '31', '5', '40', '50000', '2']) await pay(merchant, route.id, amount)
  await sync(merchant, route.id)
  const { pool } = service.runtime
  await pool.query(
    "update payment_route_deposits set created_at = now() - interval '2 hours', updated_at = now() - interval '90 minutes' where payment_route_id = $1",
    [route.id],
  )
  const change = (amount: number, set: string) =>
    pool.query(
      `update transactions t set ${set} from payment_route_deposits d where d.id = t.id and d.payment_route_id = $1 and t.amount = $2`,
      [route.id, amount],
    )
  await change(31, 'amount_usd = null')
  await change(40, "amount_usd = null, currency = 'EURC'")
  for (const amount of [50000, 2]) await change(amount, "amount_usd = null, currency = 'KES'")
  const { rows: older } = await pool.query<{ id: string }>(
    `update payment_route_deposits set updated_at = now() - interval '100 minutes'
      where id = (select d.id from payment_route_deposits d join transactions t using (id) where payment_route_id = $1 and t.amount = 5 order by id limit 1)
      returning id`,
    [route.id],
  )
  await pool.query(
    `insert into provider_prices (id, environment, pair, provider, rate, rated_at) values ($1, 'test', 'USDC>EURC', 'sandbox', 0.8, now())
     on conflict (environment, pair) do update set rate = 0.8, rated_at = now()`,
    [newId()],
  )
  const { rows } = await pool.query('select name from organisations where id = $1', [organisationId])
  const listed = async (sort?: string) =>
    (await find(service, grace, 'attention', { organisationId, ...(sort ? { sort } : {}) })).objects
  const byMoney = await listed('amount')
  expect(byMoney.map((each: { amount: string; amountUsd: string }) => [each.amount, each.amountUsd])).toEqual([
    ['900 USDC', '900'],
    // What has no known value is not lost behind all that has: it stands between, by its own amounts.
    ['50000 KES', null],
    // 50 dollars, by the last rate.
    ['40 EURC', null],
    ['2 KES', null],
    ['31 USDC', null],
    ['5 USDC', '5'],
    ['5 USDC', '5'],
  ])
  expect(byMoney.at(-2).id).toBe(older[0]?.id)
  expect(byMoney[0]).toMatchObject({ merchant: rows[0].name, environment: 'test' })
  expect((await listed()).map((each: { id: string }) => each.id).toSorted()).toEqual(
    byMoney.map((each: { id: string }) => each.id).toSorted(),
  )
})

test('an object that was dealt with is not listed again until it needs an operator anew', async () => {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  const route = await newRoute(merchant)
  await pay(merchant, route.id, '5')
  await sync(merchant, route.id)
  const { pool } = service.runtime
  const age = async (minutes: number) =>
    (
      await pool.query(
        `update payment_route_deposits set created_at = now() - interval '2 hours', updated_at = now() - make_interval(mins => $2)
          where payment_route_id = $1 returning id`,
        [route.id, minutes],
      )
    ).rows[0].id as string
  const id = await age(90)
  const listed = async (): Promise<number> => (await find(service, grace, 'attention', { organisationId })).total
  expect(await listed()).toBe(1)
  const resolve = () => ops(service, grace, 'POST attention/resolve', { kind: 'payment_route_deposit', id })
  const answers = await Promise.all([resolve(), resolve()])
  expect(answers.map(({ status }) => status)).toContain(200)
  expect(await listed()).toBe(0)
  expect([
    (await resolve()).status,
    (await merchant.call(`GET /v1/payment-routes/deposits/${id}`)).body.data.status,
  ]).toEqual([404, 'pending'])
  await age(60)
  expect(await listed()).toBe(1)
})

test('asking the providers again changes only when they are asked, any number of times', async () => {
  const merchant = await newMerchant(service)
  const route = await newRoute(merchant)
  await pay(merchant, route.id, '5')
  await sync(merchant, route.id)
  const { pool } = service.runtime
  await pool.query(
    "update payment_route_deposits set created_at = now() - interval '2 hours' where payment_route_id = $1",
    [route.id],
  )
  await pool.query("update payment_route_polls set next_poll_at = now() + interval '1 hour' where id = $1", [route.id])
  const filter = { organisationId: merchant.organisationId, condition: 'stuck' }
  const answers = await Promise.all([1, 2, 3].map(() => ops(service, grace, 'POST attention/recheck', filter)))
  for (const { body } of answers) expect(body.data).toEqual({ count: 1 })
  const { rows } = await pool.query(
    'select q.next_poll_at <= now() as due, status from payment_routes join payment_route_polls q using (id) where id = $1',
    [route.id],
  )
  expect(rows).toEqual([{ due: true, status: 'active' }])
  const none = await ops(service, grace, 'POST attention/recheck', { kind: 'event' })
  expect([none.status, none.body.message]).toEqual([422, 'Objects of this kind have no provider to poll'])
})

test('jobs that failed for good are listed without what they carry, and sent again once, one of them or all of a queue', async () => {
  const { boss, pool } = service.runtime
  const source = 'accounts.mail'
  const ids: string[] = []
  for (const secret of ['first', 'second', 'third']) {
    const { rows } = await pool.query(
      `insert into pgboss.job (name, data, source_name, source_id, source_created_on, source_output)
       values ('dead-letter', $1, $2, gen_random_uuid(), now(), '{"message":"connect ECONNREFUSED"}') returning id`,
      [JSON.stringify({ box: secret }), source],
    )
    ids.push(rows[0].id)
  }
  const dead = () => find(service, grace, 'queues/dead-letters', { queue: source })
  expect(await dead()).toMatchObject({ total: 3, jobs: [{ queue: source, error: 'connect ECONNREFUSED' }, {}, {}] })
  expect(JSON.stringify(await dead())).not.toContain('second')
  const retryOne = () => ops(service, grace, `POST queues/dead-letters/${ids[0]}/retry`)
  const once = await Promise.all([retryOne(), retryOne()])
  expect(once.map(({ status }) => status).sort()).toEqual([200, 404])
  const retryAll = () => ops(service, grace, 'POST queues/dead-letters/retry', { queue: source })
  const all = await Promise.all([retryAll(), retryAll()])
  // How the two calls share the two jobs is theirs; no job is sent again twice.
  expect(all.reduce((sum, { body }) => sum + body.data.count, 0)).toBe(2)
  expect((await dead()).total).toBe(0)
  await boss.schedule('ledger.check', '20 2 * * *')
  const { queues, schedules } = (await ops(service, grace, 'GET queues')).body.data
  expect(queues.find(({ name }: { name: string }) => name === source)).toMatchObject({ waiting: 3 })
  expect(schedules).toContainEqual({
    ...{ name: 'ledger.check', cron: '20 2 * * *', description: 'Daily at 02:20 UTC' },
  })
  expect(schedules).toContainEqual({
    ...{ name: 'collections.due', cron: '* * * * *', description: 'Every minute, while something is due' },
  })
  await boss.deleteAllJobs(source)
})

test('events that an organisation missed are sent again to all its endpoints, each once', async () => {
  const merchant = await newMerchant(service)
  for (const path of ['one', 'two'])
    await merchant.call('POST /v1/webhooks', { body: { url: `https://merchant.example/${path}` } })
  await newRoute(merchant)
  await service.runtime.pool.query('update events set drained_at = now() where organisation_id = $1', [
    merchant.organisationId,
  ])
  const { organisationId, environment } = merchant
  const replay = () =>
    ops(service, grace, 'POST webhooks/replay', { organisationId, environment, since: '2020-01-01T00:00:00.000Z' })
  expect((await replay()).body.data).toEqual({ endpoints: 2, found: 2, queued: 2 })
  expect((await replay()).body.data).toEqual({ endpoints: 2, found: 0, queued: 0 })
})

test('the settings in force show no secret', async () => {
  const { settings } = (await ops(service, grace, 'GET settings')).body.data
  const named = new Map(settings.map(({ name, value }: { name: string; value: string | null }) => [name, value]))
  expect(named.get('LOG_LEVEL')).toBe(platformSettings.from(service.runtime.settings).LOG_LEVEL)
  expect([named.get('SECRETS_KEY'), named.get('SMTP_URL')]).toEqual(['set', null])
  expect([named.get('CELLS'), named.get('CNGN_OWN_FLOAT')]).toEqual([null, null])
  const text = JSON.stringify(settings)
  const values = service.runtime.settings as unknown as Record<string, unknown>
  for (const [name, value] of Object.entries(values))
    if (/KEY|SECRET|URL|SEED|TOKEN|EMAIL/.test(name) && typeof value === 'string')
      expect(text).not.toContain(`"${value}"`)
})

test('jobs of what cannot be a queue are refused, and of an unknown one there are none', async () => {
  const grace = await operator(service)
  const retry = (queue: string) => ops(service, grace, 'POST queues/dead-letters/retry', { queue })
  const refused = await retry('ﷺ')
  expect([refused.status, refused.body.errors]).toEqual([422, { queue: 'Must be the name of a queue' }])
  expect((await retry('no.such')).body.data).toEqual({ count: 0 })
})
