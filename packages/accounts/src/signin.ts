import { randomInt } from 'node:crypto'
import { digest, isId, newId, type Read, randomText, sameSecret, type Work } from '@payments/kernel'
import { sql } from 'kysely'
import type { z } from 'zod'
import { ChallengeEntity, MembershipEntity, OrganisationEntity, SessionEntity, UserEntity } from './entity.ts'
import { codeLetter, mailJob } from './mail.ts'
import { no } from './refusals.ts'
import type { Challenge, Login, Me, Register, Tokens, Verify } from './schemas.ts'
import { ACCESS_TOKEN_SECONDS, tokenKeys } from './tokens.ts'

const CODE_MINUTES = 10
const TRIES = 5
const SENDS_PER_HOUR = 5
const REFRESH_DAYS = 30

/**
 * Opens a challenge and mails its code. The answer is the same for a known and an unknown e-mail; an e-mail that has had
 * its five codes of the hour gets none, silently.
 */
export async function challenge(
  work: Work,
  input: z.output<typeof Register> | z.output<typeof Login>,
): Promise<z.input<typeof Challenge>> {
  const email = input.email.toLowerCase()
  const code = String(randomInt(0, 1_000_000)).padStart(6, '0')
  const id = newId()
  const now = new Date()
  const expiresAt = new Date(now.getTime() + CODE_MINUTES * 60_000)
  const registering = 'organisationName' in input
  await sql`select pg_advisory_xact_lock(hashtext(${`challenge:${email}`}))`.execute(work.em.getKysely())
  const recent = await work.em.count(ChallengeEntity, {
    email,
    createdAt: { $gt: new Date(now.getTime() - 3_600_000) },
  })
  const known =
    registering ||
    (await work.em.count(UserEntity, { email })) > 0 ||
    work.runtime.settings.OPERATOR_EMAILS.includes(email)
  await work.em.insert(ChallengeEntity, {
    id,
    email,
    organisationName: registering ? input.organisationName : null,
    fullName: registering ? (input.fullName ?? null) : null,
    codeHash: work.runtime.keyring.fingerprint(code, `code:${id}`),
    tries: 0,
    expiresAt,
    usedAt: null,
    createdAt: now,
  })
  if (known && recent < SENDS_PER_HOUR) {
    await work.enqueue(mailJob, { box: work.runtime.keyring.seal(JSON.stringify(codeLetter(email, code)), 'mail') })
    if (!work.runtime.settings.SMTP_URL) work.afterCommit(() => work.log.info({ email }, `sign-in code ${code}`))
  }
  return { challengeId: id, otpExpiresAt: expiresAt.toISOString() }
}

interface Proven {
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
  const presented = read.runtime.keyring.fingerprint(input.code, `code:${input.challengeId}`)
  if (!found || !sameSecret(presented, found.code_hash)) throw no.invalid_code()
  return { email: found.email, organisationName: found.organisation_name, fullName: found.full_name }
}

/** Spends a proven code: signs in, and creates user and organisation when it was a registration of an unknown e-mail. */
export async function verify(
  work: Work,
  input: z.output<typeof Verify>,
  proven: Proven,
): Promise<z.input<typeof Tokens>> {
  const spent = await work.em.nativeUpdate(
    ChallengeEntity,
    { id: input.challengeId, usedAt: null },
    { usedAt: new Date() },
  )
  if (spent !== 1) throw no.invalid_code()

  const user = await userOf(work, proven.email, proven.fullName)
  const organisations = await organisationsOf(work, user.id)
  if (organisations.length === 0) {
    if (!proven.organisationName) throw no.invalid_code()
    organisations.push(await foundOrganisation(work, user.id, proven.organisationName))
  }
  const organisation = input.organisationId
    ? organisations.find((each) => each.id === input.organisationId)
    : organisations[0]
  if (!organisation) throw no.invalid_code()
  return startSession(work, user, organisation)
}

type UserFacts = z.input<typeof Tokens>['user']
type OrganisationFacts = z.input<typeof Tokens>['organisation']

async function userOf(work: Work, email: string, fullName: string | null): Promise<UserFacts> {
  const known = await work.em.findOne(UserEntity, { email })
  if (known) return { id: known.id, email, fullName: known.fullName ?? null }
  const user = { id: newId(), email, fullName }
  await work.em.insert(UserEntity, { ...user, createdAt: new Date() })
  if (work.runtime.settings.OPERATOR_EMAILS.includes(email)) await joinOperators(work, user.id)
  return user
}

/** The operators' own organisation: made with its first member, who comes from the setting OPERATOR_EMAILS. */
async function joinOperators(work: Work, userId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('operators'))`.execute(work.em.getKysely())
  let organisation = await work.em.findOne(OrganisationEntity, { operator: true })
  const now = new Date()
  if (!organisation) {
    const id = newId()
    await work.em.insert(OrganisationEntity, {
      id,
      name: 'Operators',
      operator: true,
      suspendedAt: null,
      createdAt: now,
      updatedAt: now,
    })
    organisation = await work.em.findOneOrFail(OrganisationEntity, { id })
  }
  await work.em.insert(MembershipEntity, { organisationId: organisation.id, userId, role: 'operator', createdAt: now })
}

async function foundOrganisation(work: Work, userId: string, name: string): Promise<OrganisationFacts> {
  const id = newId()
  const now = new Date()
  await work.em.insert(OrganisationEntity, {
    id,
    name,
    operator: false,
    suspendedAt: null,
    createdAt: now,
    updatedAt: now,
  })
  await work.em.insert(MembershipEntity, { organisationId: id, userId, role: 'owner', createdAt: now })
  return { id, name, role: 'owner' }
}

async function organisationsOf(read: Read, userId: string): Promise<OrganisationFacts[]> {
  const memberships = await read.em.find(MembershipEntity, { userId }, { orderBy: { createdAt: 'asc' } })
  const rows = await read.em.find(OrganisationEntity, { id: { $in: memberships.map((each) => each.organisationId) } })
  return memberships.flatMap(({ organisationId, role }) => {
    const row = rows.find((each) => each.id === organisationId)
    return row ? [{ id: row.id, name: row.name, role }] : []
  })
}

async function startSession(
  work: Work,
  user: UserFacts,
  organisation: OrganisationFacts,
): Promise<z.input<typeof Tokens>> {
  const sessionId = newId()
  const refreshToken = randomText(48)
  const now = new Date()
  await work.em.insert(SessionEntity, {
    id: sessionId,
    userId: user.id,
    organisationId: organisation.id,
    refreshDigest: digest(refreshToken),
    expiresAt: new Date(now.getTime() + REFRESH_DAYS * 86_400_000),
    revokedAt: null,
    createdAt: now,
  })
  const accessToken = await tokenKeys(work.runtime.settings).sign({
    userId: user.id,
    organisationId: organisation.id,
    sessionId,
    role: organisation.role,
  })
  return { accessToken, tokenType: 'Bearer', expiresIn: ACCESS_TOKEN_SECONDS, refreshToken, user, organisation }
}

/** Who is signed in, where, and where else they could be. */
export async function me(read: Read): Promise<z.input<typeof Me>> {
  const user = await read.em.findOneOrFail(UserEntity, { id: read.actor.userId as string })
  const organisations = await organisationsOf(read, user.id)
  const organisation = organisations.find((each) => each.id === read.actor.organisationId)
  if (!organisation) throw no.organisation_not_found()
  return {
    user: { id: user.id, email: user.email, fullName: user.fullName ?? null },
    organisation,
    organisations,
    environment: read.actor.environment,
  }
}
