import { assetNamed, networks, toMinor } from '@payments/kernel'
import { type FiatCurrency, fiatCurrencies } from '../currencies/currencies.ts'
import type { Corridor, Institution, Offers } from './provider.ts'

/** How long a deposit address or a payment account of the sandbox is open, and how long settlement takes. */
export const WINDOW_SECONDS = 1800
export const SETTLES_AFTER_SECONDS = 2

interface Market {
  readonly rate: string
  readonly minAmount: string
  readonly maxAmount: string
  readonly onramp: boolean
  readonly institutions: readonly Institution[]
}

const bank = (code: string, name: string): Institution => ({ code, name, type: 'bank' })
const wallet = (code: string, name: string): Institution => ({ code, name, type: 'mobile_money' })

/** Fixed rates (fiat for one unit of stablecoin), limits and a few institutions of each currency. */
const markets: Readonly<Record<FiatCurrency, Market>> = {
  NGN: {
    rate: '1580.25',
    minAmount: '500',
    maxAmount: '2000000000',
    onramp: true,
    institutions: [
      bank('044', 'Access Bank'),
      bank('058', 'Guaranty Trust Bank'),
      bank('033', 'United Bank for Africa'),
      bank('057', 'Zenith Bank'),
      bank('50211', 'Kuda'),
    ],
  },
  KES: {
    rate: '129.05',
    minAmount: '200',
    maxAmount: '200000000',
    onramp: true,
    institutions: [
      bank('EQBLKENA', 'Equity Bank'),
      bank('KCBLKENX', 'Kenya Commercial Bank'),
      wallet('SAFAKEPC', 'M-PESA'),
      wallet('AIRTKEPC', 'Airtel Money'),
    ],
  },
  UGX: {
    rate: '3650.5',
    minAmount: '1000',
    maxAmount: '5000000000',
    onramp: true,
    institutions: [bank('SBICUGKX', 'Stanbic Bank'), wallet('MOMOUGPC', 'MTN Mobile Money')],
  },
  TZS: {
    rate: '2610',
    minAmount: '1000',
    maxAmount: '4000000000',
    onramp: false,
    institutions: [bank('NMIBTZTZ', 'NMB Bank'), wallet('TIGOTZPC', 'Tigo Pesa')],
  },
  TND: {
    rate: '3.107',
    minAmount: '2',
    maxAmount: '4000000',
    onramp: true,
    institutions: [bank('BIATTNTT', 'Banque Internationale Arabe de Tunisie')],
  },
}

const STABLECOINS = ['USDC', 'USDT'] as const
const MIN_STABLECOIN = '1'
const MAX_STABLECOIN = '1000000'

/** Every stablecoin on every network, with every currency and channel. */
export const offers: Offers = {
  currencies: Object.entries(markets).map(([code, { minAmount, maxAmount }]) => ({
    code,
    minAmount: toMinor(minAmount, assetNamed(code)),
    maxAmount: toMinor(maxAmount, assetNamed(code)),
  })),
  corridors: Object.entries(markets).flatMap(([currency, market]) =>
    networks.flatMap((network) =>
      STABLECOINS.filter((symbol) => (network.currencies as readonly string[]).includes(symbol)).flatMap((symbol) =>
        [...new Set(market.institutions.map(({ type }) => type))].flatMap((channel): Corridor[] => {
          const common = {
            currency,
            channel,
            asset: symbol,
            networkKey: network.key,
            rate: market.rate,
            settlementSeconds: SETTLES_AFTER_SECONDS,
          }
          const limits = (least: string, most: string, code: string) => ({
            minAmount: toMinor(least, assetNamed(code)),
            maxAmount: toMinor(most, assetNamed(code)),
          })
          return [
            { ...common, direction: 'offramp', ...limits(MIN_STABLECOIN, MAX_STABLECOIN, symbol) },
            ...(market.onramp
              ? [{ ...common, direction: 'onramp' as const, ...limits(market.minAmount, market.maxAmount, currency) }]
              : []),
          ]
        }),
      ),
    ),
  ),
}

/** The market of a currency that the sandbox offers. */
export function marketOf(currency: string): Market {
  const market = Object.hasOwn(fiatCurrencies, currency) ? markets[currency as FiatCurrency] : undefined
  if (!market) throw new Error(`No market ${currency}`)
  return market
}
