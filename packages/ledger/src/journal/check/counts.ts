import { countProblems } from '@payments/platform'
import { balanceDays, feeDays, settlementDays, transactionDays } from '../../schema/days.ts'
import { sumProblems } from '../../schema/sums.ts'
import type { Walk } from './walk.ts'

/** Compares every counter with the rows that it counts, and every day's sums with the list and the journal: totals and reports are read from them. */
export async function checkCounts({ db, counted, find, walked }: Walk): Promise<void> {
  for (const [table, of] of Object.entries(counted)) {
    for (const { scope, rows, counted: number, ...tenant } of await countProblems(db, table, of))
      find({ ...tenant, id: scope, message: `counts ${number} ${table}, there are ${rows}` })
    walked(1)
  }
  for (const sums of [transactionDays, settlementDays, balanceDays, feeDays]) {
    for (const { part, kept, actual, ...tenant } of await sumProblems(db, sums))
      find({ ...tenant, id: part, message: `${sums.table} has ${kept}, its rows are ${actual}` })
    walked(1)
  }
}
