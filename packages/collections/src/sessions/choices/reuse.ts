import { columnsOf, type QueryContext, rowMapper } from '@payments/platform'
import { type CollectionRow, SessionEntity, type SessionRow } from '../../entity.ts'
import type { HeldPrice } from '../../terms/prices.ts'

/** A session with less time left is not given again: its payer needs some to pay. */
const LEAST_MINUTES = 5
/** Sessions that are compared, the newest first: a payer tries few choices in 15 minutes. */
const COMPARED = 20

/** What a start asks for, checked. */
export interface SessionChoice {
  readonly networkKey: string
  readonly currency: string
  readonly targetAmount: bigint
  readonly price: HeldPrice | null
  readonly refundAddress: string | null
  readonly payerEmail: string | null
}

/** Would a new session be the same to its payer, and to its merchant? Nothing has come to it, and it has some time left. */
function isSameSession(session: SessionRow, collection: CollectionRow, choice: SessionChoice, now: Date): boolean {
  const isUnpaid = session.status === 'awaiting_payment' && session.payments.length === 0
  const isSameMoney = choice.price
    ? session.pricing?.currency === choice.price.currency && session.pricing.amount === choice.price.amount
    : !session.pricing && session.targetAmount === choice.targetAmount
  return (
    isUnpaid &&
    isSameMoney &&
    session.bankAccounts.length === 0 &&
    session.endsAt.getTime() > now.getTime() + LEAST_MINUTES * 60_000 &&
    session.networkKey === choice.networkKey &&
    session.currency === choice.currency &&
    (session.refundAddress ?? null) === choice.refundAddress &&
    (session.payerEmail ?? null) === choice.payerEmail &&
    session.title === collection.title &&
    session.destinationChainKey === collection.destinationChainKey &&
    session.destinationCurrency === collection.currency &&
    session.destinationAddress === collection.destinationAddress &&
    JSON.stringify(session.paymentPolicy) === JSON.stringify(collection.paymentPolicy)
  )
}

/**
 * The open session that a client gets again in place of a new one, which would cost a quote of a provider. At an invoice or a checkout, which one
 * payer pays, it is that of the client's address. Many payers with one address pay a link, and must not share a deposit address: there it is only
 * the session that is named.
 */
export async function sessionToReuse(
  { runtime }: QueryContext,
  { collection, session, client }: { collection: CollectionRow; session: SessionRow | null; client: string },
  choice: SessionChoice,
): Promise<SessionRow | undefined> {
  const isSame = (row: SessionRow) => row.client === client && isSameSession(row, collection, choice, new Date())
  if (session && isSame(session)) return session
  if (collection.type === 'link') return undefined
  // Both conditions on the status: the second is that of the index of open sessions.
  const { rows } = await runtime.lookups.query<Parameters<ReturnType<typeof rowMapper<typeof SessionEntity>>>[0]>(
    `select ${columnsOf(runtime, SessionEntity)} from checkout_sessions
      where parent_id = $1 and client = $2 and status = 'awaiting_payment' and status in ('awaiting_payment', 'processing', 'underpaid')
      order by created_at desc limit ${COMPARED}`,
    [collection.id, client],
  )
  return rows.map(rowMapper(runtime, SessionEntity)).find(isSame)
}
