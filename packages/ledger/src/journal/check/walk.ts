import { NIL_ID } from '@payments/kernel'
import type { Counted, ReceiptDeclaration, SqlExecutor } from '@payments/platform'

export type Check = 'accounts' | 'entries' | 'seals' | 'transactions' | 'counts'

/** An inconsistency, and the row in which it was found. */
export interface Finding {
  readonly check: Check
  readonly organisationId: string
  readonly environment: string
  readonly id: string
  readonly message: string
}

/** The context of one check. */
export interface Walk {
  readonly db: SqlExecutor
  /** By kind of transaction. */
  readonly receipts: Readonly<Record<string, ReceiptDeclaration>>
  /** By table: what the counters of every domain count. */
  readonly counted: Readonly<Record<string, Counted>>
  /** Rows of one batch. */
  readonly batch: number
  find(finding: Omit<Finding, 'check'>): void
  /** Reports that this many more rows were read. */
  walked(rows: number): void
}

/** The key of a row. */
export interface RowKey {
  readonly organisation_id: string
  readonly environment: string
  readonly id: string
}

export const locationOf = (row: RowKey): Omit<Finding, 'check' | 'message'> => ({
  organisationId: row.organisation_id,
  environment: row.environment,
  id: row.id,
})

/**
 * Reads a table in the order of (organisation_id, environment, id), which has an index. `text` selects the batch after
 * `$1, $2, $3`, at most `$4` rows. A row that cannot be read is a finding, and never the end of the check.
 */
export async function each<R extends RowKey>(walk: Walk, text: string, check: (row: R) => void): Promise<void> {
  let after: RowKey = { organisation_id: NIL_ID, environment: '', id: NIL_ID }
  for (;;) {
    const { rows } = await walk.db.query<R>(text, [after.organisation_id, after.environment, after.id, walk.batch])
    for (const row of rows) {
      try {
        check(row)
      } catch (error) {
        walk.find({ ...locationOf(row), message: `cannot be read: ${(error as Error).message}` })
      }
    }
    walk.walked(rows.length)
    const last = rows.at(-1)
    if (!last || rows.length < walk.batch) return
    after = last
  }
}
