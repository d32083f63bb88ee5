import { requireConfirmedOwner } from '@payments/accounts'
import { canonicalAddress, type NetworkType, networkOf } from '@payments/kernel'
import { notify } from '@payments/notifications'
import { lockName, lookupsOf, type QueryContext, refuseOwnAddresses, sqlOf, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import type { RouteRow } from '../entity.ts'
import { routesProvider } from '../provider/provider.ts'
import { routesSettings } from '../provider/settings.ts'
import type { RefundTo } from '../refund-owners.ts'
import { type RefundAddressChange, type RefundAddresses, refundTypes } from '../schemas.ts'

type ByType = z.infer<typeof RefundAddresses>['organisation']

/** The service's default refund addresses: from the settings, in the sandbox else the provider's own. */
function ofService({ runtime, actor }: Pick<QueryContext, 'runtime' | 'actor'>): ByType {
  const { REFUND_ADDRESS_EVM, REFUND_ADDRESS_SVM, REFUND_ADDRESS_TVM } = routesSettings.from(runtime.settings)
  const bound = runtime.providers.bound(routesProvider, actor.environment)
  const own = bound.find((provider) => provider.refundAddresses)?.refundAddresses
  return {
    evm: REFUND_ADDRESS_EVM ?? own?.evm ?? null,
    svm: REFUND_ADDRESS_SVM ?? own?.svm ?? null,
    tvm: REFUND_ADDRESS_TVM ?? own?.tvm ?? null,
  }
}

/** The organisation's address for a network type. */
export async function refundOfOrganisation(context: QueryContext, type: NetworkType): Promise<string | null> {
  const { organisationId, environment } = context.actor
  const { rows } = await lookupsOf(context).query<{ address: string }>(
    'select address from payment_route_refund_addresses where organisation_id = $1 and environment = $2 and network_type = $3',
    [organisationId, environment, type],
  )
  return rows[0]?.address ?? null
}

/** The organisation's address, else the service's: every route has a refund address. */
export function configuredRefund(
  context: QueryContext,
  type: NetworkType,
  ofOrganisation: string | null,
): RefundTo | null {
  if (ofOrganisation !== null) return { address: ofOrganisation, owner: 'organisation' }
  const address = ofService(context)[type]
  return address === null ? null : { address, owner: 'service' }
}

const isSame = (type: NetworkType, a: string, b: string | null): boolean =>
  b !== null && (type === 'evm' ? a.toLowerCase() === b.toLowerCase() : a === b)

/** Where refunds of a route go. */
export const refundOfRoute = ({ refundAddress: address, refundOwner: owner }: RouteRow): RefundTo => ({
  address,
  owner,
})

/** Whose address a refund really went to, where the provider names another one than that of the route. */
export function usedRefund(
  context: Pick<QueryContext, 'runtime' | 'actor'>,
  route: RouteRow,
  used: string | null | undefined,
): RefundTo {
  const own = refundOfRoute(route)
  const type = networkOf(route.originChainKey)?.type ?? 'evm'
  if (!used || isSame(type, used, own.address)) return own
  return { address: used, owner: isSame(type, used, ofService(context)[type]) ? 'service' : 'payer' }
}

/** The configured addresses of the organisation and of the service. */
export async function refundAddresses(context: QueryContext): Promise<z.infer<typeof RefundAddresses>> {
  const { rows } = await sqlOf(context.em).query<{ network_type: NetworkType; address: string }>(
    'select network_type, address from payment_route_refund_addresses where organisation_id = $1 and environment = $2',
    [context.actor.organisationId, context.actor.environment],
  )
  const of = (type: NetworkType) => rows.find(({ network_type }) => network_type === type)?.address ?? null
  return {
    organisation: { evm: of('evm'), svm: of('svm'), tvm: of('tvm') },
    service: ofService(context),
  }
}

/**
 * Sets the addresses that are given and removes those that are null. Existing routes keep the address they were created with.
 * In live, refunds must not be diverted by a stolen key: only an owner with a confirmed session changes the addresses.
 * @throws ServiceError 403 in live for everybody else; validation_failed 422
 */
export async function changeRefundAddresses(
  unit: UnitOfWork,
  change: z.output<typeof RefundAddressChange>,
): Promise<z.infer<typeof RefundAddresses>> {
  const { organisationId, environment } = unit.actor
  if (environment === 'live') await requireConfirmedOwner(unit)
  const removed = refundTypes.filter((type) => change[type] === null)
  const given = refundTypes.flatMap((type) => {
    const address = canonicalAddress(type, change[type] ?? '')
    return address === undefined ? [] : [[type, address] as const]
  })
  await refuseOwnAddresses(unit, Object.fromEntries(given))
  const db = sqlOf(unit.em)
  // Two changes that touch the same rows in another order would wait for each other.
  await lockName(db, `refund addresses ${organisationId} ${environment}`)
  await db.query(
    'delete from payment_route_refund_addresses where organisation_id = $1 and environment = $2 and network_type = any ($3)',
    [organisationId, environment, removed],
  )
  await db.query(
    `insert into payment_route_refund_addresses (organisation_id, environment, network_type, address)
     select $1, $2, type, address from unnest($3::text[], $4::text[]) as given (type, address)
     on conflict (organisation_id, environment, network_type) do update set address = excluded.address, updated_at = now()`,
    [organisationId, environment, given.map(([type]) => type), given.map(([, address]) => address)],
  )
  if (environment === 'live' && removed.length + given.length > 0) {
    const kinds = [...given.map(([type]) => type), ...removed].map((type) => type.toUpperCase()).join(', ')
    notify(unit, {
      organisationId,
      environment,
      type: 'refund_address.changed',
      title: 'A live refund address was changed',
      body: `The default refund addresses for these kinds of chain were set or removed: ${kinds}. If you did not expect this, revoke your sessions and contact support.`,
      resource: { type: 'organisation', id: organisationId },
    })
  }
  return refundAddresses(unit)
}
