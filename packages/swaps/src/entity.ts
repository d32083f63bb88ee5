import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { Metadata } from '@payments/kernel'
import {
  byId,
  foreignKeys,
  index,
  inheritedTenant,
  instant,
  keyedBy,
  keyedByTenant,
  machineChecks,
  minorUnits,
  newestFirst,
  ofOrganisation,
  pollColumns,
  resource,
  tenant,
  tenantFilter,
  times,
  uniqueIndex,
  withinTenant,
} from '@payments/platform'
import { currencies } from './currencies.ts'
import { present, swapEntry } from './present.ts'
import type { OtherHolding } from './provider/provider.ts'
import { sandboxOutcomes } from './schemas.ts'
import { swapMachine } from './states.ts'

/** SQL: swaps that are not final or hold money. */
export const UNFINISHED = `status in ('awaiting_deposit', 'swapping', 'failed')
  or unexplained_amount <> 0 or other_holdings is not null
  or deposited_amount - returned_amount > case status when 'completed' then amount else 0 end`

export const SwapEntity = defineEntity({
  name: 'Swap',
  tableName: 'swaps',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    provider: p.text(),
    status: p.text(),
    customerId: p.uuid().nullable(),
    fromCurrency: p.enum(currencies),
    toCurrency: p.enum(currencies),
    amount: minorUnits().check('amount > 0'),
    expectedAmount: minorUnits(),
    minimumAmount: minorUnits(),
    slippageBasisPoints: p.integer(),
    depositedAmount: minorUnits().check('deposited_amount >= 0'),
    returnedAmount: minorUnits().check('returned_amount >= 0'),
    receivedAmount: minorUnits().nullable(),
    fees: minorUnits().nullable(),
    derivationIndex: p.integer(),
    depositAddress: p.text(),
    destinationAddress: p.text(),
    refundAddress: p.text(),
    depositTxHash: p.text().nullable(),
    swapTxHash: p.text().nullable(),
    refundTxHash: p.text().nullable(),
    failureReason: p.text().nullable(),
    metadata: p.json().$type<Metadata>(),
    refusedQuotes: p.integer(),
    expiresAt: p.datetime(3),
    depositsUntil: p.datetime(3),
    // What the chain shows at the address beyond what the journal says; null: never compared.
    unexplainedAmount: minorUnits().nullable(),
    otherHoldings: p.json().$type<readonly OtherHolding[]>().nullable(),
    /** Since when nothing is sent, because its organisation was suspended; and when an operator had it sent nevertheless. */
    heldAt: p.datetime(3).nullable(),
    releasedAt: p.datetime(3).nullable(),
    ...times(),
  },
  checks: [
    ...machineChecks('swaps', swapMachine),
    { name: 'swaps_two_currencies', expression: 'from_currency <> to_currency' },
    // What leaves a deposit address has arrived there before.
    {
      name: 'swaps_covered',
      expression: "returned_amount + case status when 'completed' then amount else 0 end <= deposited_amount",
    },
  ],
  ...keyedByTenant,
  indexes: [
    byId('swaps'),
    // Between organisations as well an address has one swap: it is taken once from those that are derived.
    uniqueIndex('swaps_deposit_address_key', 'swaps (deposit_address, environment, organisation_id)'),
    newestFirst('swaps'),
    index('swaps_suspense', ['environment'], 'unexplained_amount <> 0 or other_holdings is not null'),
    index('swaps_unfinished', ['updatedAt', 'id'], UNFINISHED),
    index('swaps_held', ['heldAt'], 'held_at is not null'),
    index('swaps_address', ['depositAddress']),
    index('swaps_unreturned', ['updatedAt'], "status in ('swapping', 'failed') and deposited_amount > returned_amount"),
  ],
  ...foreignKeys(ofOrganisation, withinTenant('customer_id', 'customers')),
})

/**
 * When a swap is processed next, how far its address was read, and why it could not be processed: one row for each swap, for ever. In a table of its own, because it
 * changes with each poll, which writes to all indexes of a row.
 */
