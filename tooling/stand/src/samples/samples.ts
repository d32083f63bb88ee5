import { randomBytes } from 'node:crypto'
import { newId } from '@payments/kernel'

type Given = Readonly<Record<string, unknown>>

/** One typical object of a domain: how it is made, paid and read. */
export interface Sample {
  /** Where it is created and listed, and read with its id. */
  readonly path: string
  /** SQL: the ids of such objects of organisation `$1`. */
  readonly stored: string
  /** What creates it. */
  body(given?: Given): Given
  /** What lets its money arrive in the sandbox. */
  fund?(id: string, given?: Given): readonly [line: string, body: Given]
  /** Its status when the money has arrived and everything else has succeeded. */
  readonly ended?: string
}

/** A random EVM address. */
export const someWallet = (): string => `0x${randomBytes(20).toString('hex')}`

/** EVM and Solana addresses that are always the same. */
export const WALLETS = {
  evm: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  solana: '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA',
} as const

/** An ordinary BVN; the sandbox knows two that are not. */
export const BVN = '22212345678'

/** A Nigerian account to which payouts succeed. */
export const BANK_ACCOUNT = { accountNumber: '0123456789', bankCode: '058' } as const

const from = (table: string, condition = 'true'): string =>
  `select id from ${table} where organisation_id = $1 and ${condition}`

const cngn = <T extends object>(kind: 'payouts' | 'withdrawals' | 'converts' | 'deposits' | 'payins', typical: T) => ({
  path: `/v1/cngn/${kind}`,
  stored: from('cngn_transfers', `kind = '${kind.slice(0, -1)}'`),
  /** It needs the id of a customer with cNGN. */
  body: (given: Given = {}) => ({ ...typical, ...given }),
  fund: (id: string, given: Given = {}) =>
    [`POST /v1/sandbox/cngn/${kind}/${id}/${kind === 'payins' ? 'payments' : 'deposits'}`, given] as const,
  ended: 'completed',
})

export const samples = {
  customer: {
    path: '/v1/customers',
    stored: from('customers'),
    body: (given: Given = {}) => ({ name: 'Ada Obi', email: `${newId()}@example.com`, ...given }),
  },
  /** USDC on Ethereum to a new wallet on Base. */
  route: {
    path: '/v1/payment-routes',
    stored: from('payment_routes', 'not hidden'),
    body: (given: Given = {}) => ({
      name: 'Treasury',
      originChainKey: 'ethereum',
      destinationChainKey: 'base',
      destinationCurrency: 'USDC',
      destinationAddress: someWallet(),
      ...given,
    }),
    fund: (id: string, given: Given = {}) =>
      [`POST /v1/sandbox/payment-routes/${id}/deposits`, { amount: '10', ...given }] as const,
    ended: 'completed',
  },
  /** A link: 25 USDC on Base. */
  collection: {
    path: '/v1/collections',
    stored: from('collections'),
    body: (given: Given = {}) => ({
      type: 'link' as const,
      title: 'Consulting in January',
      amount: '25',
      currency: 'USDC' as const,
      destinationChainKey: 'base',
      destinationAddress: someWallet(),
      ...given,
    }),
    /** The id is that of a session of the collection. */
    fund: (id: string, given: Given = {}) => [`POST /v1/sandbox/checkout-sessions/${id}/payments`, given] as const,
    ended: 'paid',
  },
  swap: {
    path: '/v1/swaps',
    stored: from('swaps'),
    body: (given: Given = {}) => ({
      fromCurrency: 'EURC' as const,
      toCurrency: 'USDC' as const,
      amount: '100',
      destinationAddress: WALLETS.solana,
      ...given,
    }),
    fund: (id: string, given: Given = {}) => [`POST /v1/sandbox/swaps/${id}/deposits`, given] as const,
    ended: 'completed',
  },
  /** USDC on Base to a Nigerian account. */
  offramp: {
    path: '/v1/offramps',
    stored: from('offramps'),
    body: (given: Given = {}) => ({
      amount: '25',
      sourceCurrency: 'USDC',
      destinationCurrency: 'NGN',
      bankAccount: BANK_ACCOUNT,
      ...given,
    }),
    fund: (id: string, given: Given = {}) => [`POST /v1/sandbox/offramps/${id}/deposits`, given] as const,
    ended: 'delivered',
  },
  onramp: {
    path: '/v1/onramps',
    stored: from('onramps'),
    body: (given: Given = {}) => ({
      amount: '50000',
      sourceCurrency: 'NGN',
      destinationCurrency: 'USDC',
      networkKey: 'base',
      destinationAddress: WALLETS.evm,
      ...given,
    }),
    fund: (id: string, given: Given = {}) => [`POST /v1/sandbox/onramps/${id}/payments`, given] as const,
    ended: 'delivered',
  },
  payout: cngn('payouts', { amount: '100', bankAccount: BANK_ACCOUNT }),
  withdrawal: cngn('withdrawals', { amount: '100', networkKey: 'base', address: WALLETS.evm }),
  payin: cngn('payins', { amount: '5000' }),
  cngnDeposit: cngn('deposits', { networkKey: 'base' }),
  convert: cngn('converts', { amount: '100', fromCurrency: 'USDC', toCurrency: 'cNGN', networkKey: 'base' }),
} satisfies Record<string, Sample>

/** What a payer sends to the page of a collection to pay with USDC on Ethereum. */
export const START_SESSION = { action: 'start', networkKey: 'ethereum', currency: 'USDC' } as const
