import { randomInt } from 'node:crypto'
import { isId, newId } from '@payments/kernel'
import { type QueryContext, randomText, sameSecret, type UnitOfWork } from '@payments/platform'
import { sql } from 'kysely'
import type { z } from 'zod'
import { sendEmail } from './email.ts'
import { codeEmail } from './email-texts.ts'
import { ChallengeEntity } from './entity.ts'
import { errors } from './errors.ts'
import type { Challenge, Login, Register, Resend, Verify } from './schemas.ts'
import { accountsSettings } from './settings.ts'

const CODE_MINUTES = 10
const TRIES = 5
const SENDS_PER_HOUR = 5
const RESENDABLE_MS = 3_600_000

/**
 * Creates a challenge and emails its code. A known and an unknown email address get the same reply and cause the same
 * work. An address that was sent five codes within the hour gets no further code, and no code verifies its challenge.
 */
export async function challenge(
  unit: UnitOfWork,
  input: z.output<typeof Register> | z.output<typeof Login>,
): Promise<z.input<typeof Challenge>> {
  const email = input.email.toLowerCase()
  const id = newId()
  const registering = 'organisationName' in input
  const codeHash = await issueCode(unit, id, email, registering)
  const createdAt = new Date()
  const expiresAt = codeExpiry(createdAt)
  await unit.em.insert(ChallengeEntity, {
    id,
    email,
    organisationName: registering ? input.organisationName : null,
    fullName: registering ? (input.fullName ?? null) : null,
    codeHash: codeHash ?? hashOf(unit, id, randomText(32)),
    tries: 0,
    expiresAt,
    usedAt: null,
    createdAt,
  })
  return { challengeId: id, otpExpiresAt: expiresAt.toISOString() }
}

/**
 * Emails a new code for a challenge of the last hour. The previous code stops working; the count of tries continues. Over
 * the limit of codes, nothing is sent and the previous code stays valid.
 * @throws ServiceError 404 when the challenge is unknown, too old, used or out of tries.
 */
export async function resend(
  unit: UnitOfWork,
  { challengeId: id }: z.output<typeof Resend>,
): Promise<z.input<typeof Challenge>> {
  const usable = { usedAt: null, tries: { $lt: TRIES }, createdAt: { $gt: new Date(Date.now() - RESENDABLE_MS) } }
  const row = isId(id) ? await unit.em.findOne(ChallengeEntity, { id, ...usable }) : null
  if (!row) throw errors.challenge_not_found()
  const codeHash = await issueCode(unit, id, row.email, row.organisationName !== null)
  const expiresAt = codeHash ? codeExpiry(new Date()) : row.expiresAt
  if (codeHash) await unit.em.nativeUpdate(ChallengeEntity, { id, usedAt: null }, { codeHash, expiresAt })
  return { challengeId: id, otpExpiresAt: expiresAt.toISOString() }
}

/** The challenge of a correct code: the email address is verified. */
export interface VerifiedChallenge {
  readonly email: string
  readonly organisationName: string | null
  readonly fullName: string | null
}

/**
 * Counts a try and compares the code. The count is a statement of its own, because it must remain when the request fails.
 * @throws ServiceError 401, the same for a wrong, used or expired code and for a challenge without tries left.
 */
export async function checkCode(context: QueryContext, input: z.output<typeof Verify>): Promise<VerifiedChallenge> {
  if (!isId(input.challengeId)) throw errors.invalid_code()
  const { rows } = await sql<{
    email: string
    code_hash: string
    organisation_name: string | null
    full_name: string | null
  }>`
    update challenges set tries = tries + 1
     where id = ${input.challengeId} and tries < ${TRIES} and used_at is null and expires_at > now()
    returning email, code_hash, organisation_name, full_name`.execute(context.em.getKysely())
  const found = rows[0]
  if (!found || !sameSecret(hashOf(context, input.challengeId, input.code), found.code_hash))
    throw errors.invalid_code()
  return { email: found.email, organisationName: found.organisation_name, fullName: found.full_name }
}

/**
 * Marks a verified code as used.
 * @throws ServiceError 401 when it was used in the meantime.
 */
export async function markCodeUsed(unit: UnitOfWork, challengeId: string): Promise<void> {
  const updated = await unit.em.nativeUpdate(ChallengeEntity, { id: challengeId, usedAt: null }, { usedAt: new Date() })
  if (updated !== 1) throw errors.invalid_code()
}

const codeExpiry = (from: Date): Date => new Date(from.getTime() + CODE_MINUTES * 60_000)

const hashOf = (context: QueryContext, challengeId: string, code: string): string =>
  context.runtime.keyring.fingerprint(code, `code:${challengeId}`)

/**
 * Generates a code, counts it and queues its email; undefined when the address has reached the hourly limit. For an
 * address that may not receive a code, the code is counted and an email is queued that is then discarded, so that the
 * work does not reveal whether the address is known.
 */
async function issueCode(
  unit: UnitOfWork,
  challengeId: string,
  email: string,
  registering: boolean,
): Promise<string | undefined> {
  const { runtime } = unit
  const db = unit.em.getKysely()
  await sql`select pg_advisory_xact_lock(hashtext(${`codes:${email}`}))`.execute(db)
  const { rows } = await sql<{ sent: number; known: boolean }>`
    select (select count(*)::int from code_sends where email = ${email} and sent_at > now() - interval '1 hour') as sent,
           exists (select from users where email = ${email})
           or exists (select from invitations where email = ${email} and accepted_at is null and expires_at > now()) as known`.execute(
    db,
  )
  if ((rows[0]?.sent ?? 0) >= SENDS_PER_HOUR) return undefined
  await sql`insert into code_sends (email, sent_at) values (${email}, clock_timestamp())`.execute(db)
  const code = String(randomInt(0, 1_000_000)).padStart(6, '0')
  const deliver =
    registering || rows[0]?.known === true || accountsSettings.from(runtime.settings).OPERATOR_EMAILS.includes(email)
  await sendEmail(unit, { ...codeEmail(email, code), deliver, until: codeExpiry(new Date()).toISOString() })
  // Without a mail server the code is printed on the console; in production the settings require a mail server.
  if (deliver && !accountsSettings.from(runtime.settings).SMTP_URL)
    unit.afterCommit(() => unit.log.info({ email }, `sign-in code ${code}`))
  return hashOf(unit, challengeId, code)
}
