// Wallets that are in the browser (EIP-6963, EIP-1193). Loaded when one announces itself; it imports nothing of the page.

/** A wallet as it announces itself. Its name is its own word. */
export interface InjectedWallet {
  readonly info: { readonly uuid: string; readonly name: string }
  readonly provider: { request(call: { method: string; params?: readonly unknown[] }): Promise<unknown> }
}

/** What a payment link (EIP-681) asks for. */
interface Asked {
  readonly chainId: number
  readonly to: string
  readonly value: bigint
  readonly data: string | undefined
}

export type Sent =
  | { readonly hash: string }
  /** `network`: the wallet stays on another one. `refused`: nothing was sent. `unknown`: the wallet did not say. */
  | { readonly problem: 'network' | 'refused' | 'unknown' }

const ADDRESS = /^0x[\da-f]{40}$/i
const TRANSFER = 'a9059cbb'
const WORD = 64
const REJECTED_BY_USER = 4001

const word = (hex: string): string => hex.toLowerCase().padStart(WORD, '0')

/** Reads a link as this service writes it; undefined for any other. */
export function askedBy(link: string): Asked | undefined {
  const [, target = '', chain = '', call, query = ''] = link.match(/^ethereum:(0x\w+)@(\d+)(\/transfer)?\?(.*)$/) ?? []
  const given = new URLSearchParams(query)
  const amount = given.get(call ? 'uint256' : 'value') ?? ''
  if (!ADDRESS.test(target) || !/^[1-9]\d*$/.test(amount)) return undefined
  const chainId = Number(chain)
  if (!call) return { chainId, to: target, value: BigInt(amount), data: undefined }
  const payee = given.get('address') ?? ''
  if (!ADDRESS.test(payee)) return undefined
  const data = `0x${TRANSFER}${word(payee.slice(2))}${word(BigInt(amount).toString(16))}`
  return { chainId, to: target, value: 0n, data }
}

/**
 * Asks the wallet to send exactly what the link asks for, on its network.
 * @param current the link at the moment before it is sent @param asking called directly before: from then on it may have been sent
 */
export async function sendWith(
  { provider }: InjectedWallet,
  current: () => string,
  asking: () => void = () => undefined,
): Promise<Sent> {
  const asked = askedBy(current())
  if (!asked) return { problem: 'refused' }
  const chainId = `0x${asked.chainId.toString(16)}`
  const isOnChain = async () => Number(await provider.request({ method: 'eth_chainId' })) === asked.chainId
  let from: unknown
  try {
    ;[from] = (await provider.request({ method: 'eth_requestAccounts' })) as unknown[]
  } catch {
    return { problem: 'refused' }
  }
  try {
    if (!(await isOnChain())) await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
    if (!(await isOnChain())) return { problem: 'network' }
  } catch {
    return { problem: 'network' }
  }
  // While the wallet asked its questions a payment may have arrived, or the time have ended.
  const now = askedBy(current())
  if (typeof from !== 'string' || JSON.stringify(plain(now)) !== JSON.stringify(plain(asked)))
    return { problem: 'refused' }
  const { to, value, data } = asked
  const transaction = { from, to, value: `0x${value.toString(16)}`, chainId, ...(data ? { data } : {}) }
  asking()
  try {
    const hash = await provider.request({ method: 'eth_sendTransaction', params: [transaction] })
    return typeof hash === 'string' ? { hash } : { problem: 'unknown' }
  } catch (error) {
    return { problem: (error as { code?: unknown }).code === REJECTED_BY_USER ? 'refused' : 'unknown' }
  }
}

const plain = (asked: Asked | undefined) => asked && { ...asked, value: String(asked.value) }
