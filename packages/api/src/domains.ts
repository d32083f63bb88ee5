import { accounts } from '@payments/accounts'
import { branding } from '@payments/branding'
import { cngn, customer } from '@payments/cngn'
import { collections } from '@payments/collections'
import { customersWith } from '@payments/customers'
import { fiat } from '@payments/fiat'
import { ledger } from '@payments/ledger'
import { notifications } from '@payments/notifications'
import { operators } from '@payments/operators'
import { requests } from '@payments/requests'
import { routes } from '@payments/routes'
import { swaps } from '@payments/swaps'
import { timeline } from '@payments/timeline'
import { views } from '@payments/views'
import { webhooks } from '@payments/webhooks'

/** The list of domains. Router, entities, migrations, settings, jobs, events and docs are derived from it. */
export const domains = [
  // One line each, so that a new domain adds a line and changes none.
  accounts,
  customersWith(customer),
  ledger,
  notifications,
  webhooks,
  timeline,
  requests,
  operators,
  routes,
  fiat,
  swaps,
  branding,
  views,
  collections,
  cngn,
] as const
