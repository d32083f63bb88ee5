import { countProblems } from '@payments/platform'
import type { Walk } from './walk.ts'

/** Compares every counter with the rows that it counts: totals of lists are read from counters. */
export async function checkCounts({ db, counted, find, walked }: Walk): Promise<void> {
  for (const [table, of] of Object.entries(counted)) {
    for (const { scope, rows, counted: number, ...tenant } of await countProblems(db, table, of))
      find({ ...tenant, id: scope, message: `counts ${number} ${table}, there are ${rows}` })
    walked(1)
  }
}
