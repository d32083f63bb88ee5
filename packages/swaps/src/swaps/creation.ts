import { checkCustomer } from '@payments/customers'
import {
  addressField,
  amountField,
  basisPointsOf,
  type Mistakes,
  newId,
  refuseMistakes,
  toMinor,
} from '@payments/kernel'
import {
  createResource,
  firstAnswer,
  type ProviderChoice,
  type QueryContext,
  recordChoice,
  refuseOwnAddresses,
  type UnitOfWork,
} from '@payments/platform'
import type { z } from 'zod'
import { takeAddress } from '../addresses/addresses.ts'
import { assetIn } from '../currencies.ts'
import { type SwapRow, swapResource } from '../entity.ts'
import { requireFeePayer } from '../provider/fee-payer.ts'
import { type Quote, type SwapsProvider, swapsProvider } from '../provider/provider.ts'
import { less } from '../provider/rate.ts'
import { boundedQuote } from '../provider/rates.ts'
import { swapsSettings } from '../provider/settings.ts'
import type { NewSwap } from '../schemas.ts'
import { startPolls } from './schedule.ts'

type Input = z.output<typeof NewSwap>

/** A checked request with its price and the deposit address that was taken for it. */
export interface PreparedSwapRow {
  readonly provider: string
  readonly choice: ProviderChoice | undefined
  readonly id: string
  readonly amount: bigint
  readonly quote: Quote
  readonly derivationIndex: number
  readonly depositAddress: string
  readonly destinationAddress: string
  readonly refundAddress: string
}

/**
 * Checks a request, quotes it and takes a deposit address, before any transaction. Repeating it takes another address and
 * moves no money.
 * @throws validation_failed 422, and the provider's 502 and 503
 */
export async function prepareCreation(context: QueryContext, input: Input): Promise<PreparedSwapRow> {
  const candidates = await context.runtime.providers.candidates(swapsProvider, context.actor.environment)
  const { answer, choice } = await firstAnswer(candidates, (provider) => prepareWith(context, provider, input))
  return { ...answer, choice }
}

async function prepareWith(
  context: QueryContext,
  provider: SwapsProvider,
  input: Input,
): Promise<Omit<PreparedSwapRow, 'choice'>> {
  const { amount, ...addresses } = checked(context, provider, input)
  await checkCustomer(context, input.customerId)
  const given = { destinationAddress: addresses.destinationAddress, ...(input.refundAddress ? addresses : {}) }
  await Promise.all([requireFeePayer(context, provider), refuseOwnAddresses(context, given)])
  await checkWallets(provider, addresses)
  const quote = await boundedQuote(context, provider, { from: input.fromCurrency, to: input.toCurrency, amount })
  const { index: derivationIndex, address: depositAddress } = await takeAddress(
    context.runtime,
    context.actor.environment,
  )
  await provider.prepareAddress({ depositAddress, currency: input.fromCurrency })
  return { id: newId(), provider: provider.name, amount, quote, derivationIndex, depositAddress, ...addresses }
}

/** @throws validation_failed 422 that names every address that cannot receive tokens, and the provider's 502 and 503 */
async function checkWallets(provider: SwapsProvider, addresses: Readonly<Record<string, string>>): Promise<void> {
  const wrong: Record<string, string> = {}
  await Promise.all(
    Object.entries(addresses).map(async ([field, address]) => {
      const problem = await provider.checkWallet?.(address)
      if (problem) wrong[field] = problem
    }),
  )
  refuseMistakes(wrong)
}

/** @throws validation_failed 422 that names every wrong field */
function checked(context: QueryContext, provider: SwapsProvider, input: Input) {
  const wrong: Mistakes = {}
  if (input.fromCurrency === input.toCurrency) wrong.toCurrency = 'Must differ from fromCurrency'
  const addressIn = (field: 'destinationAddress' | 'refundAddress', given: string): string =>
    addressField(wrong, field, 'svm', given, input) ?? given
  const amount = amountOf(context, input, wrong)
  const destinationAddress = addressIn('destinationAddress', input.destinationAddress)
  const refundAddress = input.refundAddress
    ? addressIn('refundAddress', input.refundAddress)
    : (provider.refundAddress ?? '')
  if (!refundAddress) wrong.refundAddress = 'Required in the live environment'
  const { SWAP_MAX_SLIPPAGE_PERCENT } = swapsSettings.from(context.runtime.settings)
  if (input.maxSlippagePercent > SWAP_MAX_SLIPPAGE_PERCENT)
    wrong.maxSlippagePercent = `Must be at most ${SWAP_MAX_SLIPPAGE_PERCENT}`
  refuseMistakes(wrong)
  return { amount, destinationAddress, refundAddress }
}

function amountOf({ runtime }: QueryContext, { amount, fromCurrency }: Input, wrong: Mistakes): bigint {
  const { SWAP_MIN_AMOUNT: least, SWAP_MAX_AMOUNT: most } = swapsSettings.from(runtime.settings)
  const asset = assetIn(fromCurrency)
  const units = amountField(wrong, 'amount', amount, asset)
  if (units === undefined) return 0n
  if (units < toMinor(least, asset)) wrong.amount = `Must be at least ${least} ${fromCurrency}`
  if (units > toMinor(most, asset)) wrong.amount = `Must be at most ${most} ${fromCurrency}`
  return units
}

/** Creates the prepared swap. */
export function createSwap(unit: UnitOfWork, input: Input, prepared: PreparedSwapRow): SwapRow {
  const { SWAP_EXPIRY_MINUTES } = swapsSettings.from(unit.runtime.settings)
  const expiresAt = new Date(Date.now() + SWAP_EXPIRY_MINUTES * 60_000)
  const slippageBasisPoints = basisPointsOf(input.maxSlippagePercent) ?? 0
  const row = createResource(unit, swapResource, {
    id: prepared.id,
    organisationId: unit.actor.organisationId,
    environment: unit.actor.environment,
    provider: prepared.provider,
    customerId: input.customerId ?? null,
    fromCurrency: input.fromCurrency,
    toCurrency: input.toCurrency,
    amount: prepared.amount,
    expectedAmount: prepared.quote.amountOut,
    minimumAmount: less(prepared.quote.amountOut, slippageBasisPoints),
    slippageBasisPoints,
    depositedAmount: 0n,
    returnedAmount: 0n,
    receivedAmount: null,
    fees: null,
    derivationIndex: prepared.derivationIndex,
    depositAddress: prepared.depositAddress,
    destinationAddress: prepared.destinationAddress,
    refundAddress: prepared.refundAddress,
    depositTxHash: null,
    swapTxHash: null,
    refundTxHash: null,
    failureReason: null,
    metadata: input.metadata ?? {},
    refusedQuotes: 0,
    expiresAt,
    depositsUntil: expiresAt,
    unexplainedAmount: null,
    otherHoldings: null,
    heldAt: null,
    releasedAt: null,
  })
  startPolls(unit, row)
  recordChoice(unit, row, prepared.choice)
  return row
}
