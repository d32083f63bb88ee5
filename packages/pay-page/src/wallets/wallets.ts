import type { NetworkType, PaySession, View } from '../data.ts'

/**
 * What a code holds: the payment link with the amount, the link without it, or the address alone. The address alone is
 * always possible.
 */
export type CodeFormat = 'link' | 'link_without_amount' | 'address'

export interface Wallet {
  readonly key: string
  /** The name of the wallet, as its maker writes it; empty: another wallet. */
  readonly name: string
  /** What the wallet reads right, by kind of network. A kind that is not named is one that the wallet does not have. */
  readonly formats: Readonly<Partial<Record<NetworkType, CodeFormat>>>
  /** Why, for the table in the documentation. */
  readonly reason: string
}

/**
 * Wallets and the codes that they read right. Where wallets are known to misread a link, the safe format is the address:
 * some send EIP-681 transfers to the token contract, and Trust Wallet reads the amount of an SPL token a thousand times too
 * large. No link holds `reference` or `memo`: MetaMask refuses Solana Pay links with them.
 */
export const wallets: readonly Wallet[] = [
  {
    key: 'other',
    name: '',
    formats: { evm: 'address', svm: 'address', tvm: 'address' },
    reason: 'Nothing is known of it, and every wallet reads an address.',
  },
  {
    key: 'metamask',
    name: 'MetaMask',
    formats: { evm: 'link', svm: 'link' },
    reason: 'Reads EIP-681 token transfers, and Solana Pay links without `reference`.',
  },
  {
    key: 'phantom',
    name: 'Phantom',
    formats: { evm: 'address', svm: 'link' },
    reason: 'Reads Solana Pay; is not known to read EIP-681 token transfers.',
  },
  {
    key: 'solflare',
    name: 'Solflare',
    formats: { svm: 'link' },
    reason: 'Reads Solana Pay.',
  },
  {
    key: 'trust',
    name: 'Trust Wallet',
    formats: { evm: 'address', svm: 'link_without_amount', tvm: 'address' },
    reason:
      'Reads the amount of an SPL token a thousand times too large, and may send an EIP-681 transfer to the token contract.',
  },
  {
    key: 'coinbase',
    name: 'Coinbase Wallet',
    formats: { evm: 'address', svm: 'address' },
    reason: 'May send an EIP-681 transfer to the token contract.',
  },
  {
    key: 'tronlink',
    name: 'TronLink',
    formats: { tvm: 'address' },
    reason: 'Tron has no common format of payment links.',
  },
]

/** The wallets that have a network. */
export const walletsOn = (type: NetworkType): readonly Wallet[] => wallets.filter(({ formats }) => formats[type])

/** A payment link without its amount: the wallet asks for it. */
const withoutAmount = (uri: string): string =>
  uri
    .replace(/([?&])(?:amount|uint256|value)=[^&]*(&|$)/, (_all, before, after) => (after ? before : ''))
    .replace(/[?&]$/, '')

/** The text of a session's code, and what it is. */
export function codeOf(session: PaySession, view: View): { format: CodeFormat; text: string } {
  const type = view.networks[session.networkKey]?.type ?? 'tvm'
  const safe = (wallets.find(({ key }) => key === view.wallet) ?? wallets[0])?.formats[type] ?? 'address'
  const hasLink = session.paymentUri !== session.depositAddress
  const chosen =
    view.addressOnly === undefined ? safe : view.addressOnly ? 'address' : safe === 'address' ? 'link' : safe
  const format = hasLink ? chosen : 'address'
  if (format === 'address') return { format, text: session.depositAddress }
  return { format, text: format === 'link' ? session.paymentUri : withoutAmount(session.paymentUri) }
}
