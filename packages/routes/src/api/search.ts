import { CustomerRef } from '@payments/customers'
import { count, exampleId, isId, items } from '@payments/kernel'
import {
  anyOf,
  beginsWords,
  columnIn,
  createdFilters,
  foundTotal,
  nextPage,
  pageFields,
  type QueryContext,
  type SearchCondition,
  type SearchedKind,
  searchedText,
  searchRows,
} from '@payments/platform'
import { z } from 'zod'
import { DepositEntity, type DepositRow, RouteEntity, type RouteRow, searchedWords } from '../entity.ts'
import { DEPOSIT, Deposit, PaymentRoute, PaymentRouteId, ROUTE } from '../schemas.ts'
import { depositMachine, routeMachine } from '../states.ts'

/** What a payment route must be to be found: all that is named, and one of those in a list. */
export const RouteSearch = z
  .strictObject({
    text: searchedText(
      'The id of a payment route, or words: each begins a word of the name or the deposit address',
      'treasury',
    ),
    statuses: anyOf(routeMachine.Status, 'Only these statuses', ['active']),
    currencies: anyOf(z.string().max(12), 'Only those whose payers send, or whose wallet gets, one of these', ['USDC']),
    networks: anyOf(z.string().max(40), 'Only those that lead from or to one of these networks', ['base']),
    customerId: CustomerRef.optional().meta({ description: 'Only payment routes of this customer' }),
    ...createdFilters,
    ...pageFields('payment route', exampleId(ROUTE)),
  })
  .meta({ example: { statuses: ['active'], networks: ['base'], limit: 50 } })

export const RoutePage = z.object({
  paymentRoutes: items('The payment routes that fit, newest first', PaymentRoute),
  total: foundTotal,
  next: nextPage(exampleId(ROUTE)),
})

/** Which deposits of a payment route are found. */
export const DepositSearch = z
  .strictObject({
    ...PaymentRouteId.shape,
    statuses: anyOf(depositMachine.Status, 'Only these statuses', ['pending', 'failed']),
    ...createdFilters,
    ...pageFields('deposit', exampleId(DEPOSIT)),
  })
  .meta({ example: { statuses: ['completed'], limit: 50 } })

export const DepositPage = z.object({
  deposits: items('The deposits that fit, newest first', Deposit),
  total: count('Exact number of all that fit', 42),
  next: nextPage(exampleId(DEPOSIT)),
})

/** What every search leaves out, and no counter counts: see `WITH_HIDDEN`. */
const listed = 'not t.hidden'

function textCondition(text: string): SearchCondition {
  return isId(text) ? (value) => `t.id = ${value(text)}::uuid` : beginsWords(searchedWords('t.'), text)
}

/** One of two columns must have one of several values. */
const eitherIn = (columns: readonly [string, string], values: readonly string[] | undefined): SearchCondition =>
  values &&
  ((value) => {
    const all = `any (${value(values)}::text[])`
    return `(${columns.map((column) => `t.${column} = ${all}`).join(' or ')})`
  })

/** A page of the payment routes of the actor's tenant that fit all filters, newest first, and the exact number of all. @throws validation_failed 422 where `before` is of none */
export const searchRoutes = (
  context: QueryContext,
  { text, statuses, currencies, networks, customerId, ...rest }: z.output<typeof RouteSearch>,
): Promise<{ rows: RouteRow[]; total: number | null; next: string | null }> =>
  searchRows(context, RouteEntity, {
    ...rest,
    thing: 'Payment route',
    listed,
    text: text === undefined ? undefined : textCondition(text),
    conditions: [
      columnIn('status', statuses),
      eitherIn(['origin_currency', 'destination_currency'], currencies),
      eitherIn(['origin_chain_key', 'destination_chain_key'], networks),
      customerId === undefined ? undefined : (value) => `t.customer_id = ${value(customerId)}::uuid`,
    ],
  })

/** A page of the deposits of a payment route, newest first, and the exact number of all. @throws validation_failed 422 where `before` is of none */
export const searchDeposits = (
  context: QueryContext,
  { paymentRouteId, statuses, ...rest }: z.output<typeof DepositSearch>,
): Promise<{ rows: DepositRow[]; total: number; next: string | null }> =>
  searchRows(context, DepositEntity, {
    ...rest,
    thing: 'Deposit',
    listed,
    conditions: [(value) => `t.payment_route_id = ${value(paymentRouteId)}::uuid`, columnIn('status', statuses)],
  })

/** Payment routes in the search over everything. */
export const searched: readonly SearchedKind[] = [
  {
    kind: 'payment_route',
    find: (context, text, limit) => searchRoutes(context, { text, limit }),
    show: ({ name, depositAddress }: RouteRow) => ({ title: name, subtitle: depositAddress }),
  },
]