export const PollEntity = defineEntity({
  name: 'SwapPoll',
  tableName: 'swap_polls',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...inheritedTenant(),
    provider: p.text(),
    ...pollColumns(),
    nextPollAt: p.datetime(3),
    /** How far the provider has read the history of the address, in its own words. */
    readTo: p.text().nullable(),
  },
  ...keyedByTenant,
  indexes: [
    byId('swap_polls'),
    index('swap_polls_due', ['provider', 'environment', 'nextPollAt']),
    index('swap_polls_turns', ['provider', 'environment', 'organisationId', 'nextPollAt']),
    index('swap_polls_failing', ['environment'], 'failing_since is not null'),
  ],
})

/** A derived address: ready for a new swap, or taken for ever. */
const SwapAddressEntity = defineEntity({
  name: 'SwapAddress',
  tableName: 'swap_addresses',
  properties: {
    environment: tenant().environment.primary(),
    derivationIndex: p.integer().primary(),
    address: p.text(),
    takenAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'swap_addresses_address_key', properties: ['address'] }],
  indexes: [index('swap_addresses_ready', ['environment', 'derivationIndex'], 'taken_at is null')],
})

/** A finalized transfer to the address of a swap, recorded once. */
const SwapDepositEntity = defineEntity({
  name: 'SwapDeposit',
  tableName: 'swap_deposits',
  filters: tenantFilter,
  properties: {
    swapId: p.uuid().primary(),
    txHash: p.text().primary(),
    ...inheritedTenant(),
    amount: minorUnits().check('amount > 0'),
    inTime: p.boolean(),
    createdAt: p.datetime(3),
  },
  ...keyedBy('organisation_id', 'environment', 'swap_id', 'tx_hash'),
  indexes: [index('swap_deposits_transaction', ['txHash'])],
  ...foreignKeys(withinTenant('swap_id', 'swaps')),
})

