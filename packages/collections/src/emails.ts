import { merchantProfile, paragraphEmail, plainName, sendEmail } from '@payments/accounts'
import { networkOf } from '@payments/kernel'
import type { Locale } from '@payments/pay-page'
import { type Count, countHitsSql, sqlOf, type UnitOfWork } from '@payments/platform'
import { payerTexts } from './email-texts.ts'
import type { SessionRow } from './entity.ts'
import { decimal, missingAmount } from './present.ts'
import { payUrlOf } from './settings.ts'

const VALID_HOURS = 24
const DAY_SECONDS = 86_400
/** In `test` no payment costs anything, so that anyone could send any number of emails to others. */
const MOST_IN_TEST = 100

/** Emails are not sent after a day: what they say may no longer be true. */
export const validUntil = (): string => new Date(Date.now() + VALID_HOURS * 3_600_000).toISOString()

/** In `test` the subject says so. */
export const subjectIn = (environment: string, subject: string): string =>
  environment === 'test' ? `[Test] ${subject}` : subject

/** Counts an email to a customer or payer of the actor's tenant. False when the test environment has sent too many today. */
export async function countEmail({ em, actor }: UnitOfWork): Promise<boolean> {
  if (actor.environment === 'live') return true
  const { rows } = await sqlOf(em).query<Count>(countHitsSql('$1', '$2', '$3', '$4'), [
    ['collection-emails'],
    [actor.organisationId],
    [1],
    DAY_SECONDS,
  ])
  return (rows[0]?.count ?? 0) <= MOST_IN_TEST
}

/**
 * Queues the email to the payer that follows from a change of a session: a receipt when it was paid, a message when something
 * is missing. It is sent only if the transaction commits, and only to a payer who gave an address.
 */
export async function emailPayer(unit: UnitOfWork, before: SessionRow, session: SessionRow): Promise<void> {
  const { status, payerEmail } = session
  if (!payerEmail || status === before.status || (status !== 'paid' && status !== 'underpaid')) return
  // What is missing is asked for only while it can still be paid.
  if (status === 'underpaid' && session.endsAt <= new Date()) return
  if (!(await countEmail(unit))) return
  const merchant = await merchantProfile(unit, session.organisationId)
  const { currency } = session
  const withSymbol = (units: bigint) => `${decimal(units, currency)} ${currency}`
  const facts = {
    // Chosen by the merchant, for a stranger: nothing that a mail program turns into a link.
    merchant: plainName(merchant.name),
    title: plainName(session.title),
    received: withSymbol(session.receivedAmount),
    amount: withSymbol(session.amount),
    missing: withSymbol(missingAmount(session)),
    network: networkOf(session.networkKey)?.name ?? session.networkKey,
    address: session.depositAddress,
    deadline: deadlineIn(session.locale, session.expiresAt),
    url: payUrlOf(unit.runtime.settings, session.id),
  }
  const texts = payerTexts[session.locale as Locale] ?? payerTexts.en
  const { subject, paragraphs } = texts[status === 'paid' ? 'receipt' : 'missing'](facts)
  await sendEmail(unit, {
    ...paragraphEmail(payerEmail, subjectIn(session.environment, subject), paragraphs, session.locale),
    deliver: true,
    until: status === 'underpaid' ? session.expiresAt.toISOString() : validUntil(),
  })
}

/** A time in the reader's language, in UTC. */
const deadlineIn = (locale: string, time: Date): string =>
  `${new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(time)} UTC`
