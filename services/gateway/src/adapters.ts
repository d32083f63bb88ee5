import type { LiveAdapter } from '@payments/platform'
import { relayAdapter } from '@payments/relay'

/** The list of live adapters. Each is bound if its settings are there; otherwise its port stays unavailable in live. */
export const adapters: readonly LiveAdapter[] = [relayAdapter]
