import { isAddressOf, type NetworkType, newId } from '@payments/kernel'
import { actingFor, createResource, type QueryContext, sqlOf, type UnitOfWork } from '@payments/platform'
import { sql } from 'kysely'
import { syncNow } from './deposits.ts'
import { hiddenRouteResource, RouteEntity, WITH_HIDDEN } from './entity.ts'
import { errors } from './errors.ts'
import { type Leg, type QuotedAmount, routesProvider } from './provider.ts'
import { quoted, takeQuote } from './quotes.ts'
import { configuredRefund, refundAddressSql } from './refund-addresses.ts'
import type { RefundTo } from './refund-owners.ts'
import { reindexWithin } from './reindex.ts'
import { applyRemaining, type PendingSync, type SyncCounts } from './reports.ts'
import { FIRST_POLL_SECONDS, POLL, SOON_SECONDS } from './schedule.ts'
import type { sandboxOutcomes } from './schemas.ts'
import { settleDeposit } from './settle.ts'

/** A hidden route to create. Networks, currencies and addresses are checked by the caller. */
export interface HiddenRoute {
  /** For logs and operators. */
  readonly name: string
  readonly origin: Leg & { readonly type: NetworkType }
  readonly destination: Leg & { readonly address: string }
  /** Null: the configured address (§4 of the API contract). */
  readonly refundAddress: string | null
  readonly quote: QuotedAmount
  readonly strict: boolean
  /** Id of what anyone may start such routes from, such as a payment link: it has a share of the provider's quotes. */
  readonly startedAt: string
}

/** A hidden route with the deposit address that the provider gave for it. */
export interface PreparedHiddenRoute extends HiddenRoute {
  readonly id: string
  readonly depositAddress: string
  readonly refundTo: RefundTo
  /** What the payer must send for the quote, in minor units of the origin currency. */
  readonly inputAmount: bigint
}

/**
 * Gets a deposit address for a part of another domain, before any transaction. Repeating it gets another address and moves no
 * money. Routes with equal ends may exist any number of times, and may end where they begin.
 * @throws refund_address_missing 503, deposit_address_used 502, and the provider's 422, 502 and 503
 */
export async function prepareHiddenRoute(context: QueryContext, route: HiddenRoute): Promise<PreparedHiddenRoute> {
  const provider = context.runtime.providers.get(routesProvider, context.actor.environment)
  const { type } = route.origin
  const refundTo: RefundTo | null = route.refundAddress
    ? { address: route.refundAddress, owner: 'payer' }
    : configuredRefund(context, type, await ofOrganisation(context, type))
  if (refundTo === null) throw errors.refund_address_missing()
  const id = newId()
  await takeQuote(context, provider, route.startedAt)
  const { depositAddress, inputAmount } = await quoted(context, provider, {
    routeId: id,
    origin: { networkKey: route.origin.networkKey, currency: route.origin.currency },
    destination: route.destination,
    refundAddress: refundTo.address,
    quote: route.quote,
    strict: route.strict,
  })
  if (!isAddressOf(type, depositAddress) || inputAmount === undefined || inputAmount <= 0n)
    throw errors.deposit_address_used()
  return { ...route, id, depositAddress, refundTo, inputAmount }
}

async function ofOrganisation(context: QueryContext, type: NetworkType): Promise<string | null> {
  const { rows } = await sql<{ refund: string | null }>`select ${refundAddressSql(context, type)} as refund`.execute(
    context.em.getKysely(),
  )
  return rows[0]?.refund ?? null
}

/**
 * Creates the prepared route in the caller's transaction, without an event. Until `watchedUntil` its address is polled often;
 * afterwards ever more rarely, for ever. Its deposits go to the receiver that is bound to {@link hiddenDeposits}.
 */
export function createHiddenRoute(unit: UnitOfWork, route: PreparedHiddenRoute, watchedUntil: Date): void {
  createResource(unit, hiddenRouteResource, {
    id: route.id,
    organisationId: unit.actor.organisationId,
    environment: unit.actor.environment,
    name: route.name,
    customerId: null,
    originChainKey: route.origin.networkKey,
    originCurrency: route.origin.currency,
    destinationChainKey: route.destination.networkKey,
    destinationCurrency: route.destination.currency,
    destinationAddress: route.destination.address,
    refundAddress: route.refundTo.address,
    refundOwner: route.refundTo.owner,
    depositAddress: route.depositAddress,
    metadata: {},
    nextPollAt: new Date(Date.now() + FIRST_POLL_SECONDS * 1000),
    pollSeconds: FIRST_POLL_SECONDS,
    hidden: true,
    watchedUntil,
  })
}

/** Says until when the payer of a hidden route is expected: afterwards its address is polled ever more rarely. */
export async function watchHiddenRoute(unit: UnitOfWork, routeId: string, until: Date): Promise<void> {
  await unit.em.nativeUpdate(RouteEntity, { id: routeId }, { watchedUntil: until }, { filters: WITH_HIDDEN })
}

/** What an operator says became of a deposit. */
export type DepositSettlement = Parameters<typeof settleDeposit>[2]

/** Ends a deposit to a hidden route as an operator knows that it ended; its owner is told. */
export const settleHiddenDeposit = async (unit: UnitOfWork, id: string, settlement: DepositSettlement): Promise<void> =>
  void (await settleDeposit(unit, id, settlement))

/**
 * Polls a hidden route of any organisation now, its whole history, because an operator asked, and makes the provider look for money in
 * another currency or on another network. The rest is applied by {@link applyHiddenSync}.
 */
export async function syncHiddenRoute(context: QueryContext, routeId: string, on?: string): Promise<PendingSync> {
  const route = await context.em.findOneOrFail(
    RouteEntity,
    { id: routeId },
    { filters: { ...WITH_HIDDEN, tenant: false }, disableIdentityMap: true },
  )
  await reindexWithin(context, route, on)
  return syncNow(context, route, true)
}

/** Applies what {@link syncHiddenRoute} has left over, in the caller's transaction. */
export const applyHiddenSync = (unit: UnitOfWork, pending: PendingSync): Promise<SyncCounts> =>
  applyRemaining(actingFor(unit, pending.route), pending)

/** A payer's transfer arrives at a hidden route of the sandbox, in the caller's transaction. */
export async function simulateHiddenDeposit(
  unit: UnitOfWork,
  routeId: string,
  payment: Leg & { readonly amount: bigint; readonly outcome: (typeof sandboxOutcomes)[number] },
): Promise<void> {
  const route = await unit.em.findOneOrFail(RouteEntity, { id: routeId }, { filters: WITH_HIDDEN })
  const provider = unit.runtime.providers.sandbox(routesProvider)
  await provider.simulateDeposit(sqlOf(unit.em), { depositAddress: route.depositAddress, ...payment })
  await unit.em.nativeUpdate(
    RouteEntity,
    { id: route.id },
    { nextPollAt: new Date(), pollSeconds: SOON_SECONDS },
    { filters: WITH_HIDDEN },
  )
  unit.afterCommit(() => unit.runtime.trigger(POLL))
}
