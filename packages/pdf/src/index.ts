/** Documents as PDF: tagged, so that a screen reader reads them in order, with embedded fonts that have ₦, €, Arabic and Chinese. */
export { type PdfRequest, pdf } from './documents.ts'
export { escapeXml } from './escape.ts'
export { DIRECTION_MARKS } from './marks.ts'
export type { Cells, PdfPage } from './page.ts'
