import { isId, type Tenant } from '@payments/kernel'
import { domainsOf, type OperatedObject, type QueryContext, type Runtime, sqlOf } from '@payments/platform'
import type { z } from 'zod'
import { errors } from '../errors.ts'
import type { OperatedObject as Shown } from '../schemas.ts'

/** The kinds of objects that operators open by their id. */
export const objectsOf = (runtime: Runtime): readonly OperatedObject[] =>
  domainsOf(runtime).flatMap(({ operators }) => operators?.objects ?? [])

/**
 * An object of any organisation and environment, as its GET shows it to the merchant.
 * @throws object_not_found 404
 */
export async function operatedObject(context: QueryContext, id: string): Promise<z.input<typeof Shown>> {
  const kinds = objectsOf(context.runtime)
  const each = kinds.map(({ kind, table }) => `select '${kind}' as kind from ${table} where id = $1`)
  const { rows } = isId(id)
    ? await sqlOf(context.em).query<{ kind: string }>(`${each.join(' union all ')} limit 1`, [id])
    : { rows: [] }
  const found = kinds.find(({ kind }) => kind === rows[0]?.kind)
  const row =
    found &&
    ((await context.em.findOne(found.entity, { id }, { filters: false, disableIdentityMap: true })) as Tenant | null)
  if (!found || !row) throw errors.object_not_found()
  const { kind, parameter = null, present } = found
  const { organisationId, environment } = row
  return { kind, id: id.toLowerCase(), organisationId, environment, parameter, object: present(row) }
}
