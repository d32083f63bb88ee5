import { type CheckConstraint, type EntitySchema, type IndexColumnOptions, p, Type } from '@mikro-orm/core'
import { type Environment, environments, type Machine } from '@payments/kernel'
import { statusChecks, type Variant } from './lifecycle.ts'

/** Integer minor units: `numeric(78,0)` in the database (18 decimals of ETH overflow 64 bits), `bigint` in the code. */
class MinorUnits extends Type<bigint | null, string | null> {
  override convertToDatabaseValue(value: bigint | string | null): string | null {
    return value?.toString() ?? null
  }
  override convertToJSValue(value: string | bigint | null): bigint | null {
    return value === null ? null : BigInt(value)
  }
  override getColumnType(): string {
    return 'numeric(78,0)'
  }
  override compareAsType(): string {
    return 'bigint'
  }
}

/** A column of {@link MinorUnits}. */
export const minorUnits = () => p.type(MinorUnits).$type<bigint>()

/** Columns of every business row, for `defineEntity`. */
export const tenant = () => ({
  organisationId: p.uuid(),
  environment: p.enum(environments),
})

/** The same columns in tables without a check of the environment: it is copied from a row of a table that has one. */
export const inheritedTenant = () => ({
  organisationId: p.uuid(),
  environment: p.text().$type<Environment>(),
})

/** Times of every row, milliseconds. */
export const times = () => ({
  createdAt: p.datetime(3),
  updatedAt: p.datetime(3),
})

/** A time with the database's full precision: for times that only statements compare, and for `infinity`. */
export const instant = () => p.datetime().columnType('timestamptz')

/**
 * Spread into `defineEntity`: the primary key of the table, in columns, where it is not the ORM's. The ORM finds the rows of a tenant by their
 * `id`; the table's key begins with the organisation, so that its rows can be distributed over servers by organisation.
 */
export const keyedBy = (...columns: readonly string[]) => ({ primaryKey: columns })

/** Spread into `defineEntity`: the name of the primary key, where it is not the one that PostgreSQL gives it. */
export const primaryKeyNamed = (name: string) => ({ primaryKeyName: name })

/** {@link keyedBy} the tenant and the id: what other tables of the same tenant refer to with {@link withinTenant}. */
export const keyedByTenant = keyedBy('organisation_id', 'environment', 'id')

/** The index behind what finds rows without their organisation: a pay page, a callback of a provider, a job. */
export const byId = (table: string) => index(`${table}_id`, ['id'])

/** An index. `columns` are properties, each with an optional direction (`createdAt desc`); `where` makes it partial. */
export const index = (name: string, columns: readonly string[], where?: string) => ({
  name,
  columns: columns.map((column): IndexColumnOptions => {
    const [property = '', sort] = column.split(' ')
    return sort === 'desc' ? { name: property, sort } : { name: property }
  }),
  ...(where === undefined ? {} : { where }),
})

/** A unique index that is not a constraint: on expressions, partial, or added after the table. */
export const uniqueIndex = (name: string, definition: string) => ({
  name,
  expression: `create unique index ${name} on ${definition}`,
})

/** The index behind a list of the tenant's rows, newest first. */
export const newestFirst = (table: string) =>
  index(`${table}_newest`, ['organisationId', 'environment', 'createdAt desc', 'id desc'])

/** The checks that a state table requires of its table's rows. */
export const machineChecks = (table: string, { states }: Machine, variant?: Variant): CheckConstraint[] =>
  statusChecks(
    table,
    Object.fromEntries(Object.entries(states).map(([state, { needs = [] }]) => [state, needs] as const)),
    variant,
  )

/** A foreign key, in columns. Its name is the one that PostgreSQL gives it, unless the table gives another. */
export interface ForeignKey {
  readonly columns: readonly string[]
  readonly table: string
  readonly referenced: readonly string[]
  readonly onDelete?: 'cascade'
  readonly name?: string
}

/**
 * Foreign keys, spread into `defineEntity`. The ORM creates them only for relations. Entities here hold plain ids: a
 * relation would change what reading a row loads, and the ORM leaves out the keys of relations that are not persisted.
 */
export const foreignKeys = (...keys: ForeignKey[]): { readonly foreignKeys: readonly ForeignKey[] } => ({
  foreignKeys: keys,
})

/** A reference to the row's organisation. */
export const ofOrganisation: ForeignKey = { columns: ['organisation_id'], table: 'organisations', referenced: ['id'] }

/** A reference to a row of the same organisation and environment, whose table is {@link keyedByTenant}. */
export const withinTenant = (column: string, table: string): ForeignKey => ({
  columns: ['organisation_id', 'environment', column],
  table,
  referenced: ['organisation_id', 'environment', 'id'],
})

/**
 * Spread into `defineEntity` for a table without a primary key. The ORM does not accept such an entity, so all of its
 * columns are declared primary; {@link describedTable} says that the table has none.
 */
export const withoutPrimaryKey = { withoutPrimaryKey: true } as const

/** Spread into `defineEntity` for a table that is partitioned by ranges of its ids. The ORM wants to know every partition; jobs make and drop them. */
export const partitionedById = { partitionedById: true } as const

/** What an entity says of its table beyond what the ORM knows. */
export const describedTable = (meta: EntitySchema['meta']) =>
  meta as typeof meta &
    Partial<
      ReturnType<typeof foreignKeys> &
        ReturnType<typeof keyedBy> &
        ReturnType<typeof primaryKeyNamed> &
        typeof withoutPrimaryKey &
        typeof partitionedById
    >

/**
 * The filter that keeps organisations and environments apart. On by default; an entity manager without its parameters
 * throws instead of seeing everything.
 */
export const tenantFilter = {
  tenant: {
    name: 'tenant',
    cond: (args: Record<string, unknown>) => ({ organisationId: args.organisationId, environment: args.environment }),
    default: true,
    args: true,
    strict: true,
  },
}
