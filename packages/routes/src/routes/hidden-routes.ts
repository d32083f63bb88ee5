import { assetOf, type NetworkType, newId, toDecimal } from '@payments/kernel'
import {
  bestAnswer,
  type Chosen,
  createResource,
  firstAnswer,
  limitedFor,
  type QueryContext,
  type Stranger,
  sqlOf,
  type UnitOfWork,
} from '@payments/platform'
import { type Applied, syncNow } from '../deposits/deposits.ts'
import { recordDeposit, settleDeposit } from '../deposits/settle.ts'
import { hiddenRouteResource, RouteEntity, WITH_HIDDEN } from '../entity.ts'
import { errors } from '../errors.ts'
import { reindexWithin } from '../polling/reindex.ts'
import { type Carrier, recordCarrier } from '../provider/carrier.ts'
import {
  type Leg,
  type QuotedAddress,
  type QuotedAmount,
  type RoutesProvider,
  routesProvider,
} from '../provider/provider.ts'
import { routesProviders } from '../provider/providers.ts'
import type { RefundTo } from '../refund-owners.ts'
import { configuredRefund, refundOfOrganisation } from '../refunds/refund-addresses.ts'
import { pollNow, startPolls } from '../schedule/schedule.ts'
import type { sandboxOutcomes } from '../schemas.ts'
import { countingQuotes, quoted } from './quotes.ts'
import { isDepositAddress } from './rules.ts'

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
  /** Until when money may arrive at the address. */
  readonly until: Date
  /** Who asks, without a credential: strangers have shares of the providers' quotes. */
  readonly stranger: Stranger | undefined
}

/** A hidden route with the deposit address that the provider gave for it. */
export interface PreparedHiddenRoute extends HiddenRoute, Carrier {
  readonly id: string
  readonly depositAddress: string
  readonly refundTo: RefundTo
  /** What the payer must send for the quote, in minor units of the origin currency. */
  readonly inputAmount: bigint
  /** The least that the provider promises to deliver for it, in minor units; null where it promises nothing. */
  readonly guaranteedAmount: bigint | null
}

/**
 * Gets a deposit address for a part of another domain, before any transaction. Repeating it gets another address and moves no
 * money. Routes with equal ends may exist any number of times, and may end where they begin.
 * @throws refund_address_missing 503, deposit_address_used 502, and the provider's 422, 502 and 503
 */
export async function prepareHiddenRoute(context: QueryContext, route: HiddenRoute): Promise<PreparedHiddenRoute> {
  const { type, networkKey, currency } = route.origin
  // Asked for together with the refund address: one packet.
  const asked = routesProviders(context, route.strict ? 'exact' : 'reusable', networkKey)
  asked.catch(() => undefined)
  const refundTo: RefundTo | null = route.refundAddress
    ? { address: route.refundAddress, owner: 'payer' }
    : configuredRefund(context, type, await refundOfOrganisation(context, type))
  if (refundTo === null) throw errors.refund_address_missing()
  const id = newId()
  const ask = async (provider: RoutesProvider, compares: boolean): Promise<Offer> => {
    const { inputAmount, ...answer } = await quoted(
      context,
      provider,
      {
        routeId: id,
        origin: { networkKey, currency },
        destination: route.destination,
        refundAddress: refundTo.address,
        quote: route.quote,
        strict: route.strict,
        until: route.until,
      },
      { stranger: route.stranger, compares },
    )
    const ends = [route.destination.address, refundTo.address]
    if (!isDepositAddress(type, answer.depositAddress, ends) || inputAmount === undefined || inputAmount <= 0n)
      throw errors.deposit_address_used()
    return { ...answer, inputAmount }
  }
  const candidates = await asked
  const { provider, answer, choice } = await countingQuotes(context, route.stranger, () =>
    bestOrNext(candidates, ask, offers(route)),
  )
  const { depositAddress, inputAmount, guaranteedAmount = null } = answer
  return {
    ...route,
    depositAddress,
    inputAmount,
    guaranteedAmount,
    id,
    provider: provider.name,
    choice,
    evidence: answer.evidence,
    refundTo,
  }
}

/**
 * The best offer while quotes are plenty. A comparison uses half of a provider's at most; where it is refused for that and no other provider
 * answers, the provider is asked with all that it allows.
 * @throws the error of the first, when none answers
 */
