import { isId, type Tenant } from '@payments/kernel'
import {
  type Domain,
  domainsOf,
  type OperatedObject,
  type Operation,
  type OperationMeta,
  type QueryContext,
  type Runtime,
  sqlOf,
} from '@payments/platform'
import type { z } from 'zod'
import { errors } from '../errors.ts'
import type { OperatedObject as Shown } from '../schemas.ts'

/** The kinds of objects that operators open by their id. */
export const objectsOf = (runtime: Runtime): readonly OperatedObject[] =>
  domainsOf(runtime).flatMap(({ operators }) => operators?.objects ?? [])

type Procedure = { readonly _def: { readonly meta: OperationMeta & { readonly operation: Operation } } }

/**
 * The names of a domain's commands of operators whose path ends with an id called `parameter`. Objects of two domains may call their ids
 * alike, as sessions of checkouts and of members do: the commands of an object are those of its own domain.
 */
function commandsOf({ api }: Domain, parameter: string): string[] {
  const walk = (record: object, name: string): string[] =>
    Object.entries(record).flatMap(([key, value]) => {
      const own = name === '' ? key : `${name}.${key}`
      if (typeof value !== 'function') return walk(value as object, own)
      const { openapi, operation } = (value as unknown as Procedure)._def.meta
      const last = [...(openapi?.path ?? '').matchAll(/\{(\w+)\}/g)].at(-1)?.[1]
      return operation.operatorCommand && last === parameter ? [own] : []
    })
  return walk(api?.router ?? {}, '')
}

/**
 * An object of any organisation and environment, as its GET shows it to the merchant, and the commands that concern it.
 * @throws object_not_found 404
 */
export async function operatedObject(context: QueryContext, id: string): Promise<z.input<typeof Shown>> {
  const kinds = domainsOf(context.runtime).flatMap((domain) =>
    (domain.operators?.objects ?? []).map((object) => ({ ...object, domain })),
  )
  const each = kinds.map(({ kind, table }) => `select '${kind}' as kind from ${table} where id = $1`)
  const { rows } = isId(id)
    ? await sqlOf(context.em).query<{ kind: string }>(`${each.join(' union all ')} limit 1`, [id])
    : { rows: [] }
  const found = kinds.find(({ kind }) => kind === rows[0]?.kind)
  const row =
    found &&
    ((await context.em.findOne(found.entity, { id }, { filters: false, disableIdentityMap: true })) as Tenant | null)
  if (!found || !row) throw errors.object_not_found()
  const { kind, parameter = null, present, domain } = found
  const { organisationId, environment } = row
  return {
    ...{ kind, id: id.toLowerCase(), organisationId, environment, parameter },
    commands: parameter === null ? [] : commandsOf(domain, parameter),
    object: present(row),
  }
}
