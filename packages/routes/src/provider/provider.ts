import { type NetworkType, type Provider, port } from '@payments/kernel'
import type { CallbackRequest, SqlExecutor } from '@payments/platform'
import type { z } from 'zod'
import type { failureReasons } from '../failure-reasons.ts'
import type { sandboxOutcomes } from '../schemas.ts'

/** A network and currency at one end of a route, by their public names. */
export interface Leg {
  readonly networkKey: string
  readonly currency: string
}

/** What a provider supports on one network: currencies that can be deposited, and currencies that can be delivered. */
export interface Offer {
  readonly networkKey: string
  readonly origins: readonly string[]
  readonly destinations: readonly string[]
}

/** What the provider reports of one deposit, in the domain's terms. Amounts are minor units of the leg's currency. */
export interface DepositReport {
  /** The provider's id of the request. */
  readonly requestId: string
  /** An end whose amounts are not there yet is `pending`. */
  readonly status: 'pending' | 'completed' | 'failed' | 'refunded'
  /**
   * What was deposited, and where: usually the route's origin, but a provider may accept another currency that a payer sent. A token that
   * this service does not know is named by its contract, a chain by `chain:<id>`.
   */
  readonly origin: Leg
  /** Null: not known yet, only while pending. Zero for a token that this service does not know: its unit is unknown. */
  readonly originAmount: bigint | null
  readonly originAmountUsd: string | null
  readonly destinationAmount: bigint | null
  readonly destinationAmountUsd: string | null
  /**
   * Of a completed deposit: the part of it that was not needed and goes back. Of a refunded one: what arrives of the refund, without its fees. Absent
   * or null: the provider does not tell.
   */
  readonly returnedAmount?: bigint | null
  /** That part was sent: `returnedAmount` is what arrives at the refund address. Otherwise it is what is expected to. */
  readonly returnSent?: boolean
  /** The provider says that it cannot send that part back: `returnedAmount` is then zero, and sent. */
  readonly returnFailed?: boolean
  /**
   * The address can have no other deposit: then its request alone shows which one it is, and the transaction may be missing. Otherwise
   * the same money may be reported under several requests, which only its transaction shows.
   */
  readonly onlyDeposit?: boolean
  /** The payer's transaction. At one address it is one deposit, also when the provider replaces its request. */
  readonly depositTxHash: string | null
  readonly failureReason: z.infer<typeof failureReasons.Code> | null
  /** What in the provider's answer contradicts something else in it: nothing is believed until that ends, and operators are told at once. */
  readonly contradiction?: string | null
  /** The provider's own words for operators; never shown to a merchant. */
  readonly providerReason: string | null
  /** To which address a refund goes, where the provider tells. */
  readonly refundAddress?: string | null
  readonly updatedAt: Date
  /** When the payer's transaction was received, at the latest, where the provider tells. */
  readonly receivedAt?: Date | null
}

/** The contradiction of an answer whose amounts differ from what was seen on chain. */
export const DISAGREES = 'The amounts on chain and in the answer of the provider disagree'

/** An element of a provider's list that cannot be read: kept for operators, and skipped. */
export interface OddReport {
  readonly requestId: string | null
  readonly reason: string
  /** The element as it came. */
  readonly report: unknown
}

/** A poll of one address. */
export interface DepositQuery {
  readonly depositAddress: string
  readonly origin: Leg
  readonly destination: Leg
  /** Changes from this time on, null for the full history. Older ones may be included. */
  readonly since: Date | null
  /** Requests known to be pending: they are queried by id where the address's list leaves them out. */
  readonly pendingRequests: readonly string[]
}

/** The reports of a poll, and how many calls of {@link RoutesProvider.callsPerMinute} it used. */
export interface DepositPage {
  readonly reports: readonly DepositReport[]
  readonly odd?: readonly OddReport[]
  readonly calls: number
}

/** Addresses of this service whose deposits changed, and the time up to which the provider has told all changes. */
export interface DepositChanges {
  /** `version`: another one whenever the deposit changed. */
  readonly addresses: readonly { readonly address: string; readonly version: string }[]
  readonly until: Date
  readonly calls: number
}

