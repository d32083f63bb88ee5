import { accounts } from '@payments/accounts'
import { cngn } from '@payments/cngn'
import { collections } from '@payments/collections'
import { customers } from '@payments/customers'
import { fiat } from '@payments/fiat'
import { ledger } from '@payments/ledger'
import { notifications } from '@payments/notifications'
import { operators } from '@payments/operators'
import { routes } from '@payments/routes'
import { swaps } from '@payments/swaps'
import { timeline } from '@payments/timeline'
import { webhooks } from '@payments/webhooks'

/** The list of domains. Router, entities, migrations, settings, jobs, events and docs are derived from it. */
export const domains = [
  // One line each, so that a new domain adds a line and changes none.
  accounts,
  customers,
  ledger,
  notifications,
  webhooks,
  timeline,
  operators,
  routes,
  fiat,
  swaps,
  collections,
  cngn,
] as const
