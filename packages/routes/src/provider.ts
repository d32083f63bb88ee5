import { port } from '@payments/kernel'

/** Where money comes from or goes to, in a merchant's words. */
export interface Leg {
  readonly networkKey: string
  readonly currency: string
}

/** What the provider says of one deposit, in the domain's words. Amounts are minor units of the leg's currency. */
export interface DepositReport {
  /** The provider's id of the request; one deposit has one. */
  readonly requestId: string
  readonly status: 'pending' | 'completed' | 'failed' | 'refunded'
  readonly originAmount: bigint
  readonly originAmountUsd: string | null
  readonly destinationAmount: bigint | null
  readonly destinationAmountUsd: string | null
  readonly depositTxHash: string | null
  readonly failureReason: string | null
  readonly updatedAt: Date
}

/** An HTTP request that claims to come from the provider. `body`: the bytes as they came. */
export interface ProviderCallback {
  readonly body: Buffer
  header(name: string): string | undefined
}

/**
 * What payment routes ask of a provider. Every call may throw the refusals `provider_failed` (502) and `provider_unavailable`
 * (503), which carry nothing of the provider's own text to a merchant.
 */
export interface RoutesProvider {
  /** How many looks for deposits the provider allows in a minute, over all processes. */
  readonly callsPerMinute: number
  /** A fresh deposit address on the origin chain for this route. Repeating it makes another address, never a payment. */
  openAddress(input: {
    routeId: string
    origin: Leg
    destination: Leg & { address: string }
    refundAddress: string
  }): Promise<{ depositAddress: string }>
  /** Every deposit at an address that changed since then (ever, for null), whatever request it became. Older ones may come too. */
  deposits(input: {
    depositAddress: string
    origin: Leg
    destination: Leg
    since: Date | null
  }): Promise<readonly DepositReport[]>
  /** The address that a callback is about; undefined for one that the provider did not sign. */
  callback?(request: ProviderCallback): { depositAddress: string | null } | undefined
}

export const routesProvider = port<RoutesProvider>('Payment routes')
