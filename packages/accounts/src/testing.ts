import { type Environment, newId, type Runtime, system, unitOfWork, type Work } from '@payments/kernel'
import { ApiKeyEntity, OrganisationEntity } from './entity.ts'
import { createKey } from './keys.ts'
import { join, joinOperators, type OrganisationFacts, organisationsOf, userOf } from './members.ts'
import { startSession } from './sessions.ts'

const work = <T>(
  runtime: Runtime,
  organisationId: string,
  environment: Environment,
  verb: (work: Work) => Promise<T>,
) => unitOfWork({ runtime, actor: system(organisationId, environment), log: runtime.log }, verb)

/** A new organisation without users, for tests and benchmarks. */
export async function foundOrganisation(runtime: Runtime): Promise<string> {
  const id = newId()
  const now = new Date()
  await work(runtime, id, 'test', ({ em }) =>
    em.insert(OrganisationEntity, {
      id,
      name: `Organisation ${id.slice(-6)}`,
      operator: false,
      suspendedAt: null,
      suspensionReason: null,
      createdAt: now,
      updatedAt: now,
    }),
  )
  return id
}

/** A secret key with exactly these scopes, legacy ones too, or a publishable one. Returns the full key. */
export async function createKeyFor(
  runtime: Runtime,
  options: {
    organisationId: string
    environment: Environment
    scopes: readonly string[]
    type?: 'secret' | 'publishable'
    expiresAt?: Date
    revokedAt?: Date
  },
): Promise<string> {
  const { organisationId, environment, scopes, type = 'secret', expiresAt = null, revokedAt = null } = options
  return work(runtime, organisationId, environment, async (unit) => {
    // The fixture's own key is no news: nobody is told of it.
    const quiet = { ...unit, defer: () => undefined }
    const { row, key } = await createKey(quiet, { name: 'Test', environment, type })
    await unit.em.nativeUpdate(ApiKeyEntity, { id: row.id }, { scopes: [...scopes], expiresAt, revokedAt })
    return key
  })
}

export interface TestSession {
  readonly accessToken: string
  readonly refreshToken: string
  readonly userId: string
  readonly email: string
  readonly organisation: OrganisationFacts
}

/** A signed-in user with this role: in the organisation given, or, as an operator, in the operators' own. */
export async function signedIn(
  runtime: Runtime,
  options: { organisationId: string; role: 'owner' | 'member' } | { role: 'operator' },
): Promise<TestSession> {
  const email = `${options.role}-${newId()}@example.com`
  return work(runtime, newId(), 'test', async (unit) => {
    const { user } = await userOf(unit, email, null)
    if (options.role === 'operator') await joinOperators(unit, user.id)
    else await join(unit, options.organisationId, user.id, options.role)
    const [organisation] = await organisationsOf(unit, user.id)
    if (!organisation) throw new Error('The user belongs nowhere')
    const { accessToken, refreshToken } = await startSession(unit, user, organisation)
    return { accessToken, refreshToken, userId: user.id, email, organisation }
  })
}
