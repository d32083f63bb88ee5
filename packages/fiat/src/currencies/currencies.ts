/**
 * The fiat currencies of this service. Decimals are those of `assets` (ISO 4217); a provider decides which are available. `mobile`: what follows the
 * calling code in a mobile number, as a regular expression, and an example, by the numbering plan of the country (ITU-T E.164 national plans: NCC,
 * CA, UCC, TCRA, INT). No trunk zero follows a calling code: a number with one may belong to another subscriber, or to none.
 */
export const fiatCurrencies = {
  NGN: { name: 'Nigerian naira', country: 'NG', callingCode: '234', mobile: ['[789][01]\\d{8}', '8030000000'] },
  KES: { name: 'Kenyan shilling', country: 'KE', callingCode: '254', mobile: ['[17]\\d{8}', '700000000'] },
  UGX: { name: 'Ugandan shilling', country: 'UG', callingCode: '256', mobile: ['7\\d{8}', '700000000'] },
  TZS: { name: 'Tanzanian shilling', country: 'TZ', callingCode: '255', mobile: ['[67]\\d{8}', '700000000'] },
  TND: { name: 'Tunisian dinar', country: 'TN', callingCode: '216', mobile: ['[2459]\\d{7}', '20000000'] },
} as const

export type FiatCurrency = keyof typeof fiatCurrencies

/** True for a currency of this service. */
export const isFiatCurrency = (code: string): code is FiatCurrency => Object.hasOwn(fiatCurrencies, code)

/** How money reaches an M-Pesa account: a phone, a till, or an account at a paybill. */
export const channels = ['mobile', 'till', 'paybill'] as const
