import { randomInt } from 'node:crypto'
import { isId, newId, type Read, randomText, sameSecret, type Work } from '@payments/kernel'
import { sql } from 'kysely'
import type { z } from 'zod'
import { ChallengeEntity } from './entity.ts'
import { codeLetter } from './letters.ts'
import { post } from './mail.ts'
import { no } from './refusals.ts'
import type { Challenge, Login, Register, Resend, Verify } from './schemas.ts'

const CODE_MINUTES = 10
const TRIES = 5
const SENDS_PER_HOUR = 5
const RESENDABLE_MS = 3_600_000

/**
 * Opens a challenge and mails its code. The answer is the same for a known and an unknown e-mail, and so is the work;
 * an e-mail that has had its five codes of the hour gets none, silently, and no code fits that challenge.
 */
export async function challenge(
  work: Work,
  input: z.output<typeof Register> | z.output<typeof Login>,
): Promise<z.input<typeof Challenge>> {
  const email = input.email.toLowerCase()
  const id = newId()
  const registering = 'organisationName' in input
  const codeHash = await issueCode(work, id, email, registering)
  const createdAt = new Date()
  const expiresAt = codeExpiry(createdAt)
  await work.em.insert(ChallengeEntity, {
    id,
    email,
    organisationName: registering ? input.organisationName : null,
    fullName: registering ? (input.fullName ?? null) : null,
    codeHash: codeHash ?? hashOf(work, id, randomText(32)),
    tries: 0,
    expiresAt,
    usedAt: null,
    createdAt,
  })
  return { challengeId: id, otpExpiresAt: expiresAt.toISOString() }
}

/**
 * Mails a new code for a challenge of the last hour; the one before stops working, the tries go on counting. Over the
 * limit of codes nothing is sent and the one before stays.
 * @throws Refusal 404 when the challenge is unknown, too old, used or out of tries.
 */
export async function resend(
  work: Work,
  { challengeId: id }: z.output<typeof Resend>,
): Promise<z.input<typeof Challenge>> {
  const open = { usedAt: null, tries: { $lt: TRIES }, createdAt: { $gt: new Date(Date.now() - RESENDABLE_MS) } }
  const row = isId(id) ? await work.em.findOne(ChallengeEntity, { id, ...open }) : null
  if (!row) throw no.challenge_not_found()
  const codeHash = await issueCode(work, id, row.email, row.organisationName !== null)
  const expiresAt = codeHash ? codeExpiry(new Date()) : row.expiresAt
  if (codeHash) await work.em.nativeUpdate(ChallengeEntity, { id, usedAt: null }, { codeHash, expiresAt })
  return { challengeId: id, otpExpiresAt: expiresAt.toISOString() }
}

export interface Proven {
  readonly email: string
  readonly organisationName: string | null
  readonly fullName: string | null
}

/**
 * Counts a try and compares the code, in a statement of its own: a wrong try must outlive the refusal that it causes.
 * @throws Refusal 401 for a wrong, spent, expired or exhausted code alike.
 */
export async function tryCode(read: Read, input: z.output<typeof Verify>): Promise<Proven> {
  if (!isId(input.challengeId)) throw no.invalid_code()
  const { rows } = await sql<{
    email: string
    code_hash: string
    organisation_name: string | null
    full_name: string | null
  }>`
    update challenges set tries = tries + 1
     where id = ${input.challengeId} and tries < ${TRIES} and used_at is null and expires_at > now()
    returning email, code_hash, organisation_name, full_name`.execute(read.em.getKysely())
  const found = rows[0]
  if (!found || !sameSecret(hashOf(read, input.challengeId, input.code), found.code_hash)) throw no.invalid_code()
  return { email: found.email, organisationName: found.organisation_name, fullName: found.full_name }
}

/**
 * Spends a proven code.
 * @throws Refusal 401 when it was spent in the meantime.
 */
export async function spendCode(work: Work, challengeId: string): Promise<void> {
  const spent = await work.em.nativeUpdate(ChallengeEntity, { id: challengeId, usedAt: null }, { usedAt: new Date() })
  if (spent !== 1) throw no.invalid_code()
}

const codeExpiry = (from: Date): Date => new Date(from.getTime() + CODE_MINUTES * 60_000)

const hashOf = (read: Read, challengeId: string, code: string): string =>
  read.runtime.keyring.fingerprint(code, `code:${challengeId}`)

/**
 * Makes a code, counts it and posts it; undefined when the e-mail has had its codes of the hour. Who may not receive one
 * is counted and written to all the same, in a letter that is thrown away: the work tells nothing.
 */
async function issueCode(
  work: Work,
  challengeId: string,
  email: string,
  registering: boolean,
): Promise<string | undefined> {
  const { runtime } = work
  const db = work.em.getKysely()
  await sql`select pg_advisory_xact_lock(hashtext(${`codes:${email}`}))`.execute(db)
  const { rows } = await sql<{ sent: number; welcome: boolean }>`
    select (select count(*)::int from code_sends where email = ${email} and sent_at > now() - interval '1 hour') as sent,
           exists (select from users where email = ${email})
           or exists (select from invitations where email = ${email} and accepted_at is null and expires_at > now()) as welcome`.execute(
    db,
  )
  if ((rows[0]?.sent ?? 0) >= SENDS_PER_HOUR) return undefined
  await sql`insert into code_sends (email, sent_at) values (${email}, clock_timestamp())`.execute(db)
  const code = String(randomInt(0, 1_000_000)).padStart(6, '0')
  const deliver = registering || rows[0]?.welcome === true || runtime.settings.OPERATOR_EMAILS.includes(email)
  await post(work, { ...codeLetter(email, code), deliver, until: codeExpiry(new Date()).toISOString() })
  // Without a mail server the console is the mailbox; in production the settings demand one.
  if (deliver && !runtime.settings.SMTP_URL) work.afterCommit(() => work.log.info({ email }, `sign-in code ${code}`))
  return hashOf(work, challengeId, code)
}
