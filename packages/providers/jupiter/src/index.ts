/** Jupiter (jup.ag): swaps on Solana, whose instructions are checked and signed here. */
// Order, lowest first: settings, chain, api, transactions, payer-transfer, upkeep, jupiter, diagnose, recovery.
import { walletTransactions } from '@payments/collections'
import { assets, bind, toMinor } from '@payments/kernel'
import type { LiveAdapter, Settings } from '@payments/platform'
import { signersOf, swapsProvider, swapsSettings } from '@payments/swaps'
import type { JupiterSwapsOptions } from './jupiter.ts'
import type { Recovery } from './recovery.ts'
import { jupiterSettings } from './settings.ts'

/** Transactions for payers' wallets on Solana once `SOLANA_RPC_URL` is set, and swaps over Jupiter with `JUPITER_API_KEY` too. */
export const jupiterAdapter: LiveAdapter = {
  name: 'jupiter',
  callbacks: false,
  settings: jupiterSettings,
  async bindings(settings) {
    const { SOLANA_RPC_URL: rpcUrl } = jupiterSettings.from(settings)
    if (!rpcUrl) return []
    const { payerTransactions } = await import('./payer-transfer.ts')
    const transactions = bind(walletTransactions, 'live', payerTransactions({ rpcUrl }))
    const options = optionsOf(settings)
    if (!options) return [transactions]
    const { jupiter } = await import('./jupiter.ts')
    return [bind(swapsProvider, 'live', jupiter(options)), transactions]
  },
  async diagnose(settings) {
    const { SOLANA_RPC_URL: rpcUrl } = jupiterSettings.from(settings)
    if (!rpcUrl) return []
    const { diagnoseJupiter, diagnoseNode } = await import('./diagnose.ts')
    const options = optionsOf(settings)
    if (!options) return diagnoseNode({ rpcUrl })
    return diagnoseJupiter(options, toMinor(swapsSettings.from(settings).SWAP_FEE_PAYER_MIN_SOL, assets.SOL))
  },
}

function optionsOf(settings: Settings): JupiterSwapsOptions | undefined {
  const { JUPITER_API_KEY, JUPITER_BASE_URL, SOLANA_RPC_URL, JUPITER_MAX_FEE_SOL } = jupiterSettings.from(settings)
  if (!JUPITER_API_KEY || !SOLANA_RPC_URL) return undefined
  return {
    baseUrl: JUPITER_BASE_URL,
    apiKey: JUPITER_API_KEY,
    rpcUrl: SOLANA_RPC_URL,
    signers: signersOf(settings, 'live'),
    mostLamports: toMinor(JUPITER_MAX_FEE_SOL, assets.SOL),
  }
}

/** Access to the live deposit addresses, to recover what is left there; undefined without `SOLANA_RPC_URL`. */
export async function recovery(settings: Settings): Promise<Recovery | undefined> {
  const { recovery: loaded } = await import('./recovery.ts')
  return loaded(settings)
}

export type { Held, Recovery } from './recovery.ts'
