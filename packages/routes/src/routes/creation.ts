import { checkCustomer } from '@payments/customers'
import { invalid, isAddressOf, newId } from '@payments/kernel'
import { aboutObject, createResource, firstAnswer, type QueryContext, type UnitOfWork } from '@payments/platform'
import { sql } from 'kysely'
import type { z } from 'zod'
import { errors } from '../api/errors.ts'
import type { NewPaymentRoute } from '../api/schemas.ts'
import { type RouteRow, routeResource } from '../entity.ts'
import { FIRST_POLL_SECONDS } from '../polling/schedule.ts'
import { type Carrier, recordCarrier } from '../provider/carrier.ts'
import { routesProviders } from '../provider/providers.ts'
import { configuredRefund, refundAddressSql } from '../refunds/refund-addresses.ts'
import type { RefundTo } from '../refunds/refund-owners.ts'
import { availableNetworks } from './networks.ts'
import { quoted } from './quotes.ts'
import { type Plan, planOf } from './rules.ts'

type Input = z.output<typeof NewPaymentRoute>

/** A checked request with the deposit address that the provider gave for it. */
export interface PreparedRoute extends Plan, Carrier {
  readonly id: string
  readonly depositAddress: string
  readonly refundTo: RefundTo
}

/**
 * Checks a request and gets a deposit address, before any transaction. Repeating it gets another address and moves no money.
 * @throws validation_failed 422, payment_route_active 409, deposit_address_used 502, and the provider's 502 and 503
 */
export async function prepareRoute(context: QueryContext, input: Input): Promise<PreparedRoute> {
  const plan = planOf(input, await availableNetworks(context))
  await checkCustomer(context, input.customerId)
  const { exists, refund } = await lookUp(context, input, plan)
  if (exists) throw errors.payment_route_active()
  // The merchant's own choice for this route is an address of the merchant's.
  const refundTo: RefundTo | null = plan.refundAddress
    ? { address: plan.refundAddress, owner: 'organisation' }
    : configuredRefund(context, plan.origin.type, refund)
  if (refundTo === null) throw invalid({ refundAddress: 'Required: no refund address is configured for this network' })
  const id = newId()
  const { provider, answer, choice } = await aboutObject({ ...context.actor, id }, async () =>
    firstAnswer(await routesProviders(context, 'reusable', plan.origin.key), (each) =>
      quoted(context, each, {
        routeId: id,
        origin: { networkKey: plan.origin.key, currency: plan.originCurrency },
        destination: {
          networkKey: plan.destination.key,
          currency: input.destinationCurrency,
          address: plan.destinationAddress,
        },
        refundAddress: refundTo.address,
      }),
    ),
  )
  const { depositAddress, evidence } = answer
  if (!isAddressOf(plan.origin.type, depositAddress)) throw errors.deposit_address_used()
  return { ...plan, id, provider: provider.name, choice, evidence, depositAddress, refundTo }
}

/**
 * What must be known before the provider is called, in one statement: whether an active or paused route with the same
 * origin, destination and address exists (the unique index decides later), and the organisation's refund address.
 */
async function lookUp(
  context: QueryContext,
  input: Input,
  plan: Plan,
): Promise<{ exists: boolean; refund: string | null }> {
  const { organisationId, environment } = context.actor
  const { rows } = await sql<{ exists: boolean; refund: string | null }>`select exists (select 1 from payment_routes
    where payment_route_identity(organisation_id::text, environment, origin_chain_key, origin_currency, destination_chain_key, destination_currency, destination_address)
        = payment_route_identity(${organisationId}, ${environment}, ${plan.origin.key}, ${plan.originCurrency}, ${plan.destination.key},
                                 ${input.destinationCurrency}, ${plan.destinationAddress})
      and status <> 'deleted' and not hidden) as exists, ${refundAddressSql(context, plan.origin.type)} as refund`.execute(
    context.em.getKysely(),
  )
  return rows[0] ?? { exists: false, refund: null }
}

/** Creates the prepared route. A violated constraint becomes payment_route_active 409 or deposit_address_used 502. */
export function createRoute(unit: UnitOfWork, input: Input, prepared: PreparedRoute): RouteRow {
  const row = createResource(unit, routeResource, {
    id: prepared.id,
    organisationId: unit.actor.organisationId,
    environment: unit.actor.environment,
    provider: prepared.provider,
    name: input.name,
    customerId: input.customerId ?? null,
    originChainKey: prepared.origin.key,
    originCurrency: prepared.originCurrency,
    destinationChainKey: prepared.destination.key,
    destinationCurrency: input.destinationCurrency,
    destinationAddress: prepared.destinationAddress,
    refundAddress: prepared.refundTo.address,
    refundOwner: prepared.refundTo.owner,
    depositAddress: prepared.depositAddress,
    metadata: input.metadata ?? {},
    nextPollAt: new Date(Date.now() + FIRST_POLL_SECONDS * 1000),
    pollSeconds: FIRST_POLL_SECONDS,
    hidden: false,
    watchedUntil: null,
  })
  recordCarrier(unit, row, prepared)
  return row
}
