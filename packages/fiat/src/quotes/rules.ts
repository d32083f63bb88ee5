import { amountField, assetNamed, invalid, type Mistakes, type Network, networkField } from '@payments/kernel'
import { accountMistakes, accountRule } from '../accounts/account-rules.ts'
import { decimal } from '../currencies/amounts.ts'
import { type FiatCurrency, isFiatCurrency } from '../currencies/currencies.ts'
import type { Account, Corridor, Direction, Institution, Offers } from '../provider/provider.ts'

/** What a request asks for, by the fields of both directions. */
interface Request {
  readonly amount: string
  readonly sourceCurrency: string
  readonly destinationCurrency: string
  readonly networkKey: string
}

/** A request that corridors allow. */
export interface Plan {
  readonly currency: FiatCurrency
  readonly asset: string
  readonly network: Network
  /** Minor units of the source currency. */
  readonly amount: bigint
  readonly corridors: readonly Corridor[]
}

/** The corridor of a transfer that is delivered as a stablecoin on a network. */
export const onrampCorridor = (
  corridors: readonly Corridor[],
  { currency, asset, networkKey }: Pick<Corridor, 'currency' | 'asset' | 'networkKey'>,
): Corridor | undefined =>
  corridors.find(
    (each) =>
      each.direction === 'onramp' &&
      each.channel === 'bank' &&
      each.currency === currency &&
      each.asset === asset &&
      each.networkKey === networkKey,
  )

const oneOf = (values: Iterable<string>): string => [...new Set(values)].join(', ')

/**
 * Validates currencies, network and amount against the corridors of the provider.
 * @throws validation_failed 422 that names every wrong field
 */
export function planOf(direction: Direction, request: Request, { corridors }: Offers): Plan {
  const offramp = direction === 'offramp'
  const [fiatField, assetField] = offramp
    ? (['destinationCurrency', 'sourceCurrency'] as const)
    : (['sourceCurrency', 'destinationCurrency'] as const)
  const currency = request[fiatField]
  const symbol = request[assetField]
  const open = corridors.filter((corridor) => corridor.direction === direction)
  const ofCurrency = open.filter((corridor) => corridor.currency === currency)
  const ofAsset = ofCurrency.filter((corridor) => corridor.asset === symbol)
  const found = ofAsset.filter((corridor) => corridor.networkKey === request.networkKey)
  const wrong: Mistakes = {}
  if (!isFiatCurrency(currency)) wrong[fiatField] = `Unknown currency "${currency}": see GET /fiat/currencies`
  else if (ofCurrency.length === 0) wrong[fiatField] = `Not available for ${direction}s: see GET /fiat/currencies`
  const assets = oneOf((ofCurrency.length > 0 ? ofCurrency : open).map((corridor) => corridor.asset))
  if (!open.some((corridor) => corridor.asset === symbol)) wrong[assetField] = `Must be one of ${assets}`
  else if (ofCurrency.length > 0 && ofAsset.length === 0) wrong[assetField] = `Must be one of ${assets} for ${currency}`
  const network = networkField(wrong, 'networkKey', request.networkKey)
  if (network && ofAsset.length > 0 && found.length === 0)
    wrong.networkKey = `Must be one of ${oneOf(ofAsset.map((corridor) => corridor.networkKey))} for ${symbol} and ${currency}`
  const source = offramp ? symbol : currency
  const known = !wrong.sourceCurrency
  const amount = known ? amountField(wrong, 'amount', request.amount, assetNamed(source)) : undefined
  if (amount !== undefined && found.length > 0) {
    const sorted = (amounts: bigint[]) => amounts.sort((a, b) => (a < b ? -1 : 1))
    const [least = 0n] = sorted(found.map(({ minAmount }) => minAmount))
    const most = sorted(found.map(({ maxAmount }) => maxAmount)).at(-1) ?? 0n
    limit(amount, least, most, source, wrong)
  }
  if (Object.keys(wrong).length > 0 || amount === undefined || !network || !isFiatCurrency(currency))
    throw invalid(wrong)
  return { currency, asset: symbol, network, amount, corridors: found }
}

function limit(amount: bigint, least: bigint, most: bigint, symbol: string, wrong: Mistakes): void {
  if (amount < least) wrong.amount = `Must be at least ${decimal(least, symbol)} ${symbol}`
  if (amount > most) wrong.amount = `Must be at most ${decimal(most, symbol)} ${symbol}`
}

/** The corridor of a plan over the channel of a bank. @throws validation_failed 422 */
export function corridorOver(plan: Plan, { type, name }: Institution, bankField: string, source: string): Corridor {
  const corridor = plan.corridors.find(({ channel }) => channel === type)
  if (!corridor)
    throw invalid({
      [bankField]: `${name} cannot be used with ${plan.asset} on ${plan.network.key} in ${plan.currency}`,
    })
  const wrong: Mistakes = {}
  limit(plan.amount, corridor.minAmount, corridor.maxAmount, source, wrong)
  if (wrong.amount) throw invalid(wrong)
  return corridor
}

/** The bank of an account, whose number fits its rule. @throws validation_failed 422 with the fields below `prefix` */
export function bankOf(institutions: readonly Institution[], account: Account, prefix: string): Institution {
  const institution = institutions.find(({ code }) => code === account.bankCode)
  if (!institution)
    throw invalid({
      [`${prefix}bankCode`]: `Unknown bank "${account.bankCode}": see GET /fiat/currencies/${account.currency}/banks`,
    })
  const rule = accountRule(account.currency as FiatCurrency, institution)
  const wrong = Object.entries(accountMistakes(rule, account))
  if (wrong.length > 0) throw invalid(Object.fromEntries(wrong.map(([field, text]) => [`${prefix}${field}`, text])))
  return institution
}

/**
 * The Nigerian bank of an account, whose number is a NUBAN.
 * @throws validation_failed 422 with the fields below `prefix`
 */
export const ngnBank = (
  banks: readonly Pick<Institution, 'code' | 'name'>[],
  account: Pick<Account, 'bankCode' | 'accountNumber'>,
  prefix: string,
): Institution =>
  bankOf(
    banks.map((bank) => ({ ...bank, type: 'bank' })),
    { currency: 'NGN', ...account },
    prefix,
  )

/** What a bank would send or receive is within the limits of its currency. @throws validation_failed 422 on `amount` */
export function checkFiatLimits({ currencies }: Offers, currency: string, fiat: bigint): void {
  const limits = currencies.find(({ code }) => code === currency)
  if (!limits) return
  const text = (units: bigint) => `${decimal(units, currency)} ${currency}`
  if (fiat < limits.minAmount)
    throw invalid({ amount: `Converts to ${text(fiat)}: must be at least ${text(limits.minAmount)}` })
  if (fiat > limits.maxAmount)
    throw invalid({ amount: `Converts to ${text(fiat)}: must be at most ${text(limits.maxAmount)}` })
}
