import { assets, toDecimal } from '@payments/kernel'
import type { Diagnosis } from '@payments/platform'
import { probe } from '@payments/provider-http'
import type { SwapSigners } from '@payments/swaps'
import { getMintDecoder, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { z } from 'zod'
import { jupiterClient } from './api/client.ts'
import { readGroup } from './chain/accounts.ts'
import { type Rpc, type RpcOptions, rpcClient } from './chain/rpc.ts'
import { DECIMALS, MINTS } from './chain/tokens.ts'
import type { JupiterSwapsOptions } from './jupiter.ts'
import { rehearseSwap } from './transactions/prepare.ts'

const TEN = 10_000_000n
/** The newest finalized slot is half a minute old. */
const BEHIND_SECONDS = 90
/** Nodes that keep the history of transactions tell a first block of years ago. */
const HISTORY_DAYS = 30
const DAY_SECONDS = 86_400

const NODE_ACTION =
  'SOLANA_RPC_URL must be a node of mainnet that follows it and keeps the history of transactions: ask its operator'

/** Asks the node for its network and its clock: what transactions of payers' wallets need without Jupiter. */
export const diagnoseNode = async (options: RpcOptions): Promise<readonly Diagnosis[]> => [
  await nodeProbe(rpcClient(options)),
]

const nodeProbe = (rpc: Rpc): Promise<Diagnosis> =>
  probe(
    'jupiter: node',
    async () => {
      const { at } = await readGroup(rpc, [], 'finalized')
      const age = Math.round((Date.now() - at.getTime()) / 1000)
      const message = `Its newest finalized block is ${age} s old`
      if (Math.abs(age) <= BEHIND_SECONDS) return message
      return { status: 'failed', message, action: `${NODE_ACTION}; or set this machine's clock` }
    },
    NODE_ACTION,
  )

/**
 * Asks the node for its network, its clock, its history, the mints and the fee payer, and Jupiter for a quote and for the instructions of
 * a swap, which are checked as before a signature. Nothing is signed.
 * @param leastLamports below this balance of the fee payer no swap is created: `SWAP_FEE_PAYER_MIN_SOL`
 */
export function diagnoseJupiter(options: JupiterSwapsOptions, leastLamports: bigint): Promise<readonly Diagnosis[]> {
  const rpc = rpcClient(options)
  const jupiter = jupiterClient(options)
  const { signers } = options
  const key = 'Compare JUPITER_API_KEY with the portal of Jupiter, and JUPITER_BASE_URL with its documents'
  const seed = { status: 'skipped' as const, message: 'This process has no SWAP_SEED' }

  return Promise.all([
    nodeProbe(rpc),
    probe(
      'jupiter: history of the node',
      async () => {
        const first = await rpc.read({ method: 'getFirstAvailableBlock', params: [], shape: z.number() })
        if (first === 0) return 'It keeps the history of transactions'
        const at = await rpc.read({ method: 'getBlockTime', params: [first], shape: z.number() })
        const days = (Date.now() / 1000 - at) / DAY_SECONDS
        if (days > HISTORY_DAYS) return `It keeps the transactions of ${Math.floor(days)} days`
        return {
          status: 'failed',
          message: `It keeps the transactions of ${days.toFixed(1)} days`,
          action: NODE_ACTION,
        }
      },
      NODE_ACTION,
    ),
    probe(
      'jupiter: mints',
      async () => {
        const accounts = await readGroup(rpc, Object.values(MINTS), 'finalized')
        for (const [symbol, mint] of Object.entries(MINTS)) {
          const account = accounts.get(mint)
          if (account?.owner !== TOKEN_PROGRAM_ADDRESS || getMintDecoder().decode(account.data).decimals !== DECIMALS)
            return {
              status: 'failed',
              message: `${symbol} is no token with ${DECIMALS} decimals at ${mint}`,
              action: NODE_ACTION,
            }
        }
        return `${Object.keys(MINTS).join(' and ')} are at their addresses`
      },
      NODE_ACTION,
    ),
    probe(
      'jupiter: fee payer',
      async () => {
        if (!signers) return seed
        const { address } = signers.feePayer
        const lamports = (await readGroup(rpc, [address], 'finalized')).get(address)?.lamports ?? 0n
        const message = `${address} has ${toDecimal(lamports, assets.SOL)} SOL`
        if (lamports >= leastLamports) return message
        const least = toDecimal(leastLamports, assets.SOL)
        return {
          status: 'failed',
          message,
          action: `Send it SOL: below ${least} (SWAP_FEE_PAYER_MIN_SOL) no swap is created`,
        }
      },
      NODE_ACTION,
    ),
    probe(
      'jupiter: quotes',
      async () => {
        const [inputMint, outputMint] = [MINTS.EURC, MINTS.USDC]
        const order = await jupiter.order({
          inputMint,
          outputMint,
          amount: TEN.toString(),
          excludeRouters: 'jupiterz,dflow,okx',
        })
        if (order === 'no_route')
          return { status: 'warning', message: 'No route for 10 EURC at the moment', action: 'Try again in a minute' }
        return `10 EURC are ${Number(order.outAmount) / 10 ** DECIMALS} USDC`
      },
      key,
    ),
    probe(
      'jupiter: instructions of a swap',
      async () => {
        if (!signers) return seed
        const outcome = await rehearseSwap({ ...options, rpc, jupiter, signers }, exampleOf(signers))
        if (outcome === 'accepted') return 'What /build answers passes every check before a signature'
        return { status: 'warning', message: `Not checked: ${outcome}`, action: 'Try again in a minute' }
      },
      `${key}. Instructions that are refused are never signed, and deposits go back: do not go live with swaps, and tell the maintainers`,
    ),
  ])
}

/** A swap from an address that nobody was given to the fee payer. */
const exampleOf = (signers: SwapSigners) => ({
  from: 'EURC' as const,
  to: 'USDC' as const,
  amount: TEN,
  minimumAmount: 1n,
  slippageBasisPoints: 50,
  derivationIndex: 2 ** 31 - 1,
  depositAddress: signers.deposit(2 ** 31 - 1).address,
  destinationAddress: signers.feePayer.address,
  readTo: null,
})
