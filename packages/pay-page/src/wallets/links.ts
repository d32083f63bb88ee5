import type { NetworkType } from '../data.ts'

/** How a wallet opens a page in its own browser, where it can be asked for a payment as a wallet of the browser. */
export interface WalletLink {
  /** With `{url}` and `{origin}`, which are encoded, `{page}`, the address without its scheme, which is not, and `{coin}`: see {@link COINS}. */
  readonly link: string
  /** Kinds of networks on which the wallet's browser can be asked. */
  readonly types: readonly NetworkType[]
  readonly systems: readonly System[]
  /** The document that says so, for the table in the documentation. */
  readonly source: string
}

const systems = ['iOS', 'Android'] as const
export type System = (typeof systems)[number]

/**
 * Links that open a page in the browser of a wallet, by the key of the wallet. A link opens the page and names no amount, so none can be misread:
 * what is sent is what the page asks the wallet for. They work on phones only. TronLink opens pages too, but only of sites on its list, and a page cannot
 * ask it for a payment.
 */
export const walletLinks: Readonly<Partial<Record<string, WalletLink>>> = {
  metamask: {
    link: 'https://link.metamask.io/dapp/{page}',
    types: ['evm', 'svm'],
    systems,
    source: 'MetaMask developer documentation, “Use deeplinks”',
  },
  phantom: {
    link: 'https://phantom.app/ul/browse/{url}?ref={origin}',
    types: ['svm'],
    systems,
    source: 'Phantom developer documentation, “Browse”; it has some of the EVM networks only',
  },
  solflare: {
    link: 'https://solflare.com/ul/v1/browse/{url}?ref={origin}',
    types: ['svm'],
    systems,
    source: 'Solflare documentation, “Deeplinks: Browse”',
  },
  trust: {
    link: 'https://link.trustwallet.com/open_url?coin_id={coin}&url={url}',
    types: ['evm', 'svm'],
    systems,
    source: 'Trust Wallet developer documentation, “Deep linking”',
  },
  coinbase: {
    link: 'https://go.cb-w.com/dapp?cb_url={url}',
    types: ['evm'],
    systems,
    source: 'Coinbase Wallet documentation, “Mobile dapp integration”',
  },
}

/** Coins by which a wallet knows a kind of network: SLIP-44. */
const COINS: Readonly<Record<NetworkType, string>> = { evm: '60', svm: '501', tvm: '195' }

/** The system of a phone, by its header `User-Agent`; undefined for a desktop, where these links open nothing. */
export function systemOf(userAgent = ''): System | undefined {
  if (/iPhone|iPad|iPod/.test(userAgent)) return 'iOS'
  return userAgent.includes('Android') ? 'Android' : undefined
}

/** The links of the wallets that open a page on such a phone, by the key of the wallet. @param url the address of the page */
export function linksTo(url: string, type: NetworkType, system: System | undefined): Readonly<Record<string, string>> {
  if (!system) return {}
  const values: Readonly<Record<string, string>> = {
    url: encodeURIComponent(url),
    origin: encodeURIComponent(new URL(url).origin),
    page: url.replace(/^https?:\/\//, ''),
    coin: COINS[type],
  }
  const filled = (link: string) => link.replace(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? '')
  return Object.fromEntries(
    Object.entries(walletLinks).flatMap(([key, each]) =>
      each?.types.includes(type) && each.systems.includes(system) ? [[key, filled(each.link)]] : [],
    ),
  )
}
