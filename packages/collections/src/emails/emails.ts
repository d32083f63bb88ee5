import { type DesignedEmail, designedEmail, merchantProfile, plainName, sendEmail } from '@payments/accounts'
import { type Brand, brandOf } from '@payments/branding'
import { explorerOf, networkOf, transactionUrl } from '@payments/kernel'
import { accentOf, fillPlain, localeOf, moneyOf, type Said, sentIn, type Texts, texts } from '@payments/pay-page'
import { type Count, countHitsSql, sqlOf, type UnitOfWork } from '@payments/platform'
import type { CollectionRow, SessionRow } from '../entity.ts'
import { moneyData } from '../payer/payer.ts'
import { networksOf } from '../payer/reading.ts'
import { collectionsSettings, payUrlOf } from '../settings.ts'
import type { StoredPayment } from '../terms/rows.ts'

const VALID_HOURS = 24
const DAY_SECONDS = 86_400
/** In `test` no payment costs anything, so that anyone could send any number of emails to others. */
const MOST_IN_TEST = 100

/** Emails are not sent after a day: what they say may no longer be true. */
export const validUntil = (): string => new Date(Date.now() + VALID_HOURS * 3_600_000).toISOString()

/** In `test` the subject says so. */
export const subjectIn = (environment: string, subject: string): string =>
  environment === 'test' ? `[Test] ${subject}` : subject

/**
 * Counts an email about an invoice, and returns undefined; or, where the organisation has sent as many as it may in a day, how many
 * seconds it has to wait. The counter stays locked until the commit, so parallel requests do not exceed the limit, and what is not committed is
 * not counted.
 */
export async function countInvoiceEmail(unit: UnitOfWork): Promise<number | undefined> {
  if (unit.actor.environment === 'test') return count(unit, 'collection-emails', MOST_IN_TEST)
  const { INVOICE_EMAILS_PER_DAY } = collectionsSettings.from(unit.runtime.settings)
  return count(unit, 'invoice-emails', INVOICE_EMAILS_PER_DAY)
}

/** Counts an email to a payer of the actor's tenant, who pays for each in live. False when the test environment has sent too many today. */
const countPayerEmail = async (unit: UnitOfWork): Promise<boolean> =>
  unit.actor.environment === 'live' || (await count(unit, 'collection-emails', MOST_IN_TEST)) === undefined

async function count({ em, actor }: UnitOfWork, bucket: string, most: number): Promise<number | undefined> {
  const { rows } = await sqlOf(em).query<Count>(countHitsSql('$1', '$2', '$3', '$4'), [
    [bucket],
    [actor.organisationId],
    [1],
    DAY_SECONDS,
  ])
  const [counted] = rows
  return counted && counted.count > most ? counted.wait : undefined
}

/** One payment to a session that is new or became something else. */
interface Changed {
  readonly before: StoredPayment | undefined
  readonly after: StoredPayment
}

/** Of which payment a payer is told; `payment` is undefined where the session was paid by it. */
export interface PayerEmail {
  readonly payment: StoredPayment | undefined
}

const hasEnded = ({ before, after }: Changed): boolean =>
  before?.status !== after.status ||
  (after.status === 'completed' && (before.amount !== after.amount || before.delivered !== after.delivered)) ||
  (after.status === 'refunded' && after.settled === true && !before.settled)

/** An operator who settles a payment as failed says that nothing was received. */
const isNews = ({ status, settled, failureReason }: StoredPayment): boolean =>
  status === 'failed' && (!settled || failureReason === 'deposit_not_confirmed')

/**
 * Of which payment a payer is told after a change; undefined for a change that asks nothing of them. That it was paid comes first, then what did
 * not arrive where it should. What is said of it is in the table of the pay page: see {@link moneyOf}.
 */
export function payerEmailOf(
  before: Pick<SessionRow, 'status'>,
  session: Pick<SessionRow, 'status'>,
  changes: readonly Changed[],
): PayerEmail | undefined {
  const ended = changes.filter(hasEnded).map(({ after }) => after)
  if (session.status === 'paid' && before.status !== 'paid') return { payment: undefined }
  const wrong = ended.findLast(isNews) ?? ended.findLast(({ status }) => status === 'refunded')
  if (wrong) return { payment: wrong }
  const delivered = ended.filter(({ status }) => status === 'completed')
  const other = delivered.findLast(({ requested }) => !requested)
  if (other) return { payment: other }
  const last = delivered.at(-1)
  // While another payment is on its way, what is left is not known.
  return last && session.status !== 'processing' ? { payment: last } : undefined
}

/**
 * Queues the email to the payer that follows from a change of a session and its payments: see {@link payerEmailOf}. It is sent only if
 * the transaction commits, and only to a payer who gave an address.
 */
export async function emailPayer(
  unit: UnitOfWork,
  collection: CollectionRow,
  before: SessionRow,
  session: SessionRow,
  changes: readonly Changed[],
): Promise<void> {
  const { payerEmail } = session
  const email = payerEmailOf(before, session, changes)
  if (!payerEmail || !email || !(await countPayerEmail(unit))) return
  const merchant = await merchantProfile(unit, session.organisationId)
  const brand = await brandOf(unit, session, collection.branding)
  const written = writeEmail(
    { collection, session, merchant, brand, url: payUrlOf(unit.runtime.settings, session.id) },
    email,
  )
  await sendEmail(unit, {
    ...designedEmail({
      ...written.email,
      to: payerEmail,
      subject: subjectIn(session.environment, written.email.subject),
    }),
    deliver: true,
    until: written.until,
  })
}

