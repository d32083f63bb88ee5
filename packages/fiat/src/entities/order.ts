import { p } from '@mikro-orm/core'
import type { Metadata } from '@payments/kernel'
import { credentialsColumn, exportedAmount, exportedTime, index, minorUnits, tenant, times } from '@payments/platform'
import { decimal } from '../currencies/amounts.ts'

/** SQL: the refund of an order, as JSON; null without one. */
export const refundOf = (_columns: unknown, { alias }: { readonly alias: string }) =>
  `(select json_build_object('status', r.status, 'amount', r.amount::text, 'destination', r.destination, 'txHash', r.tx_hash)
      from fiat_refunds r where r.id = ${alias}.id and r.status <> 'withdrawn')`

/** The refund that an order shows. `destination`: an address or an account number. */
export interface Refund {
  readonly status: 'pending' | 'completed' | 'failed'
  /** Minor units of the source currency. */
  readonly amount: string | null
  readonly destination: string | null
  readonly txHash: string | null
}

/**
 * Columns of orders in both directions. `attention`: why an order needs an operator. `settledAt`: when one said how it ended; what the
 * provider reports afterwards changes nothing. `evidence`: what the provider said when it accepted the order, where its documents and
 * its server disagree.
 */
export const order = () => ({
  id: p.uuid().primary(),
  ...tenant(),
  status: p.text(),
  customerId: p.uuid().nullable(),
  amount: minorUnits().check('amount > 0'),
  sourceCurrency: p.text(),
  destinationCurrency: p.text(),
  networkKey: p.text(),
  rate: p.text(),
  fee: minorUnits().check('fee >= 0'),
  convertedAmount: minorUnits().check('converted_amount >= 0'),
  receivedAmount: minorUnits().nullable().check('received_amount > 0'),
  txHash: p.text().nullable(),
  reference: p.text().nullable(),
  provider: p.text(),
  providerOrderId: p.text(),
  ...credentialsColumn(),
  attention: p.text().nullable(),
  settledAt: p.datetime(3).nullable(),
  evidence: p.json().$type<Record<string, string>>().nullable(),
  metadata: p.json().$type<Metadata>(),
  ...times(),
})

/** Unfinished orders, and those that need an operator. */
export const unfinished = (table: string, states: readonly string[]) =>
  index(
    `${table}_unfinished`,
    ['updatedAt'],
    `attention is not null or status in (${states.map((state) => `'${state}'`).join(', ')})`,
  )
/** What operators find an order by. */
export const searched = (table: string) => [
  index(`${table}_provider_order`, ['providerOrderId']),
  index(`${table}_transaction`, ['txHash'], 'tx_hash is not null'),
  index(`${table}_reference`, ['reference'], 'reference is not null'),
]
export const ofCustomer = (table: string) =>
  index(
    `${table}_of_customer`,
    ['organisationId', 'environment', 'customerId', 'createdAt desc', 'id desc'],
    'customer_id is not null',
  )

/** A row of an order. `refund` is read with it, and absent from one that is being created. */
export type OrderOf<E> = Omit<E, 'refund'> & { readonly refund?: Refund | null }

/** Amounts of an order: minor units as decimal text. */
export const money = (row: { readonly sourceCurrency: string; readonly destinationCurrency: string }) => ({
  source: (units: bigint) => decimal(units, row.sourceCurrency),
  destination: (units: bigint) => decimal(units, row.destinationCurrency),
})
export const refundAmount = ({
  refund,
  sourceCurrency,
}: {
  readonly refund?: Refund | null
  readonly sourceCurrency: string
}): string | null => (refund?.amount == null ? null : decimal(BigInt(refund.amount), sourceCurrency))

/** Columns of the exports of both directions. */
export const exportedOrder = {
  id: 't.id',
  status: 't.status',
  customerId: 't.customer_id',
  reference: 't.reference',
  amount: exportedAmount('t.amount', 't.source_currency'),
  sourceCurrency: 't.source_currency',
  fee: exportedAmount('t.fee', 't.source_currency'),
  rate: 't.rate',
  convertedAmount: exportedAmount('t.converted_amount', 't.destination_currency'),
  destinationCurrency: 't.destination_currency',
  networkKey: 't.network_key',
  failureReason: 't.failure_reason',
}
export const exportedTimes = { createdAt: exportedTime('t.created_at'), updatedAt: exportedTime('t.updated_at') }
