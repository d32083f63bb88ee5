/** Documents as PDF: tagged, so that a screen reader reads them in order, with embedded fonts for the scripts in daily use. */
export { type PdfRequest, pdf } from './documents.ts'
export { escapeXml } from './escape.ts'
export type { Cells, PdfPage } from './page.ts'
export { DIRECTION_MARKS } from './text/marks.ts'