/** A signed transaction of a swap. It is stored before it is sent, and open until its outcome is known. */
export const SwapTransactionEntity = defineEntity({
  name: 'SwapTransaction',
  tableName: 'swap_transactions',
  filters: tenantFilter,
  properties: {
    signature: p.text().primary(),
    swapId: p.uuid(),
    ...inheritedTenant(),
    kind: p.enum(['swap', 'refund']),
    amount: minorUnits().check('amount > 0'),
    payload: p.text(),
    /** It creates the token account of its receiver, at the fee payer's cost. */
    createsAccount: p.boolean().default(false),
    /** Fee and rent that the fee payer pays. */
    costLamports: minorUnits().defaultRaw('0'),
    outcome: p.enum(['finalized', 'failed', 'dropped']).nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [
    // One transaction of a swap at a time: the next is signed when the outcome of the last is known.
    uniqueIndex(
      'swap_transactions_open_key',
      'swap_transactions (swap_id, organisation_id, environment) where outcome is null',
    ),
    index('swap_transactions_signature', ['signature']),
    index('swap_transactions_of_swap', ['swapId', 'createdAt']),
    // What each organisation's transactions of a day cost.
    index('swap_transactions_cost', ['createdAt', 'organisationId'], 'cost_lamports > 0'),
  ],
  ...keyedBy('organisation_id', 'environment', 'signature'),
  ...foreignKeys(withinTenant('swap_id', 'swaps')),
})

/**
 * A signed transaction that moves no money of a swap: it closes empty token accounts, or sweeps an address that no swap
 * needs. Stored before it is sent, so that everything that the fee payer paid for is known.
 */
export const SwapUpkeepEntity = defineEntity({
  name: 'SwapUpkeep',
  tableName: 'swap_upkeep',
  properties: {
    signature: p.text().primary(),
    environment: tenant().environment,
    kind: p.enum(['close', 'sweep']),
    address: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [index('swap_upkeep_of_address', ['address'])],
})

/** The fee payer of an environment as it was read last. */
const SwapFeePayerEntity = defineEntity({
  name: 'SwapFeePayer',
  tableName: 'swap_fee_payers',
  properties: {
    environment: tenant().environment.primary(),
    address: p.text(),
    lamports: minorUnits(),
    readTo: p.text().nullable(),
    readAt: p.datetime(3),
  },
})

/** Every change of a fee payer's balance on the chain. `explained`: it came in, or this service signed and stored it. */
const SwapFeePayerChangeEntity = defineEntity({
  name: 'SwapFeePayerChange',
  tableName: 'swap_fee_payer_changes',
  properties: {
    environment: tenant().environment.primary(),
    signature: p.text().primary(),
    // In the order of the chain.
    position: p.bigint().generated('identity'),
    lamports: minorUnits(),
    explained: p.boolean(),
  },
})

/** The quotes that `GET /rates` shows. */
const SwapRateEntity = defineEntity({
  name: 'SwapRate',
  tableName: 'swap_rates',
  properties: {
    environment: tenant().environment.primary(),
    fromCurrency: p.enum(currencies).primary(),
    amount: minorUnits().primary(),
    amountOut: minorUnits(),
    priceImpactPercent: p.double(),
    source: p.text(),
    quotedAt: p.datetime(3),
  },
})

/** New quotes that an organisation has used in the present minute. */
const SwapRateCallEntity = defineEntity({
  name: 'SwapRateCalls',
  tableName: 'swap_rate_calls',
  properties: { organisationId: p.uuid().primary(), calls: p.integer(), endsAt: instant() },
  ...foreignKeys(ofOrganisation),
})

/** What the sandbox provider stores: see `sandbox.ts`. */
const SandboxSwapAddressEntity = defineEntity({
  name: 'SandboxSwapAddress',
  tableName: 'sandbox_swap_addresses',
  properties: {
    address: p.text().primary(),
    outcome: p.enum(sandboxOutcomes).default('completed'),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
})

const SandboxSwapDepositEntity = defineEntity({
  name: 'SandboxSwapDeposit',
  tableName: 'sandbox_swap_deposits',
  properties: {
    txHash: p.text().primary(),
    address: p.text(),
    amount: minorUnits(),
    receivedAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [index('sandbox_swap_deposits_of_address', ['address'])],
  ...foreignKeys({ columns: ['address'], table: 'sandbox_swap_addresses', referenced: ['address'] }),
})

const SandboxSwapTransactionEntity = defineEntity({
  name: 'SandboxSwapTransaction',
  tableName: 'sandbox_swap_transactions',
  properties: {
    signature: p.text().primary(),
    address: p.text(),
    amount: minorUnits(),
    fails: p.boolean(),
    settlesAt: p.datetime(3),
  },
  indexes: [index('sandbox_swap_transactions_of_address', ['address'])],
  ...foreignKeys({ columns: ['address'], table: 'sandbox_swap_addresses', referenced: ['address'] }),
})

export const entities = [
  SwapEntity,
  PollEntity,
  SwapAddressEntity,
  SwapDepositEntity,
  SwapTransactionEntity,
  SwapUpkeepEntity,
  SwapFeePayerEntity,
  SwapFeePayerChangeEntity,
  SwapRateEntity,
  SwapRateCallEntity,
  SandboxSwapAddressEntity,
  SandboxSwapDepositEntity,
  SandboxSwapTransactionEntity,
]

export type SwapRow = Omit<
  InferEntity<typeof SwapEntity>,
  'nextPollAt' | 'pollSeconds' | 'failingSince' | 'error' | 'readTo'
>
export type PollRow = InferEntity<typeof PollEntity>
/** A swap, and how it is polled. */
export type PolledSwap = SwapRow & Pick<PollRow, 'nextPollAt' | 'pollSeconds' | 'failingSince' | 'readTo'>
export type SwapUpkeepRow = InferEntity<typeof SwapUpkeepEntity>
export type SwapTransactionRow = InferEntity<typeof SwapTransactionEntity>

export const swapResource = resource({
  machine: swapMachine,
  entity: SwapEntity,
  table: 'swaps',
  events: { created: 'swap.created', updated: 'swap.updated' },
  present: (row: SwapRow) => present(row),
  entry: (row: SwapRow) => swapEntry(row),
})
