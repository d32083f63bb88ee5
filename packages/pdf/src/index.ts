/** Documents as PDF: tagged, so that a screen reader reads them in order, with embedded fonts that have ₦, €, Arabic and Chinese. */
export { escapeXml, pdf } from './document.ts'
export { DIRECTION_MARKS } from './fonts.ts'
export type { Cells, PdfPage } from './page.ts'
