import {
  type ClaimedPoll,
  heedingPause,
  pollBudget,
  type QueryContext,
  type Stranger,
  sharesOf,
  takeCall,
} from '@payments/platform'
import { errors } from '../errors.ts'
import type { Direction, FiatProvider } from './provider.ts'

/** The provider's limit, which scheduled polls share with those that operators ask for. Pauses hold for calls for what is new and for polls: the provider counts all of them together. */
export const budget = pollBudget({
  bucket: 'order polls',
  pausedWith: 'new',
  polls: 'fiat_polls',
  extra: ['direction'],
})
export const { pauseOf } = budget

export type ClaimedOrder = ClaimedPoll & { readonly direction: Direction }

/** The most that the keys and sessions of one organisation may take of the limit. */
const SHARE_PERCENT = 50

/**
 * Makes one call of the provider's limit for quotes, new orders and account checks, which all processes share. Polls of money on its
 * way have a limit of their own, which none of these can use up.
 * @param stranger who asks, without a credential
 * @throws fiat_provider_unavailable 503 with the seconds until the next call of who asks
 */
export async function newCall<T>(
  { runtime: { pool }, actor }: QueryContext,
  provider: FiatProvider,
  call: () => Promise<T>,
  stranger?: Stranger,
): Promise<T> {
  const { organisationId, environment } = actor
  const bucket = pauseOf(provider, environment)
  const { newCallsPerMinute: perMinute } = provider
  if (perMinute !== undefined) {
    const shares = sharesOf(organisationId, SHARE_PERCENT, stranger)
    const retryAfter = await takeCall(pool, { ...bucket, perMinute, purpose: 'new', shares })
    if (retryAfter > 0) throw errors.fiat_provider_unavailable({ retryAfter })
  }
  return heedingPause(pool, bucket, call)
}
