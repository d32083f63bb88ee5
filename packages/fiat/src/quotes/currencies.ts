/** The fiat currencies of this service. Decimals are those of `assets` (ISO 4217); a provider decides which are available. */
export const fiatCurrencies = {
  NGN: { name: 'Nigerian naira', country: 'NG', callingCode: '234' },
  KES: { name: 'Kenyan shilling', country: 'KE', callingCode: '254' },
  UGX: { name: 'Ugandan shilling', country: 'UG', callingCode: '256' },
  TZS: { name: 'Tanzanian shilling', country: 'TZ', callingCode: '255' },
  TND: { name: 'Tunisian dinar', country: 'TN', callingCode: '216' },
} as const

export type FiatCurrency = keyof typeof fiatCurrencies

/** True for a currency of this service. */
export const isFiatCurrency = (code: string): code is FiatCurrency => Object.hasOwn(fiatCurrencies, code)

/** How money reaches an M-Pesa account: a phone, a till, or an account at a paybill. */
export const channels = ['mobile', 'till', 'paybill'] as const
