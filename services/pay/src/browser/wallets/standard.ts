// Wallets of the Wallet Standard on Solana. Loaded when one registers itself; it imports nothing of the page.
import type { Sent } from './injected.ts'

/** A wallet as it registers itself, as far as this page uses it. Its name is its own word. */
export interface StandardWallet {
  readonly name: string
  readonly chains: readonly string[]
  readonly features: {
    readonly [CONNECT]?: { connect(): Promise<{ readonly accounts: readonly Account[] }> }
    readonly [SEND]?: {
      readonly supportedTransactionVersions: readonly (string | number)[]
      signAndSendTransaction(input: {
        readonly account: Account
        readonly transaction: Uint8Array
        readonly chain: string
      }): Promise<readonly { readonly signature: Uint8Array }[]>
    }
  }
}

interface Account {
  readonly address: string
  readonly chains: readonly string[]
  readonly features: readonly string[]
}

const CONNECT = 'standard:connect'
const SEND = 'solana:signAndSendTransaction'
/** Payments are asked for on mainnet only. */
const CHAIN = 'solana:mainnet'
/** Of EIP-1193, which wallets use here too, and of the Wallet Standard. */
const REJECTED_BY_USER: readonly unknown[] = [4001, 4_001_000]
const TIMEOUT_MS = 15_000
const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Can the wallet be asked for a payment on Solana, with a transaction of version 0? */
export const isStandardWallet = (wallet: Partial<StandardWallet> | undefined): wallet is StandardWallet =>
  typeof wallet?.name === 'string' &&
  wallet.chains?.includes(CHAIN) === true &&
  wallet.features?.[CONNECT] !== undefined &&
  wallet.features[SEND]?.supportedTransactionVersions.includes(0) === true

/**
 * Asks the wallet to sign and send the transaction that the service builds for it: exactly what is missing.
 * @param current what is asked for at the moment @param url where the transaction is asked for
 * @param asking called directly before the wallet is asked: from then on it may have been sent
 */
export async function sendWith(
  { features }: StandardWallet,
  current: () => string,
  url: string,
  asking: () => void = () => undefined,
): Promise<Sent> {
  const asked = current()
  let account: Account | undefined
  let transaction: Uint8Array
  try {
    const accounts = (await features[CONNECT]?.connect())?.accounts
    account = accounts?.find(({ chains, features: able }) => chains.includes(CHAIN) && able.includes(SEND))
    if (!account) return { problem: 'network' }
    transaction = await transactionFor(account.address, url)
  } catch {
    return { problem: 'refused' }
  }
  // While the wallet asked its questions a payment may have arrived, or the time have ended.
  if (!asked || current() !== asked) return { problem: 'refused' }
  asking()
  try {
    const [sent] = (await features[SEND]?.signAndSendTransaction({ account, transaction, chain: CHAIN })) ?? []
    return sent?.signature.length === 64 ? { hash: base58(sent.signature) } : { problem: 'unknown' }
  } catch (error) {
    return { problem: REJECTED_BY_USER.includes(codeOf(error)) ? 'refused' : 'unknown' }
  }
}

/** @throws when the service gives none */
async function transactionFor(account: string, url: string): Promise<Uint8Array> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ account }),
    credentials: 'omit',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!reply.ok) throw new Error(`Status ${reply.status}`)
  const { transaction } = await reply.json()
  return Uint8Array.from(atob(transaction), (character) => character.charCodeAt(0))
}

function codeOf(error: unknown): unknown {
  const { code, context } = error as { code?: unknown; context?: { __code?: unknown } }
  return code ?? context?.__code
}

/** Bytes as Solana writes a signature. */
export function base58(bytes: Uint8Array): string {
  let value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  let text = ''
  for (; value > 0n; value /= 58n) text = DIGITS[Number(value % 58n)] + text
  // Each leading byte of zero is a digit of its own.
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text
}
