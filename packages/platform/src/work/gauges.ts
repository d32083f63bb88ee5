import type { Environment } from '@payments/kernel'
import type { Runtime } from '../operations/context/context.ts'

/** The value of a gauge for each environment: rows of `environment` and `value`; 0 for one without a row. */
export async function byEnvironment(
  { pool }: Runtime,
  text: string,
  values: unknown[] = [],
): Promise<Record<Environment, number>> {
  const { rows } = await pool.query<{ environment: Environment; value: number }>(text, values)
  return { test: 0, live: 0, ...Object.fromEntries(rows.map(({ environment, value }) => [environment, value])) }
}
