import { randomInt } from 'node:crypto'
import { isId, newId } from '@payments/kernel'
import { type CallContext, type QueryContext, rowsOf, sameSecret, sqlOf, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { sendEmail } from '../emails/email.ts'
import { codeEmail, serviceOf } from '../emails/email-texts.ts'
import { countEmail } from '../emails/send-limits.ts'
import { ChallengeEntity, type PURPOSES } from '../entity.ts'
import { errors } from '../errors.ts'
import { isOperatorEmail } from '../organisations/operators.ts'
import { mayRegister } from '../organisations/registration.ts'
import type { Challenge, Login, Register, Resend, Verify } from '../schemas.ts'
import { accountsSettings } from '../settings.ts'
import { addressOf, tryCode } from './code-tries.ts'

const CODE_MINUTES = 10
const TRIES = 5
const RESENDABLE_MS = 3_600_000

/**
 * Creates a challenge and emails its code. A known and an unknown email address get the same reply and cause the same
 * work; so does an address that may not register.
 * @throws ServiceError 429 over the limits of emails.
 */
export async function challenge(
  unit: UnitOfWork,
  input: z.output<typeof Register> | z.output<typeof Login>,
  _prepared: undefined,
  { ip }: CallContext,
): Promise<z.input<typeof Challenge>> {
  const email = input.email.toLowerCase()
  const registering = 'organisationName' in input
  await countEmail(unit, { kind: 'code', email, address: ip })
  const { id, expiresAt } = await newChallenge(unit, {
    purpose: 'sign-in',
    email,
    sessionId: null,
    deliver: await mayReceive(unit, email, registering),
    ...(registering
      ? {
          organisationName: input.organisationName,
          fullName: input.fullName ?? null,
          timeZone: input.timeZone ?? null,
        }
      : {}),
  })
  return { challengeId: id, otpExpiresAt: expiresAt.toISOString() }
}

/** Stores a challenge and queues the email with its code. The caller has counted the email. */
export async function newChallenge(
  unit: UnitOfWork,
  input: {
    purpose: (typeof PURPOSES)[number]
    email: string
    sessionId: string | null
    /** False: the email is queued and then discarded, so that the work is the same. */
    deliver: boolean
    organisationName?: string
    fullName?: string | null
    timeZone?: string | null
  },
): Promise<{ id: string; expiresAt: Date }> {
  const id = newId()
  const createdAt = new Date()
  const expiresAt = codeExpiry(createdAt)
  await unit.em.insert(ChallengeEntity, {
    id,
    purpose: input.purpose,
    sessionId: input.sessionId,
    email: input.email,
    organisationName: input.organisationName ?? null,
    fullName: input.fullName ?? null,
    timeZone: input.timeZone ?? null,
    codeHash: await issueCode(unit, id, input.email, input.deliver),
    tries: 0,
    expiresAt,
    usedAt: null,
    createdAt,
  })
  return { id, expiresAt }
}

/**
 * Emails a new code for a challenge of the last hour. The previous code stops working; the count of tries continues.
 * @throws ServiceError 404 when the challenge is unknown, too old, used or out of tries, 429 over the limits of emails.
 */
export async function resend(
  unit: UnitOfWork,
  { challengeId: id }: z.output<typeof Resend>,
  _prepared: undefined,
  { ip }: CallContext,
): Promise<z.input<typeof Challenge>> {
  const usable = {
    purpose: 'sign-in' as const,
    usedAt: null,
    tries: { $lt: TRIES },
    createdAt: { $gt: new Date(Date.now() - RESENDABLE_MS) },
  }
  const row = isId(id) ? await unit.em.findOne(ChallengeEntity, { id, ...usable }) : null
  if (!row) throw errors.challenge_not_found()
  await countEmail(unit, { kind: 'code', email: row.email, address: ip })
  const deliver = await mayReceive(unit, row.email, row.organisationName !== null)
  const codeHash = await issueCode(unit, id, row.email, deliver)
  const expiresAt = codeExpiry(new Date())
  await unit.em.nativeUpdate(ChallengeEntity, { id, usedAt: null }, { codeHash, expiresAt })
  return { challengeId: id, otpExpiresAt: expiresAt.toISOString() }
}

/** The challenge of a correct code: the email address is verified. */
export interface VerifiedChallenge {
  readonly email: string
  readonly organisationName: string | null
  readonly fullName: string | null
  readonly timeZone: string | null
}

/**
 * Counts a try and compares the code. The count remains when the request fails.
 * @throws ServiceError 401, the same for a wrong, used or expired code and for a challenge without tries left; 429 after many wrong
 * codes for the account.
 */
export async function checkCode(
  context: QueryContext,
  input: z.output<typeof Verify>,
  call: CallContext,
): Promise<VerifiedChallenge> {
  const { challengeId: id } = input
  if (!isId(id)) throw errors.invalid_code()
  const row = await context.em.findOne(ChallengeEntity, { id, purpose: 'sign-in' })
  if (!row) throw errors.invalid_code()
  const tried = { email: row.email, address: addressOf(call) }
  const right = await tryCode(context, tried, (unit) => compare(unit, row, input.code))
  if (!right) throw errors.invalid_code()
  return right
}

/**
 * Counts a try on the session's newest unused challenge for this purpose, and compares the code, as {@link checkCode}.
 * @throws ServiceError 401, the same for every code that is not the right one; 429 after many wrong codes in this session.
 */
export async function checkSessionCode(
  context: QueryContext,
  purpose: (typeof PURPOSES)[number],
  code: string,
): Promise<{ id: string; email: string }> {
  const sessionId = context.actor.sessionId as string
  const row = await context.em.findOne(
    ChallengeEntity,
    { sessionId, purpose },
    { orderBy: { createdAt: 'desc', id: 'desc' } },
  )
  if (!row) throw errors.invalid_code()
  const right = await tryCode(context, { email: row.email, sessionId }, (unit) => compare(unit, row, code))
  if (!right) throw errors.invalid_code()
  return { id: row.id, email: right.email }
}

/** Counts a try of a challenge and compares the code with what is stored now; undefined when it cannot be tried any more. */
async function compare(unit: UnitOfWork, { id }: { readonly id: string }, code: string) {
  const [challenge] = await rowsOf<VerifiedChallenge & { codeHash: string }>(
    unit,
    ChallengeEntity,
    `update challenges set tries = tries + 1 where id = $1 and tries < $2 and used_at is null and expires_at > now()
     returning email, code_hash, organisation_name, full_name, time_zone`,
    [id, TRIES],
  )
  return challenge && { challenge, right: codeMatches(unit, id, code, challenge.codeHash) }
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

/** Compares with the hash under every key of SECRETS_KEY, so that a rotation does not invalidate codes. */
const codeMatches = (context: QueryContext, challengeId: string, code: string, stored: string): boolean =>
  context.runtime.keyring.fingerprints(code, `code:${challengeId}`).some((hash) => sameSecret(hash, stored))

/** True if a code may be sent to the address. The queries are the same whatever the answer is. */
async function mayReceive(unit: UnitOfWork, email: string, registering: boolean): Promise<boolean> {
  const { rows } = await sqlOf(unit.em).query<{ known: boolean }>(
    `select exists (select from users where email = $1)
            or exists (select from invitations i join organisations o on o.id = i.organisation_id and not o.operator
                        where i.email = $1 and i.accepted_at is null and i.expires_at > now()) as known`,
    [email],
  )
  const allowed = await mayRegister(unit, email)
  return rows[0]?.known === true || isOperatorEmail(unit.runtime.settings, email) || (registering && allowed)
}

/** Generates a code and queues its email. @returns the hash to store */
async function issueCode(unit: UnitOfWork, challengeId: string, email: string, deliver: boolean): Promise<string> {
  const { runtime } = unit
  const code = String(randomInt(0, 1_000_000)).padStart(6, '0')
  await sendEmail(unit, {
    ...codeEmail(serviceOf(runtime.settings), email, code),
    deliver,
    until: codeExpiry(new Date()).toISOString(),
  })
  // Without a mail server the code is printed on the console; in production the settings require a mail server.
  if (deliver && !accountsSettings.from(runtime.settings).SMTP_URL)
    unit.afterCommit(() => unit.log.info({ email }, `sign-in code ${code}`))
  return runtime.keyring.fingerprint(code, `code:${challengeId}`)
}
