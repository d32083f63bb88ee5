import { isId } from '@payments/kernel'
import { holdingsOf, type QueryContext, sqlOf } from '@payments/platform'
import type { z } from 'zod'
import { errors } from '../errors.ts'
import type { Holdings } from '../schemas.ts'

/** What an organisation has, in both environments. @throws object_not_found 404 */
export async function holdings(context: QueryContext, organisationId: string): Promise<z.input<typeof Holdings>> {
  const { rows } = isId(organisationId)
    ? await sqlOf(context.em).query('select from organisations where id = $1', [organisationId])
    : { rows: [] }
  if (rows.length === 0) throw errors.object_not_found()
  const found = await holdingsOf(context, organisationId)
  return { holdings: [...found], total: found.length }
}
