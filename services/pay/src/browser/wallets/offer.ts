import { announce, data, find, onContent, stored, text, view } from '../page.ts'
import type { InjectedWallet, Sent } from './injected.ts'
import type { StandardWallet } from './standard.ts'

/** A wallet of this browser. */
interface Offered {
  readonly name: string
  /** Asks it for the payment. `asking` is called directly before: from then on it may have been sent. */
  send(asking: () => void): Promise<Sent>
}

const KEY = 'wallet'
/** In the order in which they announced themselves. */
const found = new Map<string, Offered>()
/** What became of a payment with a wallet, by the link that asked for it. */
let last: { readonly link: string; readonly sent: Sent } | undefined = readLast()
let isSending = false

/** Kept over a reload, so that a wallet is not asked twice. */
function readLast(): typeof last {
  const kept = stored((storage) => storage.getItem(KEY))
  return kept ? JSON.parse(kept) : undefined
}

const linkNow = (): string => data().session?.paymentUri ?? ''

/** How wallets of this browser announce themselves that may be asked; undefined: none is. */
const OFFERS = { evm: offerInjected, svm: offerStandard, tvm: undefined } as const

/** Offers the wallets of this browser that announce themselves. Where there is none, nothing more is loaded. */
export function offerWallets(): void {
  // Only money that moves is asked of a wallet: an address of the sandbox belongs to nobody.
  if (data().environment !== 'live') return
  OFFERS[view().networks[data().session?.networkKey ?? '']?.type ?? 'tvm']?.()
  onContent(write)
}

/** Those of EVM networks: EIP-6963. */
function offerInjected(): void {
  addEventListener('eip6963:announceProvider', (event) => {
    const wallet = (event as CustomEvent<InjectedWallet>).detail
    if (typeof wallet?.info?.uuid !== 'string' || typeof wallet.provider?.request !== 'function') return
    found.set(wallet.info.uuid, {
      name: wallet.info.name,
      send: async (asking) => (await import('./injected.ts')).sendWith(wallet, linkNow, asking),
    })
    write()
  })
  dispatchEvent(new Event('eip6963:requestProvider'))
}

/** Those of Solana: the Wallet Standard. Without a transaction from the service there is nothing to sign. */
function offerStandard(): void {
  if (data().transactionUrl === null) return
  const register = (...wallets: readonly StandardWallet[]) => {
    const names: string[] = []
    const add = async () => {
      const { isStandardWallet, sendWith } = await import('./standard.ts')
      for (const wallet of wallets.filter(isStandardWallet)) {
        const url = `/pay/${data().id}/transaction`
        found.set(wallet.name, { name: wallet.name, send: (asking) => sendWith(wallet, linkNow, url, asking) })
        names.push(wallet.name)
      }
      write()
    }
    add().catch(reportError)
    return () => {
      for (const name of names) found.delete(name)
      write()
    }
  }
  addEventListener('wallet-standard:register-wallet', (event) => {
    ;(event as CustomEvent<(api: { register: typeof register }) => void>).detail({ register })
  })
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register } }))
}

const PROBLEMS = { network: 'walletNetwork', refused: 'walletRefused', unknown: 'walletUnknown' } as const

function write(): void {
  const place = find('wallets')
  const status = find('wallet-status')
  if (!place || !status || found.size === 0) return
  const now = last?.link === linkNow() ? last.sent : undefined
  const isDone = now !== undefined && ('hash' in now || now.problem === 'unknown')
  // The page is in the browser of a wallet already.
  find('open-wallet')?.remove()
  // A wallet that may have sent it is not asked again.
  place.replaceChildren(...(isDone ? [] : [...found.values()].map(button)))
  status.replaceChildren(...(now ? said(now) : []))
}

function button(wallet: Offered): HTMLButtonElement {
  const element = document.createElement('button')
  element.type = 'button'
  element.className = 'primary'
  element.textContent = text('payWith', { wallet: wallet.name })
  element.disabled = isSending
  element.addEventListener('click', () => pay(wallet).catch(reportError))
  return element
}

function said(sent: Sent): Node[] {
  const line = document.createElement('p')
  if (!('hash' in sent)) {
    const network = view().networks[data().session?.networkKey ?? '']?.name ?? ''
    line.textContent = text(PROBLEMS[sent.problem], { network })
    return [line]
  }
  line.textContent = text('walletSent')
  const hash = document.createElement('code')
  hash.dir = 'ltr'
  hash.textContent = sent.hash
  return [line, hash]
}

async function pay(wallet: Offered): Promise<void> {
  const link = linkNow()
  isSending = true
  write()
  try {
    const keep = (sent: Sent) => {
      last = { link, sent }
      stored((storage) => storage.setItem(KEY, JSON.stringify(last)))
    }
    // A page that is left before the wallet answers does not know whether it was sent.
    keep(await wallet.send(() => keep({ problem: 'unknown' })))
  } finally {
    isSending = false
    write()
  }
  announce(find('wallet-status')?.firstChild?.textContent ?? '')
}
