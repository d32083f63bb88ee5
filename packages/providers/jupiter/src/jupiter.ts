import { ProviderError } from '@payments/provider-http'
import { type SwapSigners, type SwapsProvider, swapsErrors } from '@payments/swaps'
import { type JupiterOptions, jupiterClient } from './api/client.ts'
import { walletProblem } from './chain/accounts.ts'
import { depositReports } from './chain/deposits.ts'
import { mapErrors } from './chain/errors.ts'
import { historyReader } from './chain/history.ts'
import { rpcClient } from './chain/rpc.ts'
import { MINTS } from './chain/tokens.ts'
import { outcomeOf, send } from './transactions/outcome.ts'
import { type Preparation, prepareRefund, prepareSwap } from './transactions/prepare.ts'
import { prepareClose, readFeePayer } from './upkeep.ts'

export interface JupiterSwapsOptions extends JupiterOptions {
  readonly rpcUrl: string
  /** Undefined in a process that signs nothing. */
  readonly signers: SwapSigners | undefined
  /** Most that one transaction costs the fee payer, without rents. */
  readonly mostLamports: bigint
  /** Transactions of one page of a history; nodes allow 1000, the default. */
  readonly pageSize?: number
}

/**
 * Swaps over Jupiter. Jupiter names the instructions of a swap; this adapter checks and signs them, and reads and writes the
 * chain through a node of its own.
 */
export function jupiter(options: JupiterSwapsOptions): SwapsProvider {
  const rpc = rpcClient(options)
  const client = jupiterClient(options)
  const history = historyReader(rpc, options.pageSize)
  const preparation: Preparation = { rpc, jupiter: client, ...options }
  return {
    name: 'jupiter',

    // A wallet needs no preparation: the payer's transfer creates its token account.
    prepareAddress: async () => undefined,

    checkWallet: (address) => mapErrors(() => walletProblem(rpc, address)),

    quote: ({ from, to, amount }) =>
      mapErrors(async () => {
        const [inputMint, outputMint] = [MINTS[from], MINTS[to]]
        // Of the router only that `/build` uses: others may promise a price that a swap cannot have.
        const order = await client.order({
          inputMint,
          outputMint,
          amount: amount.toString(),
          excludeRouters: 'jupiterz,dflow,okx',
        })
        if (order === 'no_route') throw swapsErrors.swap_provider_unavailable({ retryAfter: 30 })
        if (order.inputMint !== inputMint || order.outputMint !== outputMint || order.inAmount !== amount)
          throw new ProviderError('unreadable', 'A quote of something else')
        return {
          amountOut: order.outAmount,
          priceImpactPercent: Math.abs(order.priceImpact ?? 0),
          source: 'jupiter',
        }
      }),

    deposits: (addresses) => mapErrors(() => depositReports(rpc, history, addresses)),
    prepareSwap: (request) => mapErrors(() => prepareSwap(preparation, request)),
    prepareRefund: (request) => mapErrors(() => prepareRefund(preparation, request)),
    prepareClose: (address) => mapErrors(() => prepareClose(preparation, address)),
    send: (transaction) => mapErrors(() => send(rpc, transaction)),
    outcome: (transaction) => mapErrors(() => outcomeOf(rpc, history, transaction)),
    readFeePayer: (after) => mapErrors(() => readFeePayer(preparation, history, after)),
  }
}
