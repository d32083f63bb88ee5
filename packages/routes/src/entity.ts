import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { assetOf, type LedgerEntry, networkOf, toDecimal } from '@payments/kernel'
import { minorUnits, resource, tenant, tenantFilter, times } from '@payments/platform'
import type { z } from 'zod'
import type { PaymentRouteReceipt } from './receipt.ts'
import type { Deposit, PaymentRoute } from './schemas.ts'
import { depositMachine, routeMachine } from './states.ts'

export const RouteEntity = defineEntity({
  name: 'PaymentRoute',
  tableName: 'payment_routes',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    name: p.string(),
    status: p.string(),
    customerId: p.uuid().nullable(),
    originChainKey: p.string(),
    originCurrency: p.string(),
    destinationChainKey: p.string(),
    destinationCurrency: p.string(),
    destinationAddress: p.string(),
    refundAddress: p.string(),
    depositAddress: p.string(),
    nextPollAt: p.datetime(3),
    pollSeconds: p.integer(),
    ...times(),
  },
})

export const DepositEntity = defineEntity({
  name: 'PaymentRouteDeposit',
  tableName: 'payment_route_deposits',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    paymentRouteId: p.uuid(),
    routeName: p.string(),
    customerId: p.uuid().nullable(),
    relayRequestId: p.string(),
    status: p.string(),
    originChainKey: p.string(),
    originCurrency: p.string(),
    originAmount: minorUnits(),
    originAmountUsd: p.string().nullable(),
    destinationChainKey: p.string(),
    destinationCurrency: p.string(),
    destinationAddress: p.string(),
    destinationAmount: minorUnits().nullable(),
    destinationAmountUsd: p.string().nullable(),
    depositTxHash: p.string().nullable(),
    failureReason: p.string().nullable(),
    relayUpdatedAt: p.datetime(3),
    ...times(),
  },
})

export type RouteRow = InferEntity<typeof RouteEntity>
export type DepositRow = InferEntity<typeof DepositEntity>

/** A payment route as its GET shows it. */
export const presentRoute = (row: RouteRow): z.infer<typeof PaymentRoute> => ({
  id: row.id,
  name: row.name,
  status: row.status as z.infer<typeof PaymentRoute>['status'],
  customerId: row.customerId ?? null,
  originChainKey: row.originChainKey,
  originCurrency: row.originCurrency,
  destinationChainKey: row.destinationChainKey,
  destinationCurrency: row.destinationCurrency,
  destinationAddress: row.destinationAddress,
  refundAddress: row.refundAddress,
  depositAddress: row.depositAddress,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

const decimal = (units: bigint | null | undefined, symbol: string): string | null => {
  const asset = assetOf(symbol)
  return units === null || units === undefined || !asset ? null : toDecimal(units, asset)
}

const legs = (row: DepositRow) => ({
  origin: {
    network: row.originChainKey,
    symbol: row.originCurrency,
    amount: decimal(row.originAmount, row.originCurrency),
    amountUsd: row.originAmountUsd ?? null,
  },
  destination: {
    network: row.destinationChainKey,
    symbol: row.destinationCurrency,
    address: row.destinationAddress,
    amount: decimal(row.destinationAmount, row.destinationCurrency),
    amountUsd: row.destinationAmountUsd ?? null,
  },
})

/** A deposit as the list of deposits shows it. */
export const presentDeposit = (row: DepositRow): z.infer<typeof Deposit> => ({
  id: row.id,
  paymentRouteId: row.paymentRouteId,
  customerId: row.customerId ?? null,
  relayRequestId: row.relayRequestId,
  status: row.status as z.infer<typeof Deposit>['status'],
  ...legs(row),
  depositTxHash: row.depositTxHash ?? null,
  failureReason: row.failureReason ?? null,
  relayUpdatedAt: row.relayUpdatedAt.toISOString(),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

/** A deposit as an entry of the unified list, with the receipt of the specification. */
function depositEntry(row: DepositRow): LedgerEntry {
  const { origin, destination } = legs(row)
  const receipt: z.infer<typeof PaymentRouteReceipt> = {
    type: 'payment_route_deposit',
    depositId: row.id,
    relayRequestId: row.relayRequestId,
    routeId: row.paymentRouteId,
    routeName: row.routeName,
    status: row.status,
    origin,
    destination,
    depositTxHash: row.depositTxHash ?? null,
  }
  const network = networkOf(row.destinationChainKey)?.name ?? row.destinationChainKey
  return {
    kind: 'payment_route',
    customerId: row.customerId ?? null,
    destination: `${network} ${row.destinationCurrency} ${row.destinationAddress}`,
    amount: `${origin.amount} ${origin.symbol}`,
    amountUsd: row.originAmountUsd ?? null,
    receipt,
  }
}

export const routeResource = resource({
  machine: routeMachine,
  entity: RouteEntity,
  table: 'payment_routes',
  events: { created: 'payment_route.created', updated: 'payment_route.updated' },
  present: presentRoute,
})

export const depositResource = resource({
  machine: depositMachine,
  entity: DepositEntity,
  table: 'payment_route_deposits',
  events: { created: 'payment_route.deposit.updated', updated: 'payment_route.deposit.updated' },
  present: presentDeposit,
  entry: depositEntry,
})
