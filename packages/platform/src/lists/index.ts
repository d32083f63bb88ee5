/** Lists as replies: the newest rows, pages, and files of all rows. */

export { type ExportSource, exportCsv, exportedAmount, exportedTime, exportInput } from './export.ts'
export { newest, newestAndTotal } from './newest.ts'
export { pages, rowMapper } from './pages.ts'
