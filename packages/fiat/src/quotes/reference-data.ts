import { assetNamed } from '@payments/kernel'
import type { QueryContext } from '@payments/platform'
import type { z } from 'zod'
import { accountRule } from '../accounts/account-rules.ts'
import { errors } from '../api/errors.ts'
import type { BankList, CurrencyList } from '../api/schemas.ts'
import type { Corridor, Offers } from '../provider/provider.ts'
import { allOffers, providerOf } from '../provider/providers.ts'
import { decimal } from './amounts.ts'
import { type FiatCurrency, fiatCurrencies, isFiatCurrency } from './currencies.ts'

const presented = new WeakMap<Offers, z.input<typeof CurrencyList>>()

/** The currencies that providers offer, with their corridors. */
export async function currencies(context: QueryContext): Promise<z.input<typeof CurrencyList>> {
  const offers = await allOffers(context)
  const known = presented.get(offers) ?? present(offers)
  presented.set(offers, known)
  return known
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

/** The banks and mobile money services of a currency. @throws fiat_currency_not_found 404 */
export async function banks(context: QueryContext, code: string): Promise<z.input<typeof BankList>> {
  const provider = await providerOf(context, code)
  const offered = (await provider.offers()).currencies.some((each) => each.code === code)
  if (!isFiatCurrency(code) || !offered) throw errors.fiat_currency_not_found()
  const rows = (await provider.institutions(code)).map((institution) => {
    const rule = accountRule(code satisfies FiatCurrency, institution)
    return {
      code: institution.code,
      name: institution.name,
      country: fiatCurrencies[code].country,
      type: institution.type,
      accountRule: { ...rule, channels: rule.channels && [...rule.channels] },
    }
  })
  return { banks: rows, total: rows.length }
}
