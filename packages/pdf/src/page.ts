import encodeQR from 'qr'
import { REGULAR } from './text/faces.ts'
import type { Doc, Fonts } from './text/fonts.ts'
import { type Line, linesOf, type Style, writeLine } from './text/lines.ts'

const LEFT = 56
const WIDTH = 483
const ROW = 18
/** Space around the text of a cell. */
const PADDING = 8
const MUTED = '#555555'
const LABEL_WIDTH = 140
const LOGO = { width: 180, height: 48 } as const
/** Modules of white around a code, of which readers need four (ISO/IEC 18004). */
const QUIET = 4
const CODE_SIZE = 110

/** One row of a table: a text for each column. */
export type Cells = readonly string[]

interface PdfText {
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
  /** The first row is the heading. `widths` are in points, 483 in all; the first column is aligned to the beginning, the others to the end. */
  table(rows: readonly Cells[], widths: readonly number[]): void
  /** Labels with their values. A value has the direction of its first letter. */
  facts(rows: readonly (readonly [label: string, value: string])[]): void
  /** An image in PNG or JPEG, at most 180 by 48 points. @param name what it shows, for those who do not see it */
  logo(image: Uint8Array, name: string): void
  /** A text as a QR code, drawn as shapes, with `beside` next to it. @param name what it is, for those who do not see it */
  code(text: string, name: string, beside: readonly string[]): void
}

/** What pdfkit has and its types do not. */
interface Pages {
  continueOnNewPage(): void
}

/** Writes into the document. @param rtl from right to left */
export function pageOf(doc: Doc, fonts: Fonts, root: PDFKit.PDFStructureElement, rtl: boolean): PdfPage {
  const base = rtl ? 'rtl' : 'ltr'
  const height = (size: number): number => {
    fonts.use(REGULAR, size)
    return doc.currentLineHeight(true)
  }
  /** Writes lines into a box from its beginning, or to its end. */
  const write = (lines: readonly Line[], style: Style, { left, width, top, toEnd = false }: Box) => {
    for (const [index, line] of lines.entries())
      writeLine(doc, fonts, line, {
        ...style,
        left: rtl === toEnd ? left : left + width - line.width,
        top: top + index * height(style.size),
      })
  }
  /** The left side of what is so wide and begins so far from the beginning of the lines. */
  const leftOf = (start: number, width: number): number => (rtl ? LEFT + WIDTH - start - width : LEFT + start)
  /** Begins a page where the present one has no room for so much. */
  const needs = (points: number) => {
    if (doc.y + points > doc.page.maxY()) doc.addPage()
  }

  /** Rows of cells, whose columns have these widths. */
  const rowsOf = (
    rows: readonly Cells[],
    columns: readonly Column[],
    styleOf: (row: number, column: number) => Cell,
  ) => {
    const table = doc.struct('Table')
    root.add(table)
    for (const [index, cells] of rows.entries()) {
      const found = cells.map((text, column) => {
        const { start = 0, width = 0, toEnd = false } = columns[column] ?? {}
        const { tag, style, direction = base, muted } = styleOf(index, column)
        const lines = linesOf(doc, fonts, text, { ...style, direction, width: width - PADDING })
        return { tag, style, lines, muted, left: leftOf(start, width), width: width - PADDING, toEnd }
      })
      const heights = found.map(({ lines, style }) => lines.length * height(style.size) + 6)
      const needed = Math.max(ROW, ...heights)
      needs(needed)
      const top = doc.y
      const row = doc.struct('TR')
      table.add(row)
      for (const { tag, style, lines, left, muted, ...box } of found)
        row.add(
          doc.struct(tag, {}, () => {
            doc.fillColor(muted ? MUTED : '#000000')
            write(lines, style, { ...box, left: rtl ? left + PADDING : left, top })
          }),
        )
      row.end()
      doc.y = top + needed
    }
    table.end()
  }

  return {
    text(text, { tag = 'P', bold = false, size = 10, muted = false, gap = 2 } = {}) {
      const style = { bold, size }
      const lines = linesOf(doc, fonts, text, { ...style, direction: base, width: WIDTH })
      root.add(
        doc.struct(tag, {}, () => {
          for (const line of lines) {
            if (doc.y + height(size) > doc.page.maxY()) (doc as unknown as Pages).continueOnNewPage()
            const top = doc.y
            doc.fillColor(muted ? MUTED : '#000000')
            write([line], style, { left: LEFT, width: WIDTH, top })
            doc.y = top + height(size)
          }
        }),
      )
      doc.y += gap
    },
    space(points) {
      doc.y += points
    },
    table(rows, widths) {
      let start = 0
      const columns = widths.map((width, index) => {
        const column = { start, width, toEnd: index > 0 }
        start += width
        return column
      })
      rowsOf(rows, columns, (row) => ({ tag: row === 0 ? 'TH' : 'TD', style: { bold: row === 0, size: 9 } }))
    },
    facts(rows) {
      const columns = [
        { start: 0, width: LABEL_WIDTH },
        { start: LABEL_WIDTH, width: WIDTH - LABEL_WIDTH },
      ]
      rowsOf(rows, columns, (_row, column) =>
        column === 0
          ? { tag: 'TH', style: { bold: false, size: 9 }, muted: true }
          : { tag: 'TD', style: { bold: false, size: 9 }, direction: 'auto' },
      )
    },
    logo(image, name) {
      needs(LOGO.height)
      const top = doc.y
      root.add(
        doc.struct('Figure', { alt: name }, () => {
          const align = rtl ? 'right' : undefined
          doc.image(Buffer.from(image), leftOf(0, LOGO.width), top, {
            fit: [LOGO.width, LOGO.height],
            ...(align && { align }),
          })
        }),
      )
      doc.y = top + LOGO.height + 8
    },
    code(text, name, beside) {
      needs(CODE_SIZE)
      const top = doc.y
      const left = leftOf(0, CODE_SIZE)
      root.add(doc.struct('Figure', { alt: name }, () => drawCode(doc, text, left, top)))
      const width = WIDTH - CODE_SIZE - PADDING
      const style = { bold: false, size: 10 }
      let next = top + 10
      for (const each of beside) {
        const lines = linesOf(doc, fonts, each, { ...style, direction: base, width })
        root.add(
          doc.struct('P', {}, () => {
            doc.fillColor('#000000')
            write(lines, style, { left: leftOf(CODE_SIZE + PADDING, width), width, top: next })
          }),
        )
        next += lines.length * height(style.size) + 2
      }
      doc.y = Math.max(top + CODE_SIZE, next)
    },
  }
}

interface Box {
  readonly left: number
  readonly width: number
  readonly top: number
  /** Aligned to the end of the lines. */
  readonly toEnd?: boolean
}

interface Column {
  /** Distance from the beginning of the lines. */
  readonly start: number
  readonly width: number
  readonly toEnd?: boolean
}

interface Cell {
  readonly tag: 'TH' | 'TD'
  readonly style: Style
  readonly direction?: 'auto'
  readonly muted?: boolean
}

/** Fills the dark modules of a code: whatever size it is printed in, it stays sharp. */
function drawCode(doc: Doc, text: string, left: number, top: number): void {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET })
  const size = CODE_SIZE / modules.length
  for (const [row, cells] of modules.entries())
    for (const [column, isDark] of cells.entries())
      if (isDark) doc.rect(left + column * size, top + row * size, size, size)
  doc.fill('#000000')
}
