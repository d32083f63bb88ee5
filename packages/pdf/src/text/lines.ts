import bidiFactory from 'bidi-js'
import { clustersOf, isPlain, piecesOf, scriptOf } from './clusters.ts'
import { type Face, REGULAR } from './faces.ts'
import type { Doc, Features, Fonts } from './fonts.ts'
import { DIRECTION_MARKS } from './marks.ts'
import type { WrittenIn } from './shaping.ts'

// Its types describe an ES module, which Node does not load it as.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)()

export interface Style {
  readonly bold: boolean
  readonly size: number
}

/** Direction of a paragraph; `auto`: that of its first letter. */
export type Direction = 'ltr' | 'rtl' | 'auto'

/** Part of a line in one font and one direction, in the order of reading. */
interface Run {
  readonly text: string
  readonly face: Face
  readonly written: 'ltr' | 'rtl'
  readonly options: { readonly features?: Features }
  readonly width: number
}

/** A line of text: its parts from left to right. */
export interface Line {
  readonly text: string
  readonly runs: readonly Run[]
  readonly width: number
}

/** Width of the outline of bold letters for which there is no bold font, for each point of their size. */
const OUTLINE = 0.035

/** A text in lines of at most `width` points, by the Unicode bidirectional algorithm (UAX 9). A word that is too long is broken. */
export function linesOf(
  doc: Doc,
  fonts: Fonts,
  text: string,
  { direction, width, ...style }: Style & { readonly direction: Direction; readonly width: number },
): Line[] {
  return fonts
    .printable(text)
    .split('\n')
    .flatMap((paragraph) => {
      const levels = bidi.getEmbeddingLevels(paragraph, direction)
      return rowsOf(paragraph, width, (part) => widthOf(doc, fonts, part, style)).map(({ start, end }) =>
        lineOf(doc, fonts, { paragraph, levels, start, end }, style),
      )
    })
}

/** Where the lines of a paragraph begin and end: at least one, which is empty for an empty paragraph. */
function rowsOf(paragraph: string, width: number, widthOf: (text: string) => number): { start: number; end: number }[] {
  const rows: { start: number; end: number }[] = []
  let start = 0
  let end = 0
  let used = 0
  const finish = () => {
    rows.push({ start, end })
    start = end
    used = 0
  }
  for (const piece of piecesOf(paragraph)) {
    // The space at the end of a line takes no room.
    if (end > start && used + widthOf(piece.trimEnd()) > width) finish()
    const whole = widthOf(piece)
    if (whole <= width) {
      end += piece.length
      used += whole
    } else
      for (const character of clustersOf(piece)) {
        const next = widthOf(character)
        if (end > start && used + next > width) finish()
        end += character.length
        used += next
      }
  }
  if (end > start || rows.length === 0) finish()
  return rows
}

/** The width of a text. */
function widthOf(doc: Doc, fonts: Fonts, text: string, style: Style): number {
  return partsOf(text.replace(DIRECTION_MARKS, ''), fonts, style).reduce((total, { text, face }) => {
    fonts.use(face, style.size)
    return total + widthIn(doc, text, shaped(text, 'auto'))
  }, 0)
}

/** The width of a text in the present face. */
const widthIn = (doc: Doc, text: string, options: Run['options']): number =>
  doc.widthOfString(text, options as PDFKit.Mixins.TextOptions)

/** The parts of a text in one font and one script, which are shaped as a whole, in the order of reading. */
function partsOf(text: string, fonts: Fonts, { bold }: Style): readonly Part[] {
  const parts: Part[] = []
  const needsNone = isPlain(text)
  const add = (characters: string, found: Face | undefined) => {
    const before = parts.at(-1)
    const face = found ?? before?.face ?? REGULAR
    const script = needsNone ? undefined : (scriptOf(characters) ?? before?.script)
    if (before?.face === face && (before.script ?? script) === script) {
      before.text += characters
      before.script = script
    } else parts.push({ text: characters, face, script })
  }
  for (const cluster of clustersOf(text)) {
    const face = fonts.faceOf(cluster, bold)
    if (face) add(cluster, face)
    else for (const character of cluster) add(character, fonts.faceOf(character, bold))
  }
  return parts
}

/** How pdfkit is told to have a text shaped; plain text from left to right needs no shaper. */
const shaped = (text: string, written: WrittenIn): Run['options'] =>
  written !== 'rtl' && isPlain(text) ? {} : { features: [written] }

