import { p, Type } from '@mikro-orm/core'
import type { Environment } from '@payments/kernel'

/** Integer minor units: `numeric(78,0)` in the database (18 decimals of ETH overflow 64 bits), `bigint` in the code. */
export class MinorUnits extends Type<bigint | null, string | null> {
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
  environment: p.string().$type<Environment>(),
})

/** Times of every row, milliseconds. */
export const times = () => ({
  createdAt: p.datetime(3),
  updatedAt: p.datetime(3),
})

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
