import { type Environment, newId, type Runtime, system, unitOfWork } from '@payments/kernel'
import { ApiKeyEntity, OrganisationEntity } from './entity.ts'
import { createKey } from './keys.ts'

/** A new organisation without users, for tests and benchmarks. */
export async function foundOrganisation(runtime: Runtime): Promise<string> {
  const id = newId()
  const now = new Date()
  await unitOfWork({ runtime, actor: system(id, 'test'), log: runtime.log }, (work) =>
    work.em.insert(OrganisationEntity, {
      id,
      name: `Organisation ${id.slice(-6)}`,
      operator: false,
      suspendedAt: null,
      createdAt: now,
      updatedAt: now,
    }),
  )
  return id
}

/** A secret key with exactly these scopes, legacy ones too. Returns the full key. */
export async function createKeyFor(
  runtime: Runtime,
  options: { organisationId: string; environment: Environment; scopes: readonly string[] },
): Promise<string> {
  const actor = system(options.organisationId, options.environment)
  return unitOfWork({ runtime, actor, log: runtime.log }, async (work) => {
    const { row, key } = await createKey(work, { name: 'Test', environment: options.environment, type: 'secret' })
    await work.em.nativeUpdate(ApiKeyEntity, { id: row.id }, { scopes: [...options.scopes] })
    return key
  })
}
