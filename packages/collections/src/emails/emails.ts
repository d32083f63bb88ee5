import { merchantProfile, paragraphEmail, plainName, sendEmail } from '@payments/accounts'
import { assetOf, networkOf } from '@payments/kernel'
import type { Locale } from '@payments/pay-page'
import { type Count, countHitsSql, sqlOf, type UnitOfWork } from '@payments/platform'
import { decimal, missingAmount } from '../api/present.ts'
import type { SessionRow } from '../entity.ts'
import type { StoredPayment } from '../rows.ts'
import { payUrlOf } from '../settings.ts'
import { type PayerEmail, payerTexts } from './email-texts.ts'

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

/** One payment to a session that is new or became something else. */
interface Changed {
  readonly before: StoredPayment | undefined
  readonly after: StoredPayment
}

/**
 * What a payer is told of a change, and of which payment it is; undefined for one that asks nothing of them. What was paid comes first,
 * then what did not arrive where it should.
 */
export function payerEmailOf(
  before: Pick<SessionRow, 'status'>,
  session: Pick<SessionRow, 'status' | 'endsAt'>,
  changes: readonly Changed[],
): { readonly kind: PayerEmail; readonly payment: StoredPayment | undefined } | undefined {
  const ended = changes.flatMap((each) => (each.before?.status === each.after.status ? [] : [each.after]))
  const found = (accepted: (payment: StoredPayment) => boolean) => ended.findLast(accepted)
  const turned = (status: string) => session.status === status && before.status !== status
  if (turned('paid')) return { kind: 'receipt', payment: undefined }
  const failed = found(({ status, settled }) => status === 'failed' && !settled)
  if (failed) return { kind: 'failed', payment: failed }
  const returned = found(({ status }) => status === 'refunded')
  if (returned) return { kind: 'returned', payment: returned }
  const delivered = ended.filter(({ status }) => status === 'completed')
  const other = delivered.findLast(({ requested }) => !requested)
  if (other) return { kind: 'other', payment: other }
  const last = delivered.at(-1)
  // What is missing is asked for only while it can still be paid.
  if (session.status === 'underpaid' && (last || turned('underpaid')))
    return session.endsAt > new Date() ? { kind: 'missing', payment: undefined } : undefined
  if (!last || session.status === 'processing') return undefined
  return { kind: session.status === 'paid' ? 'more' : 'late', payment: last }
}

/**
 * Queues the email to the payer that follows from a change of a session and its payments: see {@link payerEmailOf}. It is sent only if
 * the transaction commits, and only to a payer who gave an address.
 */
export async function emailPayer(
  unit: UnitOfWork,
  before: SessionRow,
  session: SessionRow,
  changes: readonly Changed[],
): Promise<void> {
  const { payerEmail, currency } = session
  const email = payerEmailOf(before, session, changes)
  if (!payerEmail || !email || !(await countEmail(unit))) return
  const merchant = await merchantProfile(unit, session.organisationId)
  const withSymbol = (units: bigint, symbol: string) =>
    units > 0n && assetOf(symbol) ? `${decimal(units, symbol)} ${symbol}` : symbol
  const { payment } = email
  const texts = payerTexts[session.locale as Locale] ?? payerTexts.en
  const { subject, paragraphs } = texts[email.kind]({
    // Chosen by the merchant, for a stranger: nothing that a mail program turns into a link.
    merchant: plainName(merchant.name),
    title: plainName(session.title),
    received: withSymbol(session.receivedAmount, currency),
    amount: withSymbol(session.amount, currency),
    missing: withSymbol(missingAmount(session), currency),
    network: nameOf(session.networkKey),
    address: session.depositAddress,
    deadline: deadlineIn(session.locale, session.expiresAt),
    url: payUrlOf(unit.runtime.settings, session.id),
    // A token that this service does not know has the name that its issuer chose.
    sent: withSymbol(BigInt(payment?.amount ?? 0), plainName(payment?.currency ?? currency)),
    sentOn: nameOf(payment?.networkKey ?? session.networkKey),
    hash: payment?.txHash ?? '',
    refundTo: payment?.refundTo ?? session.refundTo ?? undefined,
    over: session.paidOver,
  })
  await sendEmail(unit, {
    ...paragraphEmail(payerEmail, subjectIn(session.environment, subject), paragraphs, session.locale),
    deliver: true,
    until: email.kind === 'missing' ? session.expiresAt.toISOString() : validUntil(),
  })
}

const nameOf = (networkKey: string): string => networkOf(networkKey)?.name ?? networkKey

/** A time in the reader's language, in UTC. */
const deadlineIn = (locale: string, time: Date): string =>
  `${new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(time)} UTC`
