import { newId } from '@payments/kernel'
import { constraintOf, createLog, domainsOf, migrate } from '@payments/platform'
import type { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { connectTo, foundOrganisation, freshDatabase, pause, repeatedly, someWallet, useService } from '#testing'

const service = useService()

/** A route that was written. */
interface Route {
  readonly id: string
  readonly organisationId: string
  readonly address: string
}

/** Writes a route as every release does: by a statement that names no other table. */
async function writeRoute(
  db: Pick<Client, 'query'>,
  organisationId: string,
  address: string = someWallet(),
  { destination = someWallet(), network = 'ethereum', environment = 'test' } = {},
): Promise<Route> {
  const id = newId()
  await db.query(
    `insert into payment_routes (id, organisation_id, environment, provider, name, status, origin_chain_key, origin_currency, destination_chain_key,
       destination_currency, destination_address, refund_address, deposit_address, next_poll_at, poll_seconds, created_at, updated_at)
     values ($1, $2, $6, 'sandbox', 'Route', 'active', $5, 'USDC', 'base', 'USDC', $4, $4, $3, now(), 15, now(), now())`,
    [id, organisationId, address, destination, network, environment],
  )
  return { id, organisationId, address }
}

async function writeDeposit(
  db: Pick<Client, 'query'>,
  { id: route, organisationId }: Route,
  { request = newId(), hash = newId() } = {},
): Promise<{ request: string; hash: string }> {
  await db.query(
    `insert into payment_route_deposits (id, organisation_id, environment, provider, payment_route_id, route_name, relay_request_id, status, origin_chain_key,
       origin_currency, destination_chain_key, destination_currency, destination_address, deposit_tx_hash, relay_updated_at, created_at, updated_at)
     values ($1, $2, 'test', 'sandbox', $3, 'Route', $4, 'pending', 'ethereum', 'USDC', 'base', 'USDC', 'x', $5, now(), now(), now())`,
    [newId(), organisationId, route, request, hash],
  )
  return { request, hash }
}

/** The name of the constraint that refused it. */
const refusal = (writing: Promise<unknown>): Promise<string | undefined> => writing.then(() => 'stored', constraintOf)

const ADDRESS = 'payment_routes_deposit_address_key'
const REQUEST = /^payment_route_(deposits_request_key|requests_pkey)$/
const TRANSACTION = 'payment_route_deposits_transaction_key'
const ACTIVE = 'payment_routes_active_key'

/** As the checksum of an EVM address may write it. */
const otherLetters = (address: string) => `0x${address.slice(2).toUpperCase()}`

async function session(url: string): Promise<Client> {
  const client = await connectTo(url)
  onTestFinished(() => client.end())
  return client
}

async function twoOrganisations() {
  const { serviceUrl } = service.database
  const [one, other] = [await session(serviceUrl), await session(serviceUrl)]
  const [first, second] = [await foundOrganisation(service.runtime), await foundOrganisation(service.runtime)]
  return { one, other, first, second }
}

test('of two organisations that get one deposit address at the same time, in any letter case, only one stores it', async () => {
  const { one, other, first, second } = await twoOrganisations()
  for (const end of ['commit', 'rollback']) {
    const address = someWallet()
    await one.query('begin')
    await writeRoute(one, first, address)
    const waiting = refusal(writeRoute(other, second, otherLetters(address)))
    await pause(100)
    await one.query(end)
    expect(await waiting).toBe(end === 'commit' ? ADDRESS : 'stored')
    expect(await refusal(writeRoute(other, second, address))).toBe(ADDRESS)
  }
})

test('one address belongs to several routes on other networks, and in the other environment', async () => {
  const { one, first, second } = await twoOrganisations()
  const { address } = await writeRoute(one, first)
  await writeRoute(one, second, address, { network: 'base' })
  await writeRoute(one, second, address, { environment: 'live' })
  expect(await refusal(writeRoute(one, second, address, { network: 'base', environment: 'test' }))).toBe(ADDRESS)
})

test('an address that a route had before it was given another one, and one of a route that was deleted, stay taken', async () => {
  const { one, first, second } = await twoOrganisations()
  const [changed, deleted] = [await writeRoute(one, first), await writeRoute(one, first)]
  const next = someWallet()
  await one.query('update payment_routes set deposit_address = $2 where id = $1', [changed.id, next])
  await one.query('update payment_routes set deposit_address = $2 where id = $1', [changed.id, otherLetters(next)])
  await one.query('delete from payment_routes where id = $1', [deleted.id])
  for (const address of [changed.address, next, deleted.address])
    expect(await refusal(writeRoute(one, second, address))).toBe(ADDRESS)
  await expect(one.query('delete from payment_route_addresses')).rejects.toThrow('permission denied')
})

test('of two organisations that are told of one request of the provider at the same time, only one stores a deposit', async () => {
  const { one, other, first, second } = await twoOrganisations()
  const [route, elsewhere] = [await writeRoute(one, first), await writeRoute(one, second)]
  for (const end of ['commit', 'rollback']) {
    const request = newId()
    await one.query('begin')
    await writeDeposit(one, route, { request })
    const waiting = refusal(writeDeposit(other, elsewhere, { request }))
    await pause(100)
    await one.query(end)
    expect(await waiting).toMatch(end === 'commit' ? REQUEST : /^stored$/)
    expect(await refusal(writeDeposit(other, route, { request }))).toMatch(REQUEST)
  }
})

test('a transaction at one address is one deposit', async () => {
  const { one, first } = await twoOrganisations()
  const route = await writeRoute(one, first)
  const { hash } = await writeDeposit(one, route)
  expect(await refusal(writeDeposit(one, route, { hash }))).toBe(TRANSACTION)
  expect(await refusal(writeDeposit(one, await writeRoute(one, first), { hash }))).toBe('stored')
})

/** The first step of this release. */
const SINCE = '20261128'

/** A database of the release before, with some routes and deposits, and the steps that it lacks. */
async function ofBefore() {
  const database = await freshDatabase()
  onTestFinished(() => database.drop())
  const domains = domainsOf(service.runtime)
  const before = domains.map((domain) => ({
    ...domain,
    data: { ...domain.data, migrations: (domain.data?.migrations ?? []).filter(({ name }) => name < SINCE) },
  }))
  const owner = await connectTo(database.ownerUrl)
  try {
    await owner.query('drop schema public cascade; drop schema pgboss cascade; create schema public')
    await owner.query('grant usage on schema public to public')
    await migrate(database.ownerUrl, database.serviceUrl, before, createLog('silent'))
    const organisations = [newId(), newId()] as const
    for (const id of organisations)
      await owner.query('insert into organisations (id, name, created_at, updated_at) values ($1, $2, now(), now())', [
        id,
        'Of before',
      ])
    const steps = domains
      .flatMap(({ data }) => data?.migrations ?? [])
      .filter(({ name }) => name >= SINCE)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return { database, domains, organisations, steps }
  } finally {
    await owner.end()
  }
}

/** Expects that nothing of a route and its deposit can be stored a second time. */
async function expectUnique(
  db: Client,
  [first, second]: readonly [string, string],
  route: Route,
  deposit: { request: string; hash: string },
  destination: string,
): Promise<void> {
  for (const organisation of [first, second])
    expect(await refusal(writeRoute(db, organisation, otherLetters(route.address)))).toBe(ADDRESS)
  expect(await refusal(writeRoute(db, route.organisationId, someWallet(), { destination }))).toBe(ACTIVE)
  expect(await refusal(writeDeposit(db, route, { request: deposit.request }))).toMatch(REQUEST)
  expect(await refusal(writeDeposit(db, route, { hash: deposit.hash }))).toBe(TRANSACTION)
}

/** What is stored, and what is unique of it. */
const stored = async (db: Client) =>
  (
    await db.query<{ routes: number; addresses: number; deposits: number; requests: number; strangers: number }>(
      `select (select count(*)::int from payment_routes) as routes, (select count(*)::int from payment_route_addresses) as addresses,
              (select count(*)::int from payment_route_deposits) as deposits, (select count(*)::int from payment_route_requests) as requests,
              (select count(*)::int from payment_routes r full join payment_route_addresses a
                 on (a.organisation_id, a.environment, a.payment_route_id) = (r.organisation_id, r.environment, r.id)
                and (a.address, a.origin_chain_key) = (lower(r.deposit_address), r.origin_chain_key) where r.id is null or a.address is null)
            + (select count(*)::int from payment_route_deposits d full join payment_route_requests q
                 on (q.organisation_id, q.environment, q.deposit_id, q.request_id) = (d.organisation_id, d.environment, d.id, d.relay_request_id)
                where d.id is null or q.request_id is null) as strangers`,
    )
  ).rows[0]

const everything = (count: number) => ({ routes: count, addresses: count, deposits: count, requests: count })

test('while a database of the release before is updated, its processes go on, and nothing is stored twice at any moment', async () => {
  const { database, domains, organisations } = await ofBefore()
  const [writer, checker] = [await session(database.serviceUrl), await session(database.serviceUrl)]
  const owner = await session(database.ownerUrl)
  const destination = someWallet()
  const route = await writeRoute(owner, organisations[0], someWallet(), { destination })
  const deposit = await writeDeposit(owner, route)
  let written = 1
  let longest = 0
  const writing = repeatedly(0, async () => {
    const start = performance.now()
    await writeDeposit(writer, await writeRoute(writer, organisations[written % 2] as string))
    longest = Math.max(longest, performance.now() - start)
    written++
  })
  const checking = repeatedly(0, () => expectUnique(checker, organisations, route, deposit, destination))
  await migrate(database.ownerUrl, database.serviceUrl, domains, createLog('silent'))
  await Promise.all([writing.stop(), checking.stop()])
  expect(written).toBeGreaterThan(10)
  expect(longest).toBeLessThan(1000)
  expect(await stored(owner)).toEqual({ ...everything(written), strangers: 0 })
  await expectUnique(checker, organisations, route, deposit, destination)
})

/** The steps that only this domain has: those of `replaceUnique` and `keyByTenant` have such a test of their own. */
const OWN = /_payment_route_(addresses|requests)/

test('an update that is interrupted after any statement of its own, and run again, loses nothing', {
  timeout: 90_000,
}, async () => {
  const { database, organisations, steps } = await ofBefore()
  const interrupted = steps.flatMap(({ name, up }, step) =>
    OWN.test(name) ? up.map((_, index) => ({ step, done: index + 1 })) : [],
  )
  expect(interrupted.length).toBeGreaterThan(10)
  for (const { step, done } of interrupted) {
    const copy = await freshDatabase(database)
    const [owner, db] = [await connectTo(copy.ownerUrl), await connectTo(copy.serviceUrl)]
    const destination = someWallet()
    const route = await writeRoute(db, organisations[0], someWallet(), { destination })
    const deposit = await writeDeposit(db, route)
    const begun = [...steps.slice(0, step).flatMap(({ up }) => up), ...(steps[step]?.up.slice(0, done) ?? [])]
    const statements = [...begun, ...steps.slice(step).flatMap(({ up }) => up)]
    for (const [index, statement] of statements.entries()) {
      await owner.query(statement)
      await writeDeposit(db, await writeRoute(db, organisations[index % 2] as string))
      if (index >= begun.length - 1) await expectUnique(db, organisations, route, deposit, destination)
    }
    const all = statements.length + 1
    expect([step, done, await stored(owner)]).toEqual([step, done, { ...everything(all), strangers: 0 }])
    await Promise.all([owner.end(), db.end()])
    await copy.drop()
  }
})
