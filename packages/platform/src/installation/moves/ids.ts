import type { SqlExecutor } from '../../database/sql.ts'
import type { Domain } from '../../domain/domain.ts'
import { declarationOf } from './tables.ts'

const PAGE = 10_000

/** SQL: organisations that have come from another cell, and have not gone since. */
const CAME = `select distinct on (organisation_id) organisation_id, direction from organisation_moves
   where state = 'arrived' order by organisation_id, ended_at desc`

/** The ids in addresses without a key of what was made in other cells and is here now: a proxy would look for it there. `cell`: the text of this one. */
export async function* movedIds(db: SqlExecutor, domains: readonly Domain[], cell: string): AsyncGenerator<string> {
  for (const table of declarationOf(domains).addressed)
    for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
      const { rows } = await db.query<{ id: string }>(
        `select id from ${table} where organisation_id in (select organisation_id from (${CAME}) c where direction = 'in')
            and id > $1 and right(id::text, 3) <> $3 order by id limit $2`,
        [after, PAGE, cell],
      )
      for (const { id } of rows) yield id
      if (rows.length < PAGE) break
      after = rows.at(-1)?.id ?? after
    }
}
