import { randomBytes } from 'node:crypto'
import { type Signer, type SwapSigners, type SwapsProvider, signersFrom } from '@payments/swaps'
import type { SwapsWorld } from '#testing'
import { jupiter } from '../src/jupiter.ts'
import { Chain } from './chain.ts'
import { API_KEY, type Exchange, startExchange } from './exchange.ts'
import type { Tls } from './listen.ts'
import { type Node, startNode } from './node.ts'

export interface World extends SwapsWorld {
  readonly chain: Chain
  readonly node: Node
  readonly exchange: Exchange
  readonly provider: SwapsProvider
  readonly signers: SwapSigners
  /** What was signed so far, by address. */
  readonly signed: string[]
  close(): Promise<void>
}

export const MOST_LAMPORTS = 1_000_000n

/** A chain with a node and Jupiter's server on loopback, and the adapter that talks to both. */
export async function startWorld(
  options: {
    readonly seed?: Uint8Array
    readonly tls?: Tls
    readonly retryMs?: number
    readonly pageSize?: number
  } = {},
): Promise<World> {
  const chain = await Chain.start()
  const [node, exchange] = [await startNode(chain, options.tls), await startExchange(chain, options.tls)]
  const signed: string[] = []
  const recorded = (signer: Signer): Signer => ({
    address: signer.address,
    sign(message) {
      signed.push(signer.address)
      return signer.sign(message)
    },
  })
  const keys = signersFrom(options.seed ?? randomBytes(32), 'live')
  const signers = { feePayer: recorded(keys.feePayer), deposit: (index: number) => recorded(keys.deposit(index)) }
  await chain.payLamports(signers.feePayer.address, 10_000_000_000n)
  let index = 0
  const provider = jupiter({
    baseUrl: exchange.url,
    apiKey: API_KEY,
    rpcUrl: node.url,
    signers,
    mostLamports: MOST_LAMPORTS,
    retryMs: options.retryMs ?? 1,
    restMs: 50,
    timeoutMs: 5000,
    ...(options.pageSize ? { pageSize: options.pageSize } : {}),
  })
  return {
    chain,
    node,
    exchange,
    provider,
    signers,
    signed,
    async newAddress() {
      const derivationIndex = index++
      return { derivationIndex, depositAddress: signers.deposit(derivationIndex).address }
    },
    async pay(depositAddress, amount) {
      await chain.pay(depositAddress, 'EURC', amount)
      chain.advance()
    },
    settle: async () => chain.advance(),
    close: async () => void (await Promise.all([node.close(), exchange.close()])),
  }
}
