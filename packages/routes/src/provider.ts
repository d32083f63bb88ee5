import { port } from '@payments/kernel'

/** Where money comes from or goes to, in a merchant's words. */
interface Leg {
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

/** What payment routes ask of a provider. */
export interface RoutesProvider {
  /** A fresh deposit address on the origin chain for this route. Repeating it makes another address, never a payment. */
  openAddress(input: {
    routeId: string
    origin: Leg
    destination: Leg & { address: string }
    refundAddress: string
  }): Promise<{ depositAddress: string }>
  /** Every deposit that has arrived at an address, whatever request it became. */
  deposits(input: { depositAddress: string; origin: Leg; destination: Leg }): Promise<readonly DepositReport[]>
}

export const routesProvider = port<RoutesProvider>('Payment routes')