/** What an email to a payer is written from. */
interface Written {
  readonly collection: Pick<CollectionRow, 'status' | 'endsAt' | 'timeZone'>
  readonly session: SessionRow
  readonly merchant: { readonly name: string; readonly suspended: boolean }
  readonly brand?: Brand
  readonly url: string
}

/** The email about a payment, from the same table as the pay page. `until`: it is not sent after that, because it would no longer be true. */
export function writeEmail(
  { collection, session, merchant, brand: look, url }: Written,
  { payment }: PayerEmail,
  now = new Date(),
): { readonly email: Omit<DesignedEmail, 'to'>; readonly until: string; readonly said: Said } {
  const locale = localeOf(session.locale, undefined)
  const money = moneyData({ collection, session, merchant }, now)
  const shown = money.session
  // A token that this service does not know has the name that its issuer chose.
  const payments = shown.payments.map((each) => ({ ...each, currency: plainName(each.currency) }))
  const about = payment && payments[session.payments.findIndex(({ id }) => id === payment.id)]
  // Chosen by the merchant, for a stranger: nothing that a mail program turns into a link.
  const [brand, title] = [plainName(look?.displayName ?? merchant.name), plainName(session.title)]
  const data = { ...money, merchant: { name: brand }, session: { ...shown, payments } }
  const { timeZone } = collection
  const said = moneyOf(data, { locale, networks: networksOf(session), texts: texts[locale], timeZone }, about)
  const { situation, step, values } = said
  const say = (name: keyof Texts) => fillPlain(texts[locale][name], values)
  const label = texts[locale]
  const focus = about ?? situation.focus
  const rest = step === 'rest'
  const amount = rest ? values.left : payment ? values.sent : values.received
  const transferred = values.sent === amount ? label.methodTransfer : `${label.methodTransfer}: ${values.sent}`
  // A receipt names every payment that it is for.
  const counted = payment ? [] : payments.filter(({ status, counts }) => status === 'completed' && counts)
  const subject = !payment
    ? 'receiptSubject'
    : rest && situation.outcome === 'delivered'
      ? 'restSubject'
      : situation.what === 'too_much' && situation.outcome === 'delivered'
        ? 'overHeading'
        : said.heading
  return {
    said,
    // What is left can be paid at its address for so long.
    until:
      rest && situation.when === 'in_time' ? session.endsAt.toISOString() : rest ? shown.acceptedUntil : validUntil(),
    email: {
      lang: locale,
      subject: `${say(subject)}: ${title}`,
      brand,
      accent: accentOf(look?.accentColor),
      replyTo: look?.supportEmail ?? undefined,
      heading: say(said.heading),
      paragraphs: said.texts.map(say),
      facts: [
        [label.purpose, title],
        [label.amount, amount],
        ...(rest && !said.byTransfer ? ([[label.address, session.depositAddress]] as const) : []),
        ...(rest ? ([[label.deadline, values.until]] as const) : []),
        ...(counted.length > 1
          ? counted.map((each) => paymentFact(session.environment, each, sentIn({ locale, texts: label }, each), label))
          : [
              focus?.networkKey === null
                ? ([label.methodLabel, transferred] as const)
                : ([label.networkLabel, values.sentOn] as const),
              ...(focus?.txHash && focus.networkKey !== null
                ? ([
                    [
                      label.transaction,
                      focus.txHash,
                      transactionUrl(explorerOf(session.environment, focus.networkKey), focus.txHash),
                    ],
                  ] as const)
                : []),
            ]),
        [label.reference, session.id],
        ...(payment ? [] : ([[label.receipt, label.downloadPdf, `${url}/receipt.pdf?lang=${locale}`]] as const)),
        ...(look?.supportEmail ? ([[label.support, look.supportEmail]] as const) : []),
        ...(look?.supportUrl ? ([[label.support, look.supportUrl, look.supportUrl]] as const) : []),
        ...(look?.legalName
          ? ([
              [label.imprint, [look.legalName, look.address, look.taxId].filter((each) => each !== null).join(', ')],
            ] as const)
          : []),
      ],
      button: { text: label.emailState, url },
      footer: say('emailHelp'),
    },
  }
}

/** One of several payments: what was sent, how, and its transaction. */
function paymentFact(
  environment: SessionRow['environment'],
  { networkKey, txHash }: Pick<ReturnType<typeof moneyData>['session']['payments'][number], 'networkKey' | 'txHash'>,
  sent: string,
  label: Texts,
): readonly [name: string, text: string, url?: string] {
  if (networkKey === null) return [label.methodTransfer, sent]
  const way = `${sent} · ${networkOf(networkKey)?.name ?? networkKey}`
  return txHash
    ? [label.transaction, `${way} · ${txHash}`, transactionUrl(explorerOf(environment, networkKey), txHash)]
    : [label.networkLabel, way]
}
