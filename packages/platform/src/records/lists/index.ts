/** Lists as replies: the newest rows, pages, and files of all rows. */

export { csvRecord, spreadsheetText } from './csv.ts'
export { everyRow } from './every-row.ts'
export {
  BYTE_ORDER_MARK,
  type ExportSource,
  exportCsv,
  exportedAmount,
  exportedTime,
  exportInput,
  FIRST_VALUE,
  rangeIn,
  timeRange,
  timeZone,
} from './export.ts'
export { NEWEST, newestAndTotal, rowsAndTotal } from './newest.ts'
export { columnsOf, listSqlOf, rowMapper, rowsOf } from './rows.ts'
export {
  amountBound,
  anyOf,
  beginsWords,
  columnIn,
  createdFilters,
  foundTotal,
  nextPage,
  numberBetween,
  pageFields,
  type SearchCondition,
  searchedText,
  searchRows,
  wordsOf,
} from './search.ts'
export { spellingsOf } from './spellings.ts'
