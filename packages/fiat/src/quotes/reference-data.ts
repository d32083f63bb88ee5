import { assetNamed } from '@payments/kernel'
import { onceOf, type QueryContext } from '@payments/platform'
import type { z } from 'zod'
import { accountRule } from '../accounts/account-rules.ts'
import { decimal } from '../currencies/amounts.ts'
import { type FiatCurrency, fiatCurrencies, isFiatCurrency } from '../currencies/currencies.ts'
import { errors } from '../errors.ts'
import type { Corridor, Institution, Offers } from '../provider/provider.ts'
import { allOffers, providerOf } from '../provider/providers.ts'
import type { BankList, CurrencyList } from '../schemas.ts'

const currencyLists = new WeakMap<Offers, z.input<typeof CurrencyList>>()
const bankLists = new WeakMap<readonly Institution[], z.input<typeof BankList>>()

/** The currencies that providers offer, with their corridors: the same object while they offer the same. */
export async function currencies(context: QueryContext): Promise<z.input<typeof CurrencyList>> {
  const offers = await allOffers(context)
  return onceOf(currencyLists, offers, () => present(offers))
}

function present(offers: Offers): z.input<typeof CurrencyList> {
  const rows = Object.entries(fiatCurrencies).flatMap(([code, { name, country }]) => {
    const limits = offers.currencies.find((each) => each.code === code)
    const corridors = offers.corridors.filter(({ currency }) => currency === code)
    if (!limits || corridors.length === 0) return []
    return {
      code,
      name,
      country,
      decimals: assetNamed(code).decimals,
      offramp: corridors.some(({ direction }) => direction === 'offramp'),
      onramp: corridors.some(({ direction }) => direction === 'onramp'),
      minAmount: decimal(limits.minAmount, code),
      maxAmount: decimal(limits.maxAmount, code),
      corridors: corridors.map(presentCorridor),
    }
  })
  return { currencies: rows, total: rows.length }
}

function presentCorridor({ direction, channel, currency, asset: symbol, networkKey, minAmount, maxAmount }: Corridor) {
  const [sourceCurrency, destinationCurrency] = direction === 'offramp' ? [symbol, currency] : [currency, symbol]
  return {
    direction,
    channel,
    sourceCurrency,
    destinationCurrency,
    networkKey,
    minAmount: decimal(minAmount, sourceCurrency),
    maxAmount: decimal(maxAmount, sourceCurrency),
  }
}

/** The banks and mobile money services of a currency: the same object as long as the provider returns the same. @throws fiat_currency_not_found 404 */
export async function banks(context: QueryContext, code: string): Promise<z.input<typeof BankList>> {
  const provider = await providerOf(context, code)
  const offered = (await provider.offers()).currencies.some((each) => each.code === code)
  if (!isFiatCurrency(code) || !offered) throw errors.fiat_currency_not_found()
  // A list of institutions is that of one currency.
  const institutions = await provider.institutions(code)
  return onceOf(bankLists, institutions, () => presentBanks(code, institutions))
}

function presentBanks(code: FiatCurrency, institutions: readonly Institution[]): z.input<typeof BankList> {
  const banks = institutions.map((institution) => {
    const rule = accountRule(code, institution)
    return {
      code: institution.code,
      name: institution.name,
      country: fiatCurrencies[code].country,
      type: institution.type,
      accountRule: { ...rule, channels: rule.channels && [...rule.channels] },
    }
  })
  return { banks, total: banks.length }
}
