import { logoForDocuments } from '@payments/branding'
import { hasReceipt, type Locale, localeOf } from '@payments/pay-page'
import type { QueryContext } from '@payments/platform'
import { findSession } from '../../collections/service.ts'
import { errors } from '../../errors.ts'
import { findTarget, moneyData } from '../../payer/payer.ts'
import { payUrlOf } from '../../settings.ts'
import { receiptPdf } from './pdf.ts'

/**
 * The receipt of a session, in any organisation: everyone with the address of its pay page may have it too. Without a language it is in that of
 * the payer. Nothing is stored: it says what is true now, and is the same file until that changes.
 * @param signal aborted when nobody waits for it any more
 * @throws collection_not_found 404, receipt_not_found 404 for a collection, and before a payment has come or while it is being confirmed, busy 503
 */
export async function receiptOf(
  context: QueryContext,
  id: string,
  { locale, signal }: { readonly locale: Locale | undefined; readonly signal: AbortSignal },
): Promise<Buffer> {
  const target = await findTarget(context, id)
  const { collection, session, brand } = target
  const now = new Date()
  if (!session || !hasReceipt(moneyData({ ...target, session }, now).session)) throw errors.receipt_not_found()
  const logo = await logoForDocuments(context, brand.logoId)
  const written = locale ?? localeOf(session.locale, undefined)
  const url = payUrlOf(context.runtime.settings, session.id)
  const ended = [session.endsAt, collection.endsAt].flatMap((time) => (time && time <= now ? [time.getTime()] : []))
  const asOf = new Date(Math.max(session.updatedAt.getTime(), collection.updatedAt.getTime(), ...ended))
  return receiptPdf({ ...target, session, logo, url, now, asOf }, written, { log: context.log, signal })
}

/**
 * The receipt of a session of the actor's tenant: see {@link receiptOf}.
 * @throws checkout_session_not_found 404, receipt_not_found 404
 */
export async function ownReceipt(
  context: QueryContext,
  id: string,
  options: Parameters<typeof receiptOf>[2],
): Promise<Buffer> {
  const { id: sessionId } = await findSession(context, id)
  return receiptOf(context, sessionId, options)
}
