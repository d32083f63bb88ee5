import { type Provider, port } from '@payments/kernel'

/** What a wallet is asked to sign. */
export interface WalletTransfer {
  /** Address of the wallet, which pays the fees too. */
  readonly payer: string
  /** Address of the receiver: that of a wallet, whose token account gets a token. */
  readonly payee: string
  readonly currency: string
  /** Minor units of the currency. */
  readonly units: bigint
}

/** Builds transactions for wallets that are asked for a whole transaction instead of its parts. It signs nothing and sends nothing. */
export interface WalletTransactions extends Provider {
  readonly networkKey: string
  /** Transactions that it builds in a minute, over all processes. */
  readonly callsPerMinute: number
  /**
   * An unsigned transaction that sends exactly these units and nothing else, in base64.
   * @throws transaction_failed 502, transaction_unavailable 503
   */
  build(transfer: WalletTransfer): Promise<string>
}

export const walletTransactions = port<WalletTransactions>('wallets', 'Transactions for wallets are not available')
