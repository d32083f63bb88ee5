import { checkCustomer } from '@payments/customers'
import { invalid, newId } from '@payments/kernel'
import {
  aboutObject,
  createResource,
  firstAnswer,
  type QueryContext,
  refuseOwnAddresses,
  type UnitOfWork,
} from '@payments/platform'
import type { z } from 'zod'
import { type RouteRow, routeResource } from '../entity.ts'
import { errors } from '../errors.ts'
import { type Carrier, recordCarrier } from '../provider/carrier.ts'
import { routesProviders } from '../provider/providers.ts'
import type { RefundTo } from '../refund-owners.ts'
import { configuredRefund, refundOfOrganisation } from '../refunds/refund-addresses.ts'
import { startPolls } from '../schedule/schedule.ts'
import type { NewPaymentRoute } from '../schemas.ts'
import { availableNetworks } from './networks.ts'
import { countingQuotes, quoted } from './quotes.ts'
import { isDepositAddress, type Plan, planOf } from './rules.ts'

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
  // What is read at the same time is one packet.
  const [networks, candidates] = await Promise.all([
    availableNetworks(context),
    routesProviders(context, 'reusable', input.originChainKey),
  ])
  const plan = planOf(input, networks)
  await checkCustomer(context, input.customerId)
  const [isTaken, refund] = await Promise.all([
    exists(context, input, plan),
    refundOfOrganisation(context, plan.origin.type),
    refuseOwnAddresses(context, { destinationAddress: plan.destinationAddress, refundAddress: plan.refundAddress }),
  ])
  if (isTaken) throw errors.payment_route_active()
  // The merchant's own choice for this route is an address of the merchant's.
  const refundTo: RefundTo | null = plan.refundAddress
    ? { address: plan.refundAddress, owner: 'organisation' }
    : configuredRefund(context, plan.origin.type, refund)
  if (refundTo === null) throw invalid({ refundAddress: 'Required: no refund address is configured for this network' })
  const id = newId()
  const { provider, answer, choice } = await aboutObject({ ...context.actor, id }, async () =>
    countingQuotes(context, undefined, () =>
      firstAnswer(candidates, (each) =>
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
    ),
  )
  const { depositAddress, evidence } = answer
  if (!isDepositAddress(plan.origin.type, depositAddress, [plan.destinationAddress, refundTo.address]))
    throw errors.deposit_address_used()
  return { ...plan, id, provider: provider.name, choice, evidence, depositAddress, refundTo }
}

/** SQL: what makes two routes the same, as its index has it. */
const identity = (values: readonly string[]): string => `payment_route_identity(${values.join(', ')})`
const EQUAL = identity([
  ...['organisation_id::text', 'environment', 'origin_chain_key', 'origin_currency'],
  ...['destination_chain_key', 'destination_currency', 'destination_address'],
])

/**
 * SQL: the active or paused route with this identity. Only its own index has the order, so a plan that is kept is never of another one, which would
 * read all routes.
 */
const EXISTING = `select id from payment_routes
  where ${EQUAL} = any (array[${identity(['$1', '$2', '$3', '$4', '$5', '$6', '$7'])}]) and organisation_id = $1::uuid and status <> 'deleted' and not hidden
  order by ${EQUAL} limit 1`

/** Is there such a route? The unique index decides later. */
async function exists(context: QueryContext, input: Input, plan: Plan): Promise<boolean> {
  const { organisationId, environment } = context.actor
  const { rows } = await context.runtime.lookups.query(EXISTING, [
    ...[organisationId, environment, plan.origin.key, plan.originCurrency],
    ...[plan.destination.key, input.destinationCurrency, plan.destinationAddress],
  ])
  return rows.length > 0
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
    hidden: false,
  })
  startPolls(unit, row)
  recordCarrier(unit, row, prepared)
  return row
}
