import { newId } from '@payments/kernel'
import { constraintOf } from '@payments/platform'
import type { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { connectTo, foundOrganisation, pause, someWallet, useService } from '#testing'

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
       destination_currency, destination_address, refund_address, refund_owner, deposit_address, created_at, updated_at)
     values ($1, $2, $6, 'sandbox', 'Route', 'active', $5, 'USDC', 'base', 'USDC', $4, $4, 'organisation', $3, now(), now())`,
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
       origin_currency, destination_chain_key, destination_currency, destination_address, refund_address, refund_owner, deposit_tx_hash, relay_updated_at, created_at, updated_at)
     values ($1, $2, 'test', 'sandbox', $3, 'Route', $4, 'pending', 'ethereum', 'USDC', 'base', 'USDC', 'x', 'x', 'organisation', $5, now(), now(), now())`,
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

test('of two active routes of an organisation that are the same, only one is stored', async () => {
  const { one, first, second } = await twoOrganisations()
  const destination = someWallet()
  await writeRoute(one, first, someWallet(), { destination })
  expect(await refusal(writeRoute(one, first, someWallet(), { destination }))).toBe(ACTIVE)
  expect(await refusal(writeRoute(one, second, someWallet(), { destination }))).toBe('stored')
})
