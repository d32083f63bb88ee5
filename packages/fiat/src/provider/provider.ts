import { type NetworkType, type Provider, port } from '@payments/kernel'
import type { CallbackRequest, SqlExecutor } from '@payments/platform'
import type { channels } from '../currencies/currencies.ts'
import type { OfframpFailure, OnrampFailure } from '../failure-reasons.ts'

export type Direction = 'offramp' | 'onramp'

/** One way of money: a fiat currency over a channel, and a stablecoin on a network. Amounts are minor units of its source currency. */
export interface Corridor {
  readonly direction: Direction
  readonly currency: string
  readonly channel: 'bank' | 'mobile_money'
  readonly asset: string
  readonly networkKey: string
  readonly minAmount: bigint
  readonly maxAmount: bigint
  /** About how much fiat one unit of stablecoin sells for (offramp) or costs (onramp), before fees: decimal text that nobody holds. */
  readonly rate: string
  /** How long the provider usually needs once it has received the money. */
  readonly settlementSeconds: number
}

/** What a provider offers now. The limits of a currency are minor units of it, and hold for what a bank sends or receives. */
export interface Offers {
  readonly currencies: readonly { readonly code: string; readonly minAmount: bigint; readonly maxAmount: bigint }[]
  readonly corridors: readonly Corridor[]
}

/** A bank or a mobile money service. `code`: the central bank's for NGN, else the SWIFT code or the one that the sector uses. */
export interface Institution {
  readonly code: string
  readonly name: string
  readonly type: 'bank' | 'mobile_money'
}

export interface Account {
  readonly currency: string
  readonly bankCode: string
  readonly accountNumber: string
  readonly channel?: (typeof channels)[number] | undefined
  readonly businessNumber?: string | undefined
}

/** What a bank says of an account. `unresolved`: it tells no name, which does not mean that the account exists. */
export type AccountName =
  | { readonly status: 'verified'; readonly accountName: string }
  | { readonly status: 'unresolved' | 'not_found' }

export interface SellQuoteRequest {
  readonly amount: bigint
  readonly asset: string
  readonly networkKey: string
  readonly currency: string
}

/** A rate that the provider honours until `expiresAt`. `rate`: fiat for one unit of stablecoin, decimal text. `fee`: in the stablecoin. */
export interface SellQuote {
  readonly rate: string
  readonly fee: bigint
  /** What is paid out, in minor units of the currency. */
  readonly convertedAmount: bigint
  readonly expiresAt: Date
  /** What the provider needs to honour it. */
  readonly terms: string | null
}

interface NewOrder {
  /** Our order id: fixed before the call, and the same in every repetition. */
  readonly reference: string
  readonly asset: string
  readonly networkKey: string
  readonly currency: string
}
export interface NewOfframpOrder extends NewOrder {
  readonly amount: bigint
  readonly account: Account & { readonly accountName: string }
  readonly refundAddress: string
  readonly quote: Pick<SellQuote, 'rate' | 'terms'> | null
}
/**
 * What an onramp is for, in minor units: so much fiat, or so much stablecoin as its delivery. Of a delivery the provider asks for the least
 * transfer that brings it at the order's rate, its fees included.
 */
export type OnrampAmount = { readonly input: bigint } | { readonly output: bigint }
export interface NewOnrampOrder extends NewOrder {
  readonly amount: OnrampAmount
  readonly address: string
  readonly refundAccount: {
    readonly accountNumber: string
    readonly bankCode: string
    readonly accountName: string
  } | null
}

/** What the provider fixes when it accepts an order. `fee` is in the source currency. */
interface AcceptedOrder {
  readonly providerOrderId: string
  readonly rate: string
  readonly fee: bigint
  /** Figures that tell which reading of the provider's documents is right; without personal data. */
  readonly evidence?: Readonly<Record<string, string>>
}
export interface AcceptedOfframp extends AcceptedOrder {
  /** What is paid out for the amount of the order, in minor units of the currency. */
  readonly convertedAmount: bigint
  readonly deposit: { readonly address: string; readonly amount: bigint; readonly expiresAt: Date }
}
export interface AcceptedOnramp extends AcceptedOrder {
  /** What is delivered for what the account asks for. */
  readonly convertedAmount: bigint
  readonly paymentAccount: {
    readonly accountNumber: string
    readonly accountName: string
    readonly bankName: string
    readonly reference: string
    readonly amount: bigint
    readonly expiresAt: Date
  }
}

