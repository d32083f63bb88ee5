import { findCustomer } from '@payments/customers'
import {
  actingFor,
  invalid,
  isAddressOf,
  isId,
  move,
  newId,
  open,
  pages,
  type Read,
  refusing,
  type Work,
} from '@payments/kernel'
import { sql } from 'kysely'
import type { z } from 'zod'
import { DepositEntity, type DepositRow, presentRoute, RouteEntity, type RouteRow, routeResource } from './entity.ts'
import { offered } from './offers.ts'
import { routesProvider } from './provider.ts'
import { configuredRefund, refundAddressSql } from './refunds.ts'
import { no } from './refusals.ts'
import { type Plan, planOf } from './rules.ts'
import { FIRST_LOOK_SECONDS, STUCK_SECONDS } from './schedule.ts'
import type { NewPaymentRoute } from './schemas.ts'

export interface Prepared extends Plan {
  readonly id: string
  readonly depositAddress: string
  readonly refundAddress: string
}

/** Checks the request and fetches a deposit address, before any transaction. Repeating it makes another address, never a payment. */
export async function prepare(read: Read, input: z.output<typeof NewPaymentRoute>): Promise<Prepared> {
  const plan = planOf(input, await offered(read))
  const provider = read.runtime.providers.get(routesProvider, read.actor.environment)
  if (input.customerId) await findCustomer(read, input.customerId)
  const found = await known(read, input, plan)
  if (found.twin) throw no.payment_route_active()
  const refundAddress = plan.refundAddress ?? configuredRefund(read, plan.origin.type, found.refund)
  if (refundAddress === null)
    throw invalid({ refundAddress: 'Required: no refund address is configured for this network' })
  const id = newId()
  const { depositAddress } = await provider.openAddress({
    routeId: id,
    origin: { networkKey: plan.origin.key, currency: plan.originCurrency },
    destination: {
      networkKey: plan.destination.key,
      currency: input.destinationCurrency,
      address: plan.destinationAddress,
    },
    refundAddress,
  })
  if (!isAddressOf(plan.origin.type, depositAddress)) throw no.deposit_address_used()
  return { ...plan, id, depositAddress, refundAddress }
}

/**
 * What the database has to say before the provider is asked, in one statement. Is there a living route of the same origin,
 * destination and address (the unique index decides later)? Which refund address has the organisation?
 */
async function known(
  read: Read,
  input: z.output<typeof NewPaymentRoute>,
  plan: Plan,
): Promise<{ twin: boolean; refund: string | null }> {
  const { organisationId, environment } = read.actor
  const { rows } = await sql<{ twin: boolean; refund: string | null }>`select exists (select 1 from payment_routes
    where payment_route_identity(organisation_id::text, environment, origin_chain_key, origin_currency, destination_chain_key, destination_currency, destination_address)
        = payment_route_identity(${organisationId}, ${environment}, ${plan.origin.key}, ${plan.originCurrency}, ${plan.destination.key},
                                 ${input.destinationCurrency}, ${plan.destinationAddress})
      and status <> 'deleted') as twin, ${refundAddressSql(read, plan.origin.type)} as refund`.execute(
    read.em.getKysely(),
  )
  return rows[0] ?? { twin: false, refund: null }
}

const identity = (input: z.output<typeof NewPaymentRoute>, plan: Plan) => ({
  originChainKey: plan.origin.key,
  originCurrency: plan.originCurrency,
  destinationChainKey: plan.destination.key,
  destinationCurrency: input.destinationCurrency,
  destinationAddress: plan.destinationAddress,
})

/** Opens the prepared route. */
export const create = (work: Work, input: z.output<typeof NewPaymentRoute>, prepared: Prepared): Promise<RouteRow> =>
  refusing([no.payment_route_active, no.deposit_address_used], () =>
    open(work, routeResource, {
      id: prepared.id,
      organisationId: work.actor.organisationId,
      environment: work.actor.environment,
      name: input.name,
      customerId: input.customerId ?? null,
      ...identity(input, prepared),
      refundAddress: prepared.refundAddress,
      depositAddress: prepared.depositAddress,
      nextPollAt: new Date(Date.now() + FIRST_LOOK_SECONDS * 1000),
      pollSeconds: FIRST_LOOK_SECONDS,
    }),
  )

/** All routes as their GET shows them, newest first, deleted ones too: their deposits still refer to them. */
export async function* all(read: Read) {
  for await (const page of pages(read, RouteEntity)) yield page.map(presentRoute)
}

/** @throws Refusal 404 when there is none with this id here. */
export async function find(read: Read, id: string): Promise<RouteRow> {
  const row = isId(id) ? await read.em.findOne(RouteEntity, { id }) : null
  if (!row) throw no.payment_route_not_found()
  return row
}

/** Deletes a route; its history stays and its address is still watched. Twice is a 404. */
export async function remove(work: Work, id: string): Promise<RouteRow> {
  const { row, outcome } = await move(work, routeResource, id, 'delete', no.payment_route_not_found)
  if (outcome === 'ignored') throw no.payment_route_not_found()
  return row
}

/**
 * Stops or restarts a route of whatever organisation, as an operator does. Deposits are recorded all the same.
 * @throws Refusal 404 for one that is not there or deleted, 409 for one that is paused or active already.
 */
export async function operate(work: Work, id: string, event: 'pause' | 'resume'): Promise<RouteRow> {
  const acting = actingFor(work, await findAnywhere(work, id))
  const { row, outcome } = await move(acting, routeResource, id, event, no.payment_route_not_found)
  if (outcome === 'moved') return row
  if (row.status === 'deleted') throw no.payment_route_not_found()
  throw event === 'pause' ? no.payment_route_paused() : no.payment_route_active()
}

/** A route of whatever organisation and environment, for operators. @throws Refusal 404 when there is none with this id. */
export async function findAnywhere(read: Read, id: string): Promise<RouteRow> {
  const row = isId(id)
    ? await read.em.findOne(RouteEntity, { id }, { filters: { tenant: false }, disableIdentityMap: true })
    : null
  if (!row) throw no.payment_route_not_found()
  return row
}

/**
 * The 200 newest deposits of all organisations that somebody should look after, and the exact number of all: those on their way
 * for longer than an hour, and those that were neither delivered nor sent back.
 */
export async function troubled(read: Read): Promise<{ rows: DepositRow[]; total: number }> {
  const [rows, total] = await read.em.findAndCount(
    DepositEntity,
    {
      $or: [
        { status: 'failed' },
        { status: 'pending', createdAt: { $lt: new Date(Date.now() - STUCK_SECONDS * 1000) } },
      ],
    },
    {
      filters: { tenant: false },
      orderBy: { relayUpdatedAt: 'desc', id: 'desc' },
      limit: 200,
      disableIdentityMap: true,
    },
  )
  return { rows, total }
}

/** The 200 deposits that changed last, and the exact number of all. */
export async function deposits(read: Read): Promise<{ rows: DepositRow[]; total: number }> {
  const [rows, total] = await read.em.findAndCount(
    DepositEntity,
    {},
    { orderBy: { relayUpdatedAt: 'desc', id: 'desc' }, limit: 200, disableIdentityMap: true },
  )
  return { rows, total }
}