/** An amount for which a deposit address is quoted: what the payer sends (`input`) or what is delivered (`output`), in minor units. */
export type QuotedAmount = { readonly input: bigint } | { readonly output: bigint }

/** What a provider can do, as its documents say. Nothing is probed. */
interface RoutesCapabilities {
  /** An address takes any number of payments of any amount, for ever. Otherwise: one payment of the quoted amount, until a time. */
  readonly reusableAddresses: boolean
}

/** An address that a provider gave, with what it quoted. Amounts are minor units. */
export interface QuotedAddress {
  readonly depositAddress: string
  /** What the payer must send for the quote, fees included. */
  readonly inputAmount?: bigint
  /** What is delivered for it, at least. */
  readonly outputAmount?: bigint
  /** What is expected to be delivered for it; absent: `outputAmount`. */
  readonly expectedAmount?: bigint
  /** The least that the provider promises to deliver; absent: it promises nothing. */
  readonly guaranteedAmount?: bigint
  /** What the provider says that the two amounts are worth, in US dollars. */
  readonly inputUsd?: string | null
  readonly expectedUsd?: string | null
  /** What a dispute with the provider needs, such as its signature of the quote. Without personal data. */
  readonly evidence?: Readonly<Record<string, unknown>>
}

/**
 * The interface of a payment route provider. Every call may throw the errors `provider_failed` (502) and `provider_unavailable`
 * (503), which carry none of the provider's own text to a merchant.
 */
export interface RoutesProvider extends Provider {
  readonly capabilities: RoutesCapabilities
  /** How many polling calls the provider allows per minute, over all processes. */
  readonly callsPerMinute: number
  /** How many deposit addresses may be created per minute, over all processes; absent: any number. */
  readonly quotesPerMinute?: number
  /** How many addresses one call of {@link depositsOf} reads. */
  readonly addressesPerCall?: number
  /** Default refund addresses of the sandbox. The live environment has none. */
  readonly refundAddresses?: Readonly<Record<NetworkType, string>>
  /** What can be deposited and delivered now. May be some hours old. */
  offers(): Promise<readonly Offer[]>
  /**
   * A fresh deposit address on the origin chain for this route. Calling it again creates another address, never a payment.
   * With `quote` the answer has `inputAmount`. A `strict` address takes the quoted amount alone: less is sent back, of more the
   * excess. An address that is not reusable takes money until `until` at least.
   */
  createDepositAddress(input: {
    routeId: string
    origin: Leg
    destination: Leg & { address: string }
    refundAddress: string
    quote?: QuotedAmount
    strict?: boolean
    until?: Date
  }): Promise<QuotedAddress>
  /** Every deposit at the address that changed, also when its request was replaced. */
  deposits(query: DepositQuery): Promise<DepositPage>
  /** The same for many addresses with one call: a page for each query, in their order; undefined where it could not be read. */
  depositsOf?(queries: readonly DepositQuery[]): Promise<readonly (DepositPage | undefined)[]>
  /** Which addresses have deposits that changed since a time: one call for all of them. */
  changes?(since: Date): Promise<DepositChanges>
  /**
   * Makes the provider look for money that arrived at an address on another network of the same kind, or in another currency: it looks
   * for neither by itself. `networkKey`: the network for which the address was created; `on`: the one to look at.
   * @returns in how many currencies it found money, which deposits report later
   */
  reindex?(input: { depositAddress: string; networkKey: string; on: string }): Promise<{ found: number }>
  /** The address that a callback is about; undefined for one that the provider did not sign. */
  callback?(request: CallbackRequest): { depositAddress: string | null } | undefined
}

/** The sandbox provider, with the payer's side of it. */
export interface SandboxRoutes extends RoutesProvider {
  /** A payer's transfer arrives, as part of the caller's transaction. It settles by itself with the given `outcome`. */
  simulateDeposit(
    db: SqlExecutor,
    input: {
      depositAddress: string
      amount: bigint
      networkKey: string
      currency: string
      outcome: (typeof sandboxOutcomes)[number]
    },
  ): Promise<{ requestId: string }>
}

export const routesProvider = port<RoutesProvider, SandboxRoutes>('routes', 'Payment routes are not available')