/** Part of a text; `script` is undefined where only signs of all scripts are in it. */
interface Part {
  text: string
  readonly face: Face
  script: number | undefined
}

interface Row {
  readonly paragraph: string
  readonly levels: ReturnType<typeof bidi.getEmbeddingLevels>
  readonly start: number
  readonly end: number
}

/** Part of a paragraph as one line, its runs in the order in which they are seen. */
function lineOf(doc: Doc, fonts: Fonts, { paragraph, levels, start, end }: Row, style: Style): Line {
  const text = paragraph.slice(start, end).trimEnd()
  const last = start + text.length
  if (text === '') return { text, runs: [], width: 0 }
  const parts = partsOf(text, fonts, style).flatMap((part) => Array<Part>(part.text.length).fill(part))
  const found: { readonly level: number; readonly part: Part; readonly indices: number[] }[] = []
  for (const index of bidi.getReorderedIndices(paragraph, levels, start, last - 1).slice(start, last)) {
    const [level, part, before] = [levels.levels[index], parts[index - start], found.at(-1)]
    if (level === undefined || !part) continue
    if (before?.level === level && before.part === part) before.indices.push(index)
    else found.push({ level, part, indices: [index] })
  }
  const runs = found.flatMap(({ level, part: { face }, indices }): Run[] => {
    const written = level % 2 === 1 ? 'rtl' : 'ltr'
    // In the order of reading: the shaper turns letters around, and mirrors brackets.
    const read = indices.toSorted((a, b) => a - b).map((index) => paragraph[index])
    const shown = read.join('').replace(DIRECTION_MARKS, '')
    const options = shaped(shown, written)
    fonts.use(face, style.size)
    return shown === '' ? [] : [{ text: shown, face, written, options, width: widthIn(doc, shown, options) }]
  })
  const width = runs.reduce((total, run) => total + run.width, 0)
  return { text: text.replace(DIRECTION_MARKS, ''), runs, width }
}

/** Writes a line with its left end at `left` and its top at `top`. */
export function writeLine(doc: Doc, fonts: Fonts, line: Line, { size, left, top }: Style & Place): void {
  const { text, runs } = line
  const baseline = top + fonts.ascent(size)
  const place = { size, left, top: baseline }
  // What is copied, searched and read aloud, where the glyphs say something else. Readers turn around themselves what is written from right to left.
  const isWhole = runs.every(({ written }) => written === 'ltr')
  const unlike = runs.filter(
    (run) => !isExact(run) && fonts.readAs(run.text, run.face, run.options.features) !== run.text,
  )
  explained(doc, isWhole && unlike.length > 0 ? text : undefined, () => {
    let x = left
    for (const run of runs) {
      explained(doc, !isWhole && unlike.includes(run) ? run.text : undefined, () =>
        writeRun(doc, fonts, run, { ...place, left: x }),
      )
      x += run.width
    }
  })
}

/** Draws something that is read as `actual`, where that is given. */
function explained(doc: Doc, actual: string | undefined, draw: () => void): void {
  if (actual !== undefined) doc.markContent('Span', { actual })
  draw()
  if (actual !== undefined) doc.endMarkedContent()
}

function writeRun(
  doc: Doc,
  fonts: Fonts,
  { text, face, options }: Run,
  { size, left, top }: Place & Pick<Style, 'size'>,
) {
  fonts.use(face, size)
  if (face.isOutlined) doc.lineWidth(size * OUTLINE).strokeColor(...(doc as unknown as WithColour)._fillColor)
  const outline = face.isOutlined && { fill: true, stroke: true }
  doc.text(text, left, top, {
    lineBreak: false,
    baseline: 'alphabetic',
    ...(options as PDFKit.Mixins.TextOptions),
    ...outline,
  })
}

/** Whether a run needs no look at its glyphs: DejaVu has one for each plain character. What readers turn around themselves is left to them. */
const isExact = ({ face, written, options }: Run): boolean =>
  written === 'rtl' || (face.package === REGULAR.package && !options.features)

/** What pdfkit has and its types do not: the colour that letters are filled with. */
interface WithColour {
  readonly _fillColor: Parameters<Doc['strokeColor']>
}

interface Place {
  readonly left: number
  readonly top: number
}
