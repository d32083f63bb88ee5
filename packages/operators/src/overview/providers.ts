import { environments } from '@payments/kernel'
import {
  type Audited,
  type Runtime,
  readControls,
  type SqlExecutor,
  sqlOf,
  type UnitOfWork,
  writeControl,
} from '@payments/platform'
import type { z } from 'zod'
import { errors } from '../errors.ts'
import type { ControlledProvider, ProviderControlChange, ProviderHealth } from '../schemas.ts'

const AS_CONFIGURED = { state: 'active', priority: null } as const

/** Every provider of this process, with what operators decided for it. */
export async function boundProviders(
  db: SqlExecutor,
  { providers }: Pick<Runtime, 'providers'>,
): Promise<z.input<typeof ProviderHealth>['bound']> {
  const controls = await Promise.all(
    environments.map(async (environment) => [environment, await readControls(db, environment)] as const),
  )
  const decided = new Map(controls)
  return providers
    .list()
    .map((each) => ({ ...each, ...(decided.get(each.environment)?.get(each.provider) ?? AS_CONFIGURED) }))
}

/** Stores what an operator decides for a provider; what the input leaves out stays. @throws provider_not_found 404 */
export async function setProvider(
  unit: UnitOfWork,
  { provider, environment, state, priority }: z.output<typeof ProviderControlChange>,
): Promise<Audited<z.input<typeof ControlledProvider>>> {
  const bound = unit.runtime.providers.list()
  if (!bound.some((each) => each.provider === provider && each.environment === environment))
    throw errors.provider_not_found()
  const db = sqlOf(unit.em)
  const before = (await readControls(db, environment)).get(provider) ?? AS_CONFIGURED
  const after = { state: state ?? before.state, priority: priority === undefined ? before.priority : priority }
  await writeControl(db, environment, provider, after)
  return { reply: { provider, environment, ...after }, before, after }
}
