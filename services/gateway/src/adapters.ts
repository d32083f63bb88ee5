import { jupiterAdapter } from '@payments/jupiter'
import { paycrestAdapter } from '@payments/paycrest'
import type { LiveAdapter } from '@payments/platform'
import { relayAdapter } from '@payments/relay'

/** The list of live adapters. An adapter is bound if its settings are set; otherwise its port is unavailable in the live environment. */
export const adapters: readonly LiveAdapter[] = [relayAdapter, paycrestAdapter, jupiterAdapter]
