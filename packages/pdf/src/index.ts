/** Documents as PDF: tagged, so that a screen reader reads them in order, with embedded fonts that have ₦ and €. */
export { type Cells, escapeXml, type PdfPage, type PdfText, pdf } from './document.ts'
