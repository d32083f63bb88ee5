import type { EntityDictionary, EntityMetadata, EntitySchema, InferEntity } from '@mikro-orm/core'
import type { QueryContext } from '../operations/context.ts'
import { countOf } from '../records/counts.ts'
import { sqlOf } from '../transactions/unit.ts'
import { rowMapper } from './every-row.ts'

/** How many rows a list returns at most (specification, Limits). */
const NEWEST = 200

/** Which rows of the tenant a list shows. */
export interface Listed {
  /** SQL, whose first parameter is `$3`. */
  readonly where?: string
  readonly values?: readonly unknown[]
  /** The column of time that it is ordered by, the newest first. */
  readonly by?: string
}

/**
 * The newest 200 rows of the actor's tenant that a list shows, and the exact number of all of them, for tables whose migrations
 * `countRows`. The rows are plain, like those of `everyRow`: reading them takes a third of what the ORM's entities take. What filters of the
 * entity besides the tenant's leave out, `where` must leave out.
 * @param scopes as in {@link countOf}; its parameters are the values of the list
 */
export async function newestAndTotal<E extends EntitySchema>(
  context: QueryContext,
  entity: E,
  { scopes, ...listed }: Listed & { readonly scopes?: string } = {},
): Promise<{ rows: InferEntity<E>[]; total: number }> {
  const { tableName } = context.runtime.orm.getMetadata().get(entity.meta.class)
  const [rows, total] = await Promise.all([
    newest(context, entity, listed),
    countOf(sqlOf(context.em), context.actor, tableName, scopes, listed.values),
  ])
  return { rows, total }
}

/** The newest 200 rows of the actor's tenant that a list shows, for a list whose total is counted otherwise. */
export async function newest<E extends EntitySchema>(
  context: QueryContext,
  entity: E,
  { where = 'true', values = [], by = 'created_at' }: Listed = {},
): Promise<InferEntity<E>[]> {
  const { organisationId, environment } = context.actor
  const meta = context.runtime.orm.getMetadata().get(entity.meta.class)
  const { rows } = await sqlOf(context.em).query<EntityDictionary<InferEntity<E>>>(
    `select ${['t.*', ...formulas(meta)].join(', ')} from ${meta.tableName} t
      where organisation_id = $1 and environment = $2 and ${where} order by ${by} desc, id desc limit ${NEWEST}`,
    [organisationId, environment, ...values],
  )
  return rows.map(rowMapper(context.runtime, entity))
}

/** The columns that the ORM computes when it reads the entity. */
const formulas = (meta: EntityMetadata): string[] =>
  meta.props.flatMap(({ formula, fieldNames }) =>
    formula ? [`${formula({} as never, { alias: 't' } as never)} as ${fieldNames[0]}`] : [],
  )
