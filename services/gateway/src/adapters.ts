import { cngnAdapter } from '@payments/cngn-live'
import { jupiterAdapter } from '@payments/jupiter'
import { nearIntentsAdapter } from '@payments/near-intents'
import { paycrestAdapter } from '@payments/paycrest'
import type { LiveAdapter } from '@payments/platform'
import { qoreidAdapter } from '@payments/qoreid'
import { relayAdapter } from '@payments/relay'

/** The list of live adapters. An adapter is bound if its settings are set; otherwise its port is unavailable in the live environment. */
export const adapters: readonly LiveAdapter[] = [
  // One line each, so that a new adapter adds a line and changes none.
  relayAdapter,
  nearIntentsAdapter,
  paycrestAdapter,
  jupiterAdapter,
  cngnAdapter,
  qoreidAdapter,
]
