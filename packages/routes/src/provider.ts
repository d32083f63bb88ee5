import { type NetworkType, port } from '@payments/kernel'
import type { CallbackRequest, SqlExecutor } from '@payments/platform'

/** Where money comes from or goes to, in a merchant's words. */
export interface Leg {
  readonly networkKey: string
  readonly currency: string
}

/** What a provider serves of one network: symbols that can be paid in, and symbols that can be delivered. */
export interface Offer {
  readonly networkKey: string
  readonly origins: readonly string[]
  readonly destinations: readonly string[]
}

/** What the provider says of one deposit, in the domain's words. Amounts are minor units of the leg's currency. */
export interface DepositReport {
  /** The provider's id of the request. */
  readonly requestId: string
  readonly status: 'pending' | 'completed' | 'failed' | 'refunded'
  /** What was paid in, and where: mostly what the route asks for, but payers err, and a provider may take that too. */
  readonly origin: Leg
  readonly originAmount: bigint
  readonly originAmountUsd: string | null
  readonly destinationAmount: bigint | null
  readonly destinationAmountUsd: string | null
  /** The payer's transaction. At one address it is one deposit, whatever requests it becomes one after another. */
  readonly depositTxHash: string | null
  readonly failureReason: string | null
  readonly updatedAt: Date
}

/** What to look for at one address. */
export interface DepositQuery {
  readonly depositAddress: string
  readonly origin: Leg
  readonly destination: Leg
  /** Changes from then on; null for ever. Older ones may come too. */
  readonly since: Date | null
  /** Requests known to be on their way: they are asked about even where the address's own list leaves them out. */
  readonly pendingRequests: readonly string[]
}

/** What a look found, and how many calls of {@link RoutesProvider.callsPerMinute} it took. */
export interface DepositPage {
  readonly reports: readonly DepositReport[]
  readonly calls: number
}

/**
 * What payment routes ask of a provider. Every call may throw the refusals `provider_failed` (502) and `provider_unavailable`
 * (503), which carry nothing of the provider's own text to a merchant.
 */
export interface RoutesProvider {
  /** How many calls of looks for deposits the provider allows in a minute, over all processes. */
  readonly callsPerMinute: number
  /** Where play money goes back to when nobody named an address. Real money has no such place. */
  readonly refundAddresses?: Readonly<Record<NetworkType, string>>
  /** What can be paid in and delivered now. May be some hours old. */
  offers(): Promise<readonly Offer[]>
  /** A fresh deposit address on the origin chain for this route. Repeating it makes another address, never a payment. */
  createDepositAddress(input: {
    routeId: string
    origin: Leg
    destination: Leg & { address: string }
    refundAddress: string
  }): Promise<{ depositAddress: string }>
  /** Every deposit at an address that changed, whatever request it became. */
  deposits(look: DepositQuery): Promise<DepositPage>
  /** The address that a callback is about; undefined for one that the provider did not sign. */
  callback?(request: CallbackRequest): { depositAddress: string | null } | undefined
}

/** The sandbox, with what a payer does in it. */
export interface SandboxRoutes extends RoutesProvider {
  /** A payer's transfer arrives, as part of the caller's transaction. It settles by itself as `outcome` says. */
  simulateDeposit(
    db: SqlExecutor,
    input: {
      depositAddress: string
      amount: bigint
      currency: string
      outcome: 'completed' | 'failed' | 'refunded'
    },
  ): Promise<{ requestId: string }>
}

export const routesProvider = port<RoutesProvider, SandboxRoutes>('Payment routes are not available')