/** The order that a report is asked for. */
export interface OrderQuery {
  readonly direction: Direction
  readonly reference: string
  readonly providerOrderId: string
  readonly asset: string
  readonly networkKey: string
  readonly currency: string
  /** As fixed when the order was created, in the source currency: what is converted, and what the payer was asked for, fees included. */
  readonly amount: bigint
  readonly asked: bigint
  readonly rate: string
}

/** What the provider reports of an order. Amounts are minor units; null: as fixed when the order was created. */
export interface OrderReport {
  /** `received`: the money of the payer arrived. `settled`: the bank transfer was initiated (offramps only). */
  readonly status: 'waiting' | 'received' | 'settled' | 'delivered' | 'failed' | 'expired'
  /** In the source currency; null: nothing arrived. */
  readonly receivedAmount: bigint | null
  readonly convertedAmount: bigint | null
  readonly fee: bigint | null
  /** Of an offramp's deposit, or of an onramp's delivery. */
  readonly txHash: string | null
  readonly failureReason: OfframpFailure | OnrampFailure | null
  readonly refund: {
    readonly status: 'pending' | 'completed' | 'failed'
    readonly amount: bigint | null
    readonly txHash: string | null
  } | null
  /** The provider has the money and does not report the outcome. */
  readonly outcomeUnknown: boolean
  /** The provider says that it has transferred, and has not confirmed it: the transfer may still fail. An order that stays so needs an operator. */
  readonly unconfirmed?: boolean
  /** The provider cancelled the order and hides it: it may still assign it again, pay it out or send the money back. */
  readonly cancelled?: boolean
}

/** An order in the provider's list. */
export interface ListedOrder {
  /** As we gave it; null: it was not created here. */
  readonly reference: string | null
  readonly providerOrderId: string
  /** In the provider's words. */
  readonly status: string
  /** In the source currency, decimal text. */
  readonly amount: string
}

/**
 * The interface of a provider of local fiat. Calls may throw `fiat_provider_failed` (502), `fiat_provider_unavailable` (503)
 * and `validation_failed` (422, with the merchant's field); none carries the provider's own text.
 */
export interface FiatProvider extends Provider {
  /** How many polling calls the provider allows per minute, over all processes. */
  readonly callsPerMinute: number
  /** How many quotes, new orders and account checks it allows per minute, over all processes; absent: any number. */
  readonly newCallsPerMinute?: number
  /** Default refund addresses of the sandbox. The live environment has none. */
  readonly refundAddresses?: Readonly<Record<NetworkType, string>>
  /** May be some hours old. */
  offers(): Promise<Offers>
  institutions(currency: string): Promise<readonly Institution[]>
  /** `purpose`: the sandbox lets its magic accounts pass for an order, which then fails. May take as long as banks do. */
  accountName(account: Account, purpose: 'verification' | 'order'): Promise<AccountName>
  sellQuote(request: SellQuoteRequest): Promise<SellQuote>
  /** Creates an order, which moves no money: the payer's deposit does. An unfunded order expires by itself. */
  createOfframp(order: NewOfframpOrder): Promise<AcceptedOfframp>
  createOnramp(order: NewOnrampOrder): Promise<AcceptedOnramp>
  report(order: OrderQuery): Promise<{ readonly report: OrderReport; readonly calls: number }>
  /** Every order of the account that was created then or later. @throws ServiceError 502 where the list cannot be read to its end */
  ordersSince?(from: Date): Promise<readonly ListedOrder[]>
  /** The reference that a callback is about; undefined for one that the provider did not sign. */
  callback?(request: CallbackRequest): { readonly reference: string | null } | undefined
}

/** How a payment of the sandbox ends. `failed`: the provider keeps it and says no more; `blocked`: it holds it for a compliance review. */
type SimulatedOutcome = 'completed' | 'failed' | 'refunded' | 'blocked'

export interface SimulatedPayment {
  readonly reference: string
  readonly amount: bigint
  /** Default: `completed`. */
  readonly outcome?: SimulatedOutcome
}

/** The sandbox provider, with the payer's side of it. */
export interface SandboxFiat extends FiatProvider {
  /** The payer's money arrives, as part of the caller's transaction. False: the order has received money already. */
  simulatePayment(db: SqlExecutor, payment: SimulatedPayment): Promise<boolean>
}

export const fiatProvider = port<FiatProvider, SandboxFiat>('fiat', 'Local fiat is not available')
