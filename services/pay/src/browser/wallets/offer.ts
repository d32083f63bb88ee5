import { announce, data, find, onContent, stored, text, view } from '../page.ts'
import type { InjectedWallet, Sent } from './injected.ts'

const KEY = 'wallet'
/** Wallets in the browser, in the order in which they announced themselves. */
const found = new Map<string, InjectedWallet>()
/** What became of a payment with a wallet, by the link that asked for it. */
let last: { readonly link: string; readonly sent: Sent } | undefined = readLast()
let isSending = false

/** Kept over a reload, so that a wallet is not asked twice. */
function readLast(): typeof last {
  const kept = stored((storage) => storage.getItem(KEY))
  return kept ? JSON.parse(kept) : undefined
}

const linkNow = (): string => data().session?.paymentUri ?? ''

/** Only money that moves is asked of a wallet: an address of the sandbox belongs to nobody. */
const isPayable = (): boolean =>
  data().environment === 'live' && view().networks[data().session?.networkKey ?? '']?.type === 'evm'

/** Offers the wallets of this browser that announce themselves (EIP-6963). Where there is none, nothing more is loaded. */
export function offerWallets(): void {
  if (!isPayable()) return
  addEventListener('eip6963:announceProvider', (event) => {
    const wallet = (event as CustomEvent<InjectedWallet>).detail
    if (typeof wallet?.info?.uuid !== 'string' || typeof wallet.provider?.request !== 'function') return
    found.set(wallet.info.uuid, wallet)
    write()
  })
  dispatchEvent(new Event('eip6963:requestProvider'))
  onContent(write)
}

const PROBLEMS = { network: 'walletNetwork', refused: 'walletRefused', unknown: 'walletUnknown' } as const

function write(): void {
  const place = find('wallets')
  const status = find('wallet-status')
  if (!place || !status || found.size === 0) return
  const now = last?.link === linkNow() ? last.sent : undefined
  const isDone = now !== undefined && ('hash' in now || now.problem === 'unknown')
  // A wallet that may have sent it is not asked again.
  place.replaceChildren(...(isDone ? [] : [...found.values()].map(button)))
  status.replaceChildren(...(now ? said(now) : []))
}

function button(wallet: InjectedWallet): HTMLButtonElement {
  const element = document.createElement('button')
  element.type = 'button'
  element.className = 'primary'
  element.textContent = text('payWith', { wallet: wallet.info.name })
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

async function pay(wallet: InjectedWallet): Promise<void> {
  const link = linkNow()
  isSending = true
  write()
  try {
    const { sendWith } = await import('./injected.ts')
    const keep = (sent: Sent) => {
      last = { link, sent }
      stored((storage) => storage.setItem(KEY, JSON.stringify(last)))
    }
    // A page that is left before the wallet answers does not know whether it was sent.
    keep(await sendWith(wallet, linkNow, () => keep({ problem: 'unknown' })))
  } finally {
    isSending = false
    write()
  }
  announce(find('wallet-status')?.firstChild?.textContent ?? '')
}
