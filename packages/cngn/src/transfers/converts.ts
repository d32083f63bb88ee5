import { invalid, newId, requestedAddress } from '@payments/kernel'
import { countPayout } from '@payments/ledger'
import {
  aboutObject,
  bestAnswer,
  checkPrice,
  createResource,
  type ProviderChoice,
  type QueryContext,
  recordChoice,
  refuseOwnAddresses,
  type UnitOfWork,
} from '@payments/platform'
import type { z } from 'zod'
import { readFeedSoon } from '../customers/read-feed.ts'
import { checkEnabled, checkMoneyOut, networkWith } from '../customers/rules.ts'
import { blank, type TransferRow } from '../entity.ts'
import { errors } from '../errors.ts'
import { checkLimits, minorAmount } from '../kinds/amounts.ts'
import { CNGN } from '../kinds/kinds.ts'
import { hold } from '../money/journal.ts'
import { checkTreasury, heldBy } from '../provider/holder.ts'
import { type ConvertTerms, convertOutProvider, customerAccountsProvider } from '../provider/provider.ts'
import { budgetOf } from '../provider/rate-budget.ts'
import { transferResources } from '../resources/resources.ts'
import type { NewConvert } from '../schemas.ts'
import { type Approval, approvalOf, sendOrWait } from './approvals.ts'

type Input = z.output<typeof NewConvert>

/** The least that is converted, in minor units of six decimals: one US dollar, a hundred naira. */
const LEAST = { stablecoin: 1_000_000n, cngn: 100_000_000n }

/** A checked request with the terms and the address of the provider. */
export interface PreparedConvert {
  /** Who converts cNGN out; null for converts into it. */
  readonly converter: string | null
  readonly choice: ProviderChoice | undefined
  readonly id: string
  readonly out: boolean
  readonly amount: bigint
  readonly terms: ConvertTerms
  /** Where the money that is converted is sent to. */
  readonly receive: { readonly networkKey: string; readonly address: string; readonly expiresAt: Date | null }
  readonly networkKey: string
  readonly destinationAddress: string | null
  readonly refundAddress: string | null
}

/**
 * Checks a request and asks the provider for an address and its terms, before any transaction. That moves no money.
 * @throws validation_failed 422, cngn_not_enabled 409, and the providers' 502 and 503
 */
export async function prepareConvert(context: QueryContext, input: Input): Promise<PreparedConvert> {
  const { fromCurrency: from, toCurrency: to } = input
  const out = from === CNGN
  if (out === (to === CNGN)) throw invalid({ toCurrency: out ? 'Must be USDC or USDT' : `Must be ${CNGN}` })
  await checkTreasury(context)
  const { environment } = context.actor
  const { providers } = context.runtime
  const accounts = out ? undefined : await providers.for(customerAccountsProvider, environment)
  const converters = out ? await providers.candidates(convertOutProvider, environment) : undefined
  const amount = minorAmount(input.amount, from)
  checkLimits(amount, from, out ? LEAST.cngn : LEAST.stablecoin)
  const network = networkWith(input.networkKey, out ? to : from)
  const id = newId()
  const common = { id, out, amount, networkKey: network.key }
  if (converters) {
    if (input.refundAddress) throw invalid({ refundAddress: `Must be absent: ${CNGN} goes back to the balance` })
    if (!input.destinationAddress) throw invalid({ destinationAddress: 'Required' })
    const destinationAddress = requestedAddress(network, input.destinationAddress, 'destinationAddress', input)
    await refuseOwnAddresses(context, { destinationAddress })
    await checkMoneyOut(context, input.customerId, amount)
    const { provider, answer, choice } = await bestAnswer(
      converters,
      async (converter) => {
        const terms = await converter.quote({ id, amount, toCurrency: to, networkKey: network.key, destinationAddress })
        await checkTerms(context, converter.name, { from, to, amount, terms })
        return terms
      },
      { rank: ({ convertedAmount }) => -convertedAmount, show: ({ convertedAmount }) => `${convertedAmount} units` },
    )
    const { networkKey, address, ...terms } = answer
    return {
      ...common,
      converter: provider.name,
      choice,
      terms,
      receive: { networkKey, address, expiresAt: null },
      destinationAddress,
      refundAddress: null,
    }
  }
  if (input.destinationAddress) throw invalid({ destinationAddress: `Must be absent: ${CNGN} goes to the balance` })
  const refundAddress = input.refundAddress
    ? requestedAddress(network, input.refundAddress, 'refundAddress', input)
    : null
  await refuseOwnAddresses(context, { refundAddress })
  await checkEnabled(context, input.customerId)
  if (!accounts) throw errors.cngn_provider_unavailable()
  const { address, expiresAt, ...terms } = await accounts.convertAddress(
    { id, fromCurrency: from, amount, networkKey: network.key },
    budgetOf(context, environment),
  )
  await checkTerms(context, accounts.name, { from, to, amount, terms })
  return {
    ...common,
    converter: null,
    choice: undefined,
    terms,
    receive: { networkKey: network.key, address, expiresAt },
    destinationAddress: null,
    refundAddress,
  }
}