async function bestOrNext(
  candidates: readonly RoutesProvider[],
  ask: (provider: RoutesProvider, compares: boolean) => Promise<Offer>,
  comparison: ReturnType<typeof offers>,
): Promise<Chosen<RoutesProvider, Offer>> {
  const failed = new Map<RoutesProvider, unknown>()
  const compare = (provider: RoutesProvider) =>
    ask(provider, provider !== candidates[0]).catch((error: unknown) => {
      failed.set(provider, error)
      throw error
    })
  return bestAnswer(candidates, compare, comparison).catch((error: unknown) => {
    const isSpared = (provider: RoutesProvider) =>
      provider !== candidates[0] && limitedFor(failed.get(provider)) !== undefined
    if (!candidates.some(isSpared)) throw error
    return firstAnswer(candidates, async (provider) => {
      if (isSpared(provider)) return ask(provider, false)
      throw failed.get(provider)
    })
  })
}

type Offer = QuotedAddress & { readonly inputAmount: bigint }

/** The better offer: the least to send for a delivery, the most delivered for what is sent. */
const offers = ({ origin, destination, quote }: HiddenRoute) => ({
  rank: ({ inputAmount, outputAmount = 0n }: Offer): bigint => ('output' in quote ? inputAmount : -outputAmount),
  show: ({ inputAmount, outputAmount }: Offer): string =>
    [
      `${decimal(inputAmount, origin.currency)} ${origin.currency}`,
      ...(outputAmount === undefined ? [] : [`${decimal(outputAmount, destination.currency)} ${destination.currency}`]),
    ].join(' for '),
})

const decimal = (units: bigint, symbol: string): string => {
  const asset = assetOf(symbol)
  return asset ? toDecimal(units, asset) : `${units}`
}

/**
 * Creates the prepared route in the caller's transaction, without an event. Until `watchedUntil` its address is polled often;
 * afterwards ever more rarely, for ever. Its deposits go to the receiver that is bound to {@link hiddenDeposits}.
 */
export function createHiddenRoute(unit: UnitOfWork, route: PreparedHiddenRoute, watchedUntil: Date): void {
  const row = createResource(unit, hiddenRouteResource, {
    id: route.id,
    organisationId: unit.actor.organisationId,
    environment: unit.actor.environment,
    provider: route.provider,
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
    hidden: true,
  })
  startPolls(unit, row, watchedUntil)
  recordCarrier(unit, row, route)
}

/**
 * Says until when the payer of a hidden route is expected: afterwards its address is polled ever more rarely. The caller holds what
 * belongs to the route, and a report locks the route before that. So it never waits for the route: one that a report holds stays as
 * it is, unless that report asks its owner, who says the same.
 */
export async function watchHiddenRoute(unit: UnitOfWork, routeId: string, until: Date): Promise<void> {
  await sqlOf(unit.em).query(
    `update payment_route_polls set watched_until = $2
      where id = (select id from payment_route_polls where id = $1 for no key update skip locked)`,
    [routeId, until],
  )
}

/** What an operator says became of a deposit. */
export type DepositSettlement = Parameters<typeof settleDeposit>[2]

/** Ends a deposit to a hidden route as an operator knows that it ended; its owner is told. */
export const settleHiddenDeposit = async (unit: UnitOfWork, id: string, settlement: DepositSettlement): Promise<void> =>
  void (await settleDeposit(unit, id, settlement))

/** Records a deposit to a hidden route that no provider has reported with its transaction; the owner of the route hears of it. */
export const recordHiddenDeposit = async (
  unit: UnitOfWork,
  routeId: string,
  deposit: Parameters<typeof recordDeposit>[2],
): Promise<void> => void (await recordDeposit(unit, routeId, deposit))

/**
 * Polls a hidden route of any organisation now, its whole history, because an operator asked, and makes the provider look for money in
 * another currency or on another network.
 */
export async function syncHiddenRoute(context: QueryContext, routeId: string, on?: string): Promise<Applied> {
  const route = await context.em.findOneOrFail(
    RouteEntity,
    { id: routeId },
    { filters: { ...WITH_HIDDEN, tenant: false }, disableIdentityMap: true },
  )
  await reindexWithin(context, route, on)
  return syncNow(context, route, true)
}

/** A payer's transfer arrives at a hidden route of the sandbox, in the caller's transaction. */
export async function simulateHiddenDeposit(
  unit: UnitOfWork,
  routeId: string,
  payment: Leg & { readonly amount: bigint; readonly outcome: (typeof sandboxOutcomes)[number] },
): Promise<void> {
  const route = await unit.em.findOneOrFail(RouteEntity, { id: routeId }, { filters: WITH_HIDDEN })
  const provider = unit.runtime.providers.sandbox(routesProvider)
  await provider.simulateDeposit(sqlOf(unit.em), { depositAddress: route.depositAddress, ...payment })
  await pollNow(unit, route.id)
}
