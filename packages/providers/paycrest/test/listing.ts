import type { Wire } from './book.ts'

// What the fake lists: currencies, banks and tokens.

export const CURRENCIES = [
  { code: 'NGN', decimals: 2, rate: '1580.25' },
  { code: 'KES', decimals: 2, rate: '129.05' },
  { code: 'UGX', decimals: 0, rate: '3650.5' },
  { code: 'GHS', decimals: 2, rate: '12.5' },
]
export const INSTITUTIONS: Record<string, Wire[]> = {
  NGN: [
    { name: 'Guaranty Trust Bank', code: 'GTBINGLA', type: 'bank' },
    { name: 'Zenith Bank', code: 'ZEIBNGLA', type: 'bank' },
    { name: 'OPay', code: 'OPAYNGPC', type: 'mobile_money' },
    { name: 'Another Bank', code: 'WEMANGLA', type: 'bank' },
    { name: 'Bank without a code', code: 'NOCBNGPC', type: 'bank' },
  ],
  KES: [
    { name: 'Equity Bank', code: 'EQBLKENA', type: 'bank' },
    { name: 'M-PESA', code: 'SAFAKEPC', type: 'mobile_money' },
  ],
  UGX: [{ name: 'MTN', code: 'MOMOUGPC', type: 'mobile_money' }],
  GHS: [],
}
export const TOKENS: Record<string, Wire[]> = Object.fromEntries(
  ['ethereum', 'base', 'arbitrum-one', 'polygon', 'tron'].map((network) => [
    network,
    ['USDC', 'USDT', 'cNGN'].map((symbol) => ({
      symbol,
      decimals: 6,
      network,
      baseCurrency: 'USD',
      contractAddress: '0x1',
    })),
  ]),
)
