import type { ReceiptDeclaration, SqlExecutor } from '@payments/platform'

export type Check = 'accounts' | 'entries' | 'seals' | 'transactions'

/** Something that disagrees, and where. */
export interface Finding {
  readonly check: Check
  readonly organisationId: string
  readonly environment: string
  readonly id: string
  readonly message: string
}

/** What one check works with. */
export interface Walk {
  readonly db: SqlExecutor
  /** By kind of transaction. */
  readonly receipts: Readonly<Record<string, ReceiptDeclaration>>
  /** Rows of one batch. */
  readonly batch: number
  find(finding: Omit<Finding, 'check'>): void
  /** Tells that so many more rows were walked. */
  walked(rows: number): void
}

/** Where a row lives. */
export interface Place {
  readonly organisation_id: string
  readonly environment: string
  readonly id: string
}

export const at = (row: Place): Omit<Finding, 'check' | 'message'> => ({
  organisationId: row.organisation_id,
  environment: row.environment,
  id: row.id,
})

const NIL = '00000000-0000-0000-0000-000000000000'

/**
 * Walks a table in the order of (organisation_id, environment, id), which has an index. `text` selects the batch after
 * `$1, $2, $3`, at most `$4` rows.
 */
export async function each<R extends Place>(walk: Walk, text: string, look: (row: R) => void): Promise<void> {
  let after: Place = { organisation_id: NIL, environment: '', id: NIL }
  for (;;) {
    const { rows } = await walk.db.query<R>(text, [after.organisation_id, after.environment, after.id, walk.batch])
    for (const row of rows) look(row)
    walk.walked(rows.length)
    const last = rows.at(-1)
    if (!last || rows.length < walk.batch) return
    after = last
  }
}
