import type { Counted } from '@payments/platform'

/** The numbers of an organisation's objects of each kind, and of each customer's. */
export const countedTransfers: Counted = { scopes: ['kind', "kind || ' ' || customer_id::text"] }
