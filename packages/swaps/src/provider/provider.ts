import { type Provider, port } from '@payments/kernel'
import type { SqlExecutor } from '@payments/platform'
import type { Currency } from '../currencies.ts'
import type { sandboxOutcomes } from '../schemas.ts'

/** What a swap of `amount` minor units of `from` would give now. */
export interface QuoteRequest {
  readonly from: Currency
  readonly to: Currency
  readonly amount: bigint
}

/** An indicative price. */
export interface Quote {
  /** Minor units of `to`, fees deducted. */
  readonly amountOut: bigint
  /** How far the swap itself moves the price, in percent. */
  readonly priceImpactPercent: number
  /** Who quotes it. */
  readonly source: string
}

/** A finalized transfer to a deposit address. */
interface ChainDeposit {
  /** Identifies the transfer: the same in every report. */
  readonly txHash: string
  readonly amount: bigint
  /** The time of its block. */
  readonly at: Date
}

/** A finalized transaction that took something from a deposit address. */
export interface ChainWithdrawal {
  readonly signature: string
  /** What left the address, of the currency that it waits for. */
  readonly amount: bigint
  /** By what reached the addresses of the swap in the same transaction. `other`: nothing did. */
  readonly kind: 'swap' | 'refund' | 'other'
  /** What reached the destination, in the currency that is swapped into. */
  readonly receivedAmount: bigint
}

/** A token that nobody expects at a deposit address: its mint, or `SOL`, with the amount in its smallest unit as text. */
export interface OtherHolding {
  readonly token: string
  readonly amount: string
}

/** What the chain shows at a deposit address at the time of a report. */
interface Holdings {
  /** Of the currency that the address waits for. Equals the deposits less what was sent away. */
  readonly amount: bigint
  readonly others: readonly OtherHolding[]
  /** It has a token account that is empty, whose rent can be reclaimed. */
  readonly closable: boolean
}

/**
 * The deposits at an address since `WatchedAddress.readTo`, up to `finalizedAt`, the time of the newest finalized block; some later
 * ones may be included. All of them, when the address was never read.
 */
export interface DepositReport {
  readonly deposits: readonly ChainDeposit[]
  /** What left the address in the same time, our own transactions among it. Missing where the provider cannot tell. */
  readonly withdrawals?: readonly ChainWithdrawal[]
  /** How far the history of the address was read, opaque to the domain: the next report begins there. */
  readonly readTo: string | null
  /** False: the history is too long for one read, and the next report goes on. */
  readonly complete: boolean
  readonly finalizedAt: Date
  /** Missing where the provider cannot tell. */
  readonly holdings?: Holdings
}

/** The address of a swap and the currency that it waits for. */
export interface WatchedAddress {
  readonly depositAddress: string
  readonly currency: Currency
  /** What the report before has returned. */
  readonly readTo?: string | null
  /** Where the swap pays out, and where it sends back: they tell what a transaction was for. */
  readonly destinationAddress?: string
  readonly toCurrency?: Currency
  readonly refundAddress?: string
  /** By then something should be there. From that time of the chain on, what came and left is read although there is nothing. */
  readonly expectedBy?: Date
}

/** A complete, signed transaction that was not sent yet. Stored before it is sent, so that its outcome can always be asked for. */
export interface PreparedTransaction {
  /** Names the transaction on the network: known before it is sent. */
  readonly signature: string
  /** What the provider needs to send it, and to ask for its outcome. Opaque to the domain. */
  readonly payload: string
}

/** A deposit address with the index that its key is derived with. */
interface OwnAddress {
  readonly depositAddress: string
  readonly derivationIndex: number
  /** How far its history was read. */
  readonly readTo?: string | null
}

/** A transaction with what it costs the fee payer. */
export interface PaidTransaction extends PreparedTransaction {
  /** It creates the token account of its receiver, who can close it and keep the rent. */
  readonly createsAccount: boolean
  /** Fee and rent. */
  readonly costLamports: bigint
}

interface SwapRequest extends QuoteRequest, OwnAddress {
  readonly destinationAddress: string
  /** The least that must reach the destination: guaranteed by the transaction itself. */
  readonly minimumAmount: bigint
  readonly slippageBasisPoints: number
}

