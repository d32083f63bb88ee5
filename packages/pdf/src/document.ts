import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type PDFDocument from 'pdfkit'

const require = createRequire(import.meta.url)
/** Both fonts, read once. They have ₦ and €; the fonts that PDF readers contain have neither. */
let fonts: { readonly regular: Buffer; readonly bold: Buffer } | undefined

/** Shown for a character that the font does not have. */
const REPLACEMENT = '\u25a1'
const MARGIN = 56
const WIDTH = 483
const ROW = 18
const MUTED = '#555555'
/** Below this a page has no room for another row. */
const BOTTOM = 730

type Doc = InstanceType<typeof PDFDocument>

/** The part of the font that pdfkit has loaded that tells which characters it has. */
interface LoadedFont {
  readonly _font: { readonly font: { hasGlyphForCodePoint(point: number): boolean } }
}

/** The part of a document with which pdfkit writes its metadata as XML. */
interface WithMetadata {
  info: Readonly<Record<string, unknown>>
  _addInfo(): void
  appendXML(xml: string): void
}

/** One row of a table: a text for each column. */
export type Cells = readonly string[]

export interface PdfText {
  readonly tag?: 'P' | 'H1' | 'H2'
  readonly bold?: boolean
  readonly size?: number
  readonly muted?: boolean
  /** Space below. */
  readonly gap?: number
}

/** What a document is written with, from top to bottom. */
export interface PdfPage {
  text(text: string, style?: PdfText): void
  space(points: number): void
  /** The first row is the heading. `widths` are in points, 483 in all; the first column is aligned left, the others right. */
  table(rows: readonly Cells[], widths: readonly number[]): void
}

export interface PdfInfo {
  readonly title: string
  readonly author: string
  readonly createdAt: Date
  readonly attachment?: PdfAttachment | undefined
}

/** A file in a document. */
interface PdfAttachment {
  readonly name: string
  /** Media type. */
  readonly type: string
  readonly description: string
  /** What it is to the document (`AFRelationship` of ISO 19005-3). */
  readonly relationship: 'Alternative' | 'Data'
  readonly content: string
  /** What the metadata of the document say of it: elements of RDF. */
  readonly metadata: string
}

/**
 * A document of A4 pages for archives: PDF/A-3b (ISO 19005-3), tagged. A character that the fonts do not have is replaced by a box, and a line at the
 * end says so.
 * @returns the file, and the characters that were replaced
 */
export async function pdf(
  { title, author, createdAt, attachment }: PdfInfo,
  write: (page: PdfPage) => void,
): Promise<{ file: Buffer; replaced: readonly string[] }> {
  // Loaded with the first document that is made.
  const { default: Document } = await import('pdfkit')
  fonts ??= {
    regular: readFileSync(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')),
    bold: readFileSync(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')),
  }
  const doc = new Document({
    size: 'A4',
    margin: MARGIN,
    tagged: true,
    lang: 'en',
    displayTitle: true,
    pdfVersion: '1.7',
    subset: 'PDF/A-3b',
    info: { Title: title, Author: author, CreationDate: createdAt },
    font: fonts.regular as unknown as string,
  })
  escapeMetadata(doc as unknown as WithMetadata)
  doc.registerFont('regular', fonts.regular).registerFont('bold', fonts.bold).font('regular')
  const chunks: Buffer[] = []
  const done = new Promise<Buffer>((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk))
    doc.on('end', () => resolve(Buffer.concat(chunks)))
    doc.on('error', reject)
  })
  const replaced = new Set<string>()
  const root = doc.struct('Document')
  doc.addStructure(root)
  if (attachment) attach(doc, attachment, createdAt)
  const page = pageOf(doc, root, (text) => withGlyphs(doc, text, replaced))
  write(page)
  if (replaced.size > 0)
    page.text(`${REPLACEMENT} stands for a character that cannot be printed here.`, { size: 8, muted: true })
  root.end()
  doc.end()
  return { file: await done, replaced: [...replaced] }
}

function attach(doc: Doc, { content, metadata, ...about }: PdfAttachment, at: Date): void {
  doc.file(Buffer.from(content), { ...about, creationDate: at, modifiedDate: at })
  ;(doc as unknown as WithMetadata).appendXML(metadata)
}

/** Writes the metadata as XML escapes it: pdfkit writes titles and names as they are, so one with `&` made metadata that nobody can read. */
function escapeMetadata(doc: WithMetadata): void {
  const addInfo = doc._addInfo
  doc._addInfo = () => {
    const { info } = doc
    doc.info = Object.fromEntries(
      Object.entries(info).map(([name, value]) => [name, typeof value === 'string' ? escapeXml(value) : value]),
    )
    addInfo.call(doc)
    doc.info = info
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** A text in XML 1.0: markup is escaped, and a control character that XML cannot hold is left out. */
export const escapeXml = (text: string): string =>
  text
    .replace(/[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')

function withGlyphs(doc: Doc, text: string, replaced: Set<string>): string {
  const { font } = (doc as unknown as LoadedFont)._font
  return [...text]
    .map((character) => {
      if (character === '\n' || font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)) return character
      // PDF/A allows no glyph that stands for a missing one, a space or a tab included.
      if (/\s/.test(character)) return ' '
      replaced.add(character)
      return REPLACEMENT
    })
    .join('')
}

function pageOf(doc: Doc, root: PDFKit.PDFStructureElement, clean: (text: string) => string): PdfPage {
  return {
    text(text, { tag = 'P', bold = false, size = 10, muted = false, gap = 2 } = {}) {
      root.add(
        doc.struct(tag, {}, () => {
          doc
            .font(bold ? 'bold' : 'regular')
            .fontSize(size)
            .fillColor(muted ? MUTED : '#000000')
          doc.text(clean(text), MARGIN, doc.y, { width: WIDTH })
        }),
      )
      doc.y += gap
    },
    space(points) {
      doc.y += points
    },
    table(rows, widths) {
      const element = doc.struct('Table')
      root.add(element)
      for (const [index, cells] of rows.entries()) tableRow(doc, element, cells.map(clean), widths, index === 0)
      element.end()
    },
  }
}

function tableRow(
  doc: Doc,
  table: PDFKit.PDFStructureElement,
  texts: Cells,
  widths: readonly number[],
  isHeading: boolean,
): void {
  if (doc.y > BOTTOM) doc.addPage()
  doc
    .font(isHeading ? 'bold' : 'regular')
    .fontSize(9)
    .fillColor('#000000')
  const top = doc.y
  const heights = texts.map((text, column) => doc.heightOfString(text, { width: (widths[column] ?? 0) - 8 }))
  const row = doc.struct('TR')
  table.add(row)
  let left = MARGIN
  for (const [column, text] of texts.entries()) {
    const width = widths[column] ?? 0
    const at = left
    row.add(
      doc.struct(isHeading ? 'TH' : 'TD', {}, () => {
        doc.text(text, at, top, { width: width - 8, align: column === 0 ? 'left' : 'right' })
      }),
    )
    left += width
  }
  row.end()
  doc.y = top + Math.max(ROW, ...heights.map((height) => height + 6))
}
