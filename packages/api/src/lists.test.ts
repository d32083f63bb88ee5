import { system } from '@payments/kernel'
import { newestAndTotal, queryContext } from '@payments/platform'
import { expect, test, vi } from 'vitest'
import {
  advance,
  bankTransfer,
  connected,
  enabledByWorker,
  fund,
  newCngn,
  newCollection,
  newMerchant,
  newOfframp,
  newOnramp,
  newRoute,
  newSwap,
  pause,
  pay,
  startSession,
  sync,
  useService,
} from '#testing'
import { everyDomain } from './index.ts'

const service = useService({ worker: true })

test('the rows of lists, which are read without the entities of the ORM, are equal to those that it reads, for each kind of object', async () => {
  const { runtime } = service
  const merchant = await newMerchant(service)
  const get = async (path: string) => (await merchant.call(`GET /v1/${path}`)).body.data
  const { id: routeId } = await newRoute(merchant)
  await pay(merchant, routeId, '12.5')
  await sync(merchant, routeId)
  const { id: linkId } = await newCollection(merchant)
  await startSession(service, linkId)
  await newSwap(merchant)
  await newOnramp(merchant)
  const customerId = await enabledByWorker(merchant)
  await bankTransfer(merchant, customerId, '5000')
  await newCngn(merchant, 'deposits', customerId)
  // An account that does not exist: the list shows the refund, which is another table's.
  const bankAccount = { accountNumber: '0000000000', bankCode: '058' }
  const { id: offrampId } = await newOfframp(merchant, { bankAccount })
  await fund(merchant, 'offramp', offrampId)
  await expect
    .poll(
      async () => {
        await advance(merchant, 5)
        return [(await get(`offramps/${offrampId}`)).refund !== null, (await get('cngn/payins')).total]
      },
      { timeout: 40_000, interval: 300 },
    )
    .toEqual([true, 1])

  const context = queryContext(runtime, system(merchant.organisationId, 'test'))
  const resources = everyDomain.flatMap((domain) => domain.data?.resources ?? [])
  const compared: string[] = []
  for (const entity of new Set(resources.map((resource) => resource.entity))) {
    const orderBy = { createdAt: 'desc', id: 'desc' } as never
    const options = { orderBy, disableIdentityMap: true, filters: { visible: false } }
    const meta = runtime.orm.getMetadata().get(entity.meta.class)
    const names = meta.props.filter(({ lazy }) => !lazy).map(({ name }) => name as string)
    const valuesOf = (row: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, row[name]]))
    // A worker may change a row between the two reads: then both are read again.
    const found = await vi.waitFor(async () => {
      const expected = (await context.em.find(entity, {}, options)) as Record<string, unknown>[]
      const rows = (await newestAndTotal(context, entity)).rows as Record<string, unknown>[]
      expect(rows.map(valuesOf), meta.tableName).toEqual(expected.map(valuesOf))
      return rows.length
    }, 10_000)
    if (found === 0) continue
    compared.push(meta.tableName)
  }
  expect(compared.sort()).toEqual([
    'checkout_sessions',
    'cngn_enablements',
    'cngn_transfers',
    'collections',
    'fiat_refunds',
    'offramps',
    'onramps',
    'payment_route_deposits',
    'payment_routes',
    'swaps',
  ])
}, 90_000)

test.each([
  ['collections', 'collections'],
  ['events', 'events'],
  ['requests', 'request_log'],
] as const)('the rows of GET /%s and their total are of one moment', async (list, table) => {
  const merchant = await newMerchant(service)
  await newCollection(merchant)
  const owner = await connected(service)
  try {
    const own = `organisation_id = '${merchant.organisationId}'`
    const listed = async () => (await merchant.call(`GET /v1/${list}`)).body.data
    await vi.waitFor(async () => expect((await listed()).total).toBeGreaterThan(0), 10_000)
    // Whoever reads the total waits until there is a row more.
    await owner.query('begin')
    await owner.query('lock table record_counts in access exclusive mode')
    const reading = listed()
    await pause(500)
    await owner.query(
      `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'request_id', gen_random_uuid()::text))).*
         from ${table} t where ${own} limit 1`,
    )
    await owner.query('commit')
    const data = await reading
    expect(data[list].length).toBe(data.total)
  } finally {
    await owner.end()
  }
})
