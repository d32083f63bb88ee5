import type { Counted } from '@payments/platform'
import { VISIBLE } from '../entities/onramp.ts'

/** The numbers of an organisation's orders, and of each customer's. */
export const countedOrders: Counted = { scopes: ["''", 'customer_id::text'] }
/** Of onramps, those that belong to no other object. */
export const countedOnramps: Counted = { ...countedOrders, where: VISIBLE }
