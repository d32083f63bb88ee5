import type { ErrorFactory } from '@payments/kernel'
import { type QueryContext, sqlOf } from '@payments/platform'
import type { Direction } from '../provider/provider.ts'

const TABLE = { offramp: 'offramps', onramp: 'onramps' } as const

/** Refuses a used reference before the provider is called; the unique index decides in the end. */
export async function checkReference(
  context: QueryContext,
  direction: Direction,
  reference: string | null | undefined,
  used: ErrorFactory,
): Promise<void> {
  if (!reference) return
  const { organisationId, environment } = context.actor
  const { rows } = await sqlOf(context.em).query(
    `select 1 from ${TABLE[direction]} where organisation_id = $1 and environment = $2 and reference = $3`,
    [organisationId, environment, reference],
  )
  if (rows.length > 0) throw used()
}
