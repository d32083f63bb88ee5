import { findLogo } from '@payments/branding'
import { hasReceipt, type Locale, localeOf } from '@payments/pay-page'
import { type QueryContext, sqlOf } from '@payments/platform'
import { errors } from '../../api/errors.ts'
import { findSession } from '../../collections/service.ts'
import { payUrlOf } from '../../settings.ts'
import { findTarget, moneyData } from '../payer.ts'
import { receiptPdf } from './pdf.ts'

/**
 * The receipt of a session, in any organisation: everyone with the address of its pay page may have it too. Without a language it is in that of
 * the payer. Nothing is stored: it says what is true now.
 * @throws collection_not_found 404, receipt_not_found 404 for a collection, and before a payment has come or while it is being confirmed
 */
export async function receiptOf(context: QueryContext, id: string, locale?: Locale): Promise<Buffer> {
  const target = await findTarget(context, id)
  const { session, brand } = target
  const now = new Date()
  if (!session || !hasReceipt(moneyData({ ...target, session }, now).session)) throw errors.receipt_not_found()
  const logo = brand.logoId === null ? undefined : await findLogo(sqlOf(context.em), brand.logoId)
  const written = locale ?? localeOf(session.locale, undefined)
  const url = payUrlOf(context.runtime.settings, session.id)
  return receiptPdf({ ...target, session, logo: logo?.image, url, now }, written, context.log)
}

/**
 * The receipt of a session of the actor's tenant: see {@link receiptOf}.
 * @throws checkout_session_not_found 404, receipt_not_found 404
 */
export async function ownReceipt(context: QueryContext, id: string, locale?: Locale): Promise<Buffer> {
  const { id: sessionId } = await findSession(context, id)
  return receiptOf(context, sessionId, locale)
}