/** What a converter offers for a convert out that was approved: its terms and address when it was created hold no longer. */
export type Requoted = Pick<TransferRow, 'fee' | 'convertedAmount' | 'rate' | 'receiveAt' | 'receiveNetworkKey'>

/**
 * Asks the converter of a convert out again, before any transaction. That moves no money.
 * @throws the providers' 502 and 503, also for a price that is wrong
 */
export async function requote(context: QueryContext, row: TransferRow): Promise<Requoted> {
  const { id, environment } = row
  const [from, to, amount] = [row.fromCurrency ?? CNGN, row.toCurrency ?? '', row.amount ?? 0n]
  const provider = context.runtime.providers.of(convertOutProvider, { provider: row.converter ?? '', environment })
  const { networkKey, address, ...terms } = await aboutObject(row, () =>
    provider.quote({
      ...{ id, amount, toCurrency: to },
      ...{ networkKey: row.networkKey ?? '', destinationAddress: row.address ?? '' },
    }),
  )
  await checkTerms(context, provider.name, { from, to, amount, terms })
  return {
    ...{ fee: terms.fee, convertedAmount: terms.convertedAmount, rate: terms.rate },
    ...{ receiveAt: address, receiveNetworkKey: networkKey },
  }
}

/** Nobody converts at a price that is wrong: what is converted, without the fee, and what it becomes. @throws cngn_provider_failed 503 */
const checkTerms = (
  context: QueryContext,
  provider: string,
  { from, to, amount, terms }: { from: string; to: string; amount: bigint; terms: ConvertTerms },
): Promise<void> =>
  checkPrice(
    context,
    provider,
    { from: { symbol: from, units: amount - terms.fee }, to: { symbol: to, units: terms.convertedAmount } },
    errors.cngn_provider_failed,
  )

/**
 * Creates the prepared convert. Out of cNGN its money is reserved and its order queued in the same transaction.
 * @throws cngn_insufficient_balance 422, payout_limit_exceeded 422, payout_destination_refused 422
 */
export async function createConvert(unit: UnitOfWork, input: Input, prepared: PreparedConvert): Promise<TransferRow> {
  const { id, out, amount, terms, receive, networkKey, destinationAddress } = prepared
  let limitDay: string | null = null
  let approval: Approval | undefined
  if (out && destinationAddress) {
    const destination = { type: 'wallet', networkKey, address: destinationAddress } as const
    limitDay = await countPayout(unit, { asset: CNGN, amount, destination, field: 'destinationAddress' })
    approval = await approvalOf(unit, amount)
    await hold(unit, { id, kind: 'convert', customerId: input.customerId }, amount)
  }
  const row = createResource(unit, transferResources.convert, {
    ...blank,
    id,
    organisationId: unit.actor.organisationId,
    environment: unit.actor.environment,
    kind: 'convert',
    customerId: input.customerId,
    ...heldBy(unit),
    converter: prepared.converter,
    amount,
    fee: terms.fee,
    metadata: input.metadata ?? {},
    fromCurrency: input.fromCurrency,
    toCurrency: input.toCurrency,
    convertedAmount: terms.convertedAmount,
    rate: terms.rate,
    receiveAt: receive.address,
    receiveNetworkKey: receive.networkKey,
    receiveAmount: amount,
    expiresAt: receive.expiresAt,
    dueAt: receive.expiresAt,
    networkKey,
    address: destinationAddress,
    refundAddress: prepared.refundAddress,
    limitDay,
    ...approval,
  })
  recordChoice(unit, row, prepared.choice)
  if (out) await sendOrWait(unit, row)
  else readFeedSoon(unit, row)
  return row
}
