import { CustomerRef } from '@payments/customers'
import { exampleId, isId, items } from '@payments/kernel'
import {
  amountBound,
  anyOf,
  beginsWords,
  columnIn,
  createdFilters,
  foundTotal,
  nextPage,
  numberBetween,
  pageFields,
  type QueryContext,
  type SearchCondition,
  type SearchedKind,
  searchedText,
  searchRows,
} from '@payments/platform'
import { z } from 'zod'
import { askedAmount, CollectionEntity, type CollectionRow, type SessionRow, searchedWords } from '../entity.ts'
import { askedText, decimal, invoiceNumberText, moneyText } from '../present.ts'
import { COLLECTION, Collection, currencies } from '../schemas.ts'
import { checkoutMachine, invoiceMachine, linkMachine, types } from '../states.ts'

const EXAMPLE = exampleId(COLLECTION)
const statuses = [
  ...new Set([linkMachine, invoiceMachine, checkoutMachine].flatMap(({ states }) => Object.keys(states))),
]

/** What a collection must be to be found: all that is named, and one of those in a list. */
export const CollectionSearch = z
  .strictObject({
    text: searchedText(
      'The number of an invoice, the id of a collection or of one of its checkout sessions, or words: each begins a word of the title or of a value in `metadata`',
      'INV-000042',
    ),
    types: anyOf(z.enum(types), 'Only these types', ['invoice']),
    statuses: anyOf(z.enum(statuses), 'Only these statuses', ['open', 'overdue']),
    currencies: anyOf(z.enum(currencies), 'Only those that you receive in these currencies', ['USDC']),
    customerId: CustomerRef.optional().meta({ description: 'Only collections of this customer' }),
    amountFrom: amountBound(
      'Only those that ask for at least this much, in the currency of `pricing` or else in `currency`: those whose amount the payer chooses are left out',
      '10',
    ),
    amountTo: amountBound('Only those that ask for at most this much', '2500'),
    ...createdFilters,
    ...pageFields('collection', EXAMPLE),
  })
  .meta({ example: { types: ['invoice'], statuses: ['overdue'], limit: 50 } })

export const CollectionPage = z.object({
  collections: items('The collections that fit, newest first', Collection),
  total: foundTotal,
  next: nextPage(EXAMPLE),
})

/** `INV-000042`, or the digits of it, which may be a word too. */
const NUMBER = /^(inv-?)?0*([1-9]\d{0,8})$/i

function textCondition(text: string): SearchCondition {
  if (isId(text))
    return (value) => {
      const id = `${value(text)}::uuid`
      return `t.id in (${id}, (select s.parent_id from checkout_sessions s where s.id = ${id}))`
    }
  const words = beginsWords(searchedWords('t.'), text)
  const [, prefix, number] = NUMBER.exec(text) ?? []
  if (number === undefined) return words
  const numbered: SearchCondition = (value) => `t.invoice_number = ${value(number)}::integer`
  return prefix ? numbered : (value) => `(${numbered(value)} or ${words(value)})`
}

/** A page of the collections of the actor's tenant that fit all filters, newest first, and the exact number of all. @throws validation_failed 422 where `before` is of none */
export const searchCollections = (
  context: QueryContext,
  { text, types, statuses, currencies, customerId, amountFrom, amountTo, ...rest }: z.output<typeof CollectionSearch>,
): Promise<{ rows: CollectionRow[]; total: number | null; next: string | null }> =>
  searchRows(context, CollectionEntity, {
    ...rest,
    // Amounts may all be of one time.
    byIndex: amountFrom === undefined && amountTo === undefined ? 0 : 100_000,
    text: text === undefined ? undefined : textCondition(text),
    conditions: [
      columnIn('type', types),
      columnIn('status', statuses),
      columnIn('currency', currencies),
      customerId === undefined ? undefined : (value) => `t.customer_id = ${value(customerId)}::uuid`,
      ...numberBetween(askedAmount('t.'), amountFrom, amountTo),
    ],
  })

/** An amount as people write it, perhaps with its currency: `1,250`, `25.5 USDC`. */
const AMOUNT = /^(\d{1,3}(?:,\d{3})+|\d{1,20})(\.\d{1,18})?(?:\s*[A-Z]{3,5})?$/i

/** Collections and their payments in the search over everything. */
export const searched: readonly SearchedKind[] = [
  {
    kind: 'collection',
    async find(context, text, limit) {
      const named = await searchCollections(context, { text, limit })
      const [, whole, decimals = ''] = AMOUNT.exec(text.trim()) ?? []
      if (whole === undefined) return named
      const amount = whole.replaceAll(',', '') + decimals
      const asking = await searchCollections(context, { amountFrom: amount, amountTo: amount, limit })
      const rows = [...named.rows, ...asking.rows.filter(({ id }) => named.rows.every((row) => row.id !== id))]
      return { rows, total: named.total === null || asking.total === null ? null : named.total + asking.total }
    },
    show: (row: CollectionRow) => ({
      title: row.title,
      subtitle: invoiceNumberText(row.invoiceNumber) ?? KINDS[row.type],
      ...(row.pricing || row.amount ? { amount: askedText(row) } : {}),
    }),
  },
  {
    kind: 'checkout_session',
    show: (row: SessionRow) => ({
      title: row.title,
      subtitle: row.invoiceNumber ? `Payment of ${invoiceNumberText(row.invoiceNumber)}` : 'Payment',
      amount: moneyText(decimal(row.amount, row.currency), row.currency),
    }),
  },
]

const KINDS = { link: 'Payment link', invoice: 'Invoice', checkout: 'Checkout' } as const