/** A transaction that swaps a deposit, or why there is none now. */
type PreparedSwap = PaidTransaction | { readonly refused: RefusedSwap }
export type RefusedSwap = 'price_moved' | 'no_route' | 'account_frozen'

interface RefundRequest extends OwnAddress {
  readonly currency: Currency
  readonly amount: bigint
  readonly refundAddress: string
  /** Whether the token account of the refund address may be created at the fee payer's cost. */
  readonly mayCreateAccount: boolean
}

/**
 * A transaction that sends a deposit back, or why it has to wait: the refund address has no token account, or the issuer of the currency has
 * frozen one of the two accounts.
 */
type PreparedRefund = PaidTransaction | { readonly waits: 'account_missing' | 'account_frozen' }

/**
 * What became of a transaction. `unknown`: the network has not seen it and may still accept it. `pending`: seen, not final.
 * `dropped`: it can never be accepted any more. `failed`: accepted without effect.
 */
export type TransactionOutcome =
  | { readonly status: 'unknown' }
  | { readonly status: 'pending' }
  | { readonly status: 'dropped' }
  /** `costLamports`: what it cost the fee payer; missing where the provider cannot tell. */
  | { readonly status: 'failed'; readonly costLamports?: bigint }
  | {
      readonly status: 'finalized'
      readonly costLamports?: bigint
      /** What reached the receiver; of a swap in the currency that was swapped into. */
      readonly receivedAmount: bigint
      /** Deducted before, in the same currency. */
      readonly fees: bigint
    }

/** A change of the fee payer's balance by one finalized transaction, in lamports. */
interface FeePayerChange {
  readonly signature: string
  readonly lamports: bigint
}

/** The wallet that pays the network's fees and rents of every transaction. */
export interface FeePayer {
  readonly address: string
  readonly lamports: bigint
  /** What changed it since `readTo`, oldest first; none while a long history is read in parts. With those before they sum up to `lamports`. */
  readonly changes: readonly FeePayerChange[]
  /** How far its history was read, opaque to the domain. */
  readonly readTo: string
}

/**
 * The interface of a swap provider. Every call may throw the errors `swap_provider_failed` (502) and
 * `swap_provider_unavailable` (503), which carry none of the provider's own text to a merchant. Only `send` moves money,
 * and sending a transaction again moves it once.
 */
export interface SwapsProvider extends Provider {
  /** Default refund address of the sandbox. The live environment has none. */
  readonly refundAddress?: string
  /** Makes the address of a new swap ready for deposits. Calling it again changes nothing. */
  prepareAddress(address: WatchedAddress): Promise<void>
  quote(request: QuoteRequest): Promise<Quote>
  /** Reports of many addresses at once, in the same order; an error for one that could not be read. */
  deposits(addresses: readonly WatchedAddress[]): Promise<readonly (DepositReport | Error)[]>
  /** Gets a fresh quote. The signed transaction delivers at least `minimumAmount`, or fails. */
  prepareSwap(request: SwapRequest): Promise<PreparedSwap>
  prepareRefund(request: RefundRequest): Promise<PreparedRefund>
  send(transaction: PreparedTransaction): Promise<void>
  outcome(transaction: PreparedTransaction): Promise<TransactionOutcome>
  /** What is wrong with a wallet as a receiver; undefined: nothing. Asked before a swap is created. */
  checkWallet?(address: string): Promise<string | undefined>
  /** A transaction that closes the empty token accounts of an address, whose rent goes back to the fee payer; null: none. */
  prepareClose?(address: OwnAddress): Promise<PreparedTransaction | null>
  /** The fee payer, and what changed its balance since `readTo` of the read before; null in a process without keys. */
  readFeePayer?(readTo: string | null): Promise<FeePayer | null>
}

/** The sandbox provider, with the payer's side of it. */
export interface SandboxSwaps extends SwapsProvider {
  /** A payer's transfer arrives, as part of the caller's transaction. `outcome`: how the swap of this address ends. */
  simulateDeposit(
    db: SqlExecutor,
    deposit: {
      readonly depositAddress: string
      readonly amount: bigint
      readonly outcome: (typeof sandboxOutcomes)[number]
    },
  ): Promise<{ readonly txHash: string }>
}

export const swapsProvider = port<SwapsProvider, SandboxSwaps>('swaps', 'Swaps are not available')
