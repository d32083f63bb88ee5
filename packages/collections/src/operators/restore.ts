import type { RestoreDeclaration, SqlExecutor } from '@payments/platform'

/** So many numbers of invoices are left out: more than an organisation issues in the time that a restore can forget. */
const LEFT_OUT = 1000

/** No number that an invoice may have had in the forgotten time is given to another one. */
async function secure(db: SqlExecutor): Promise<readonly string[]> {
  const { rows } = await db.query('update invoice_counters set last = last + $1 returning last', [LEFT_OUT])
  return rows.length === 0
    ? []
    : [
        `The numbers of invoices of ${rows.length} organisations go on ${LEFT_OUT} later: those between may have been issued`,
      ]
}

export const restore: RestoreDeclaration = { secure }
