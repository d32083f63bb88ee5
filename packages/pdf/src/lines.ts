import bidiFactory from 'bidi-js'
import type { Doc, Face, Fonts } from './fonts.ts'
import { DIRECTION_MARKS } from './marks.ts'

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
  readonly features: { readonly features?: [] }
  readonly width: number
}

/** A line of text: its parts from left to right. */
export interface Line {
  readonly runs: readonly Run[]
  readonly width: number
}

const HAN = /\p{Script=Han}/u
/** What does not begin a line of Chinese, and what does not end one. */
const CLOSING = /[\s\p{Pe}\p{Pf}，。、；：？！]/u
const OPENING = /[\p{Ps}\p{Pi}]/u
/** Letters that join and are written from right to left, which the font turns around itself. */
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u

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
      for (const character of piece) {
        const next = widthOf(character)
        if (end > start && used + next > width) finish()
        end += character.length
        used += next
      }
  }
  if (end > start || rows.length === 0) finish()
  return rows
}

/** What a line takes as a whole: words with the space behind them, and each character of Chinese. */
function piecesOf(paragraph: string): string[] {
  const pieces: string[] = []
  let before = ''
  for (const character of paragraph) {
    const isHan = HAN.test(character) || HAN.test(before)
    const begins = /\s/.test(before)
      ? !/\s/.test(character)
      : isHan && !CLOSING.test(character) && !OPENING.test(before)
    if (begins || pieces.length === 0) pieces.push(character)
    else pieces[pieces.length - 1] += character
    before = character
  }
  return pieces
}

/** The width of a text. */
function widthOf(doc: Doc, fonts: Fonts, text: string, style: Style): number {
  const shown = text.replace(DIRECTION_MARKS, '')
  const parts = [...Map.groupBy(runsIn(shown, fonts, style), ({ run }) => run).values()]
  return parts.reduce((total, characters) => {
    const part = characters.map(({ character }) => character).join('')
    fonts.use(characters[0]?.face ?? 'regular', style.size)
    return total + doc.widthOfString(part, joining(part))
  }, 0)
}

/** The characters of a text with their font, and the number of the run of one font that they are in. */
function runsIn(text: string, fonts: Fonts, { bold }: Style) {
  let run = 0
  let face: Face = 'regular'
  return [...text].map((character) => {
    const next = fonts.faceOf(character, bold) ?? face
    if (next !== face) run++
    face = next
    return { character, face, run }
  })
}

/** Features make pdfkit lay out a text as a whole, without its cache of words: letters that join are turned around as a whole. */
const joining = (text: string): { features?: [] } => (RIGHT_TO_LEFT.test(text) ? { features: [] } : {})

interface Part {
  readonly paragraph: string
  readonly levels: ReturnType<typeof bidi.getEmbeddingLevels>
  readonly start: number
  readonly end: number
}

/** Part of a paragraph as one line, its runs in the order in which they are seen. */
function lineOf(doc: Doc, fonts: Fonts, { paragraph, levels, start, end }: Part, style: Style): Line {
  const text = paragraph.slice(start, end).trimEnd()
  const last = start + text.length
  if (text === '') return { runs: [], width: 0 }
  const mirrored = bidi.getMirroredCharactersMap(paragraph, levels.levels, start, last - 1)
  const faces = runsIn(text, fonts, style).flatMap(({ character, face }) => Array<Face>(character.length).fill(face))
  const found: { readonly level: number; readonly face: Face; readonly indices: number[] }[] = []
  for (const index of bidi.getReorderedIndices(paragraph, levels, start, last - 1).slice(start, last)) {
    const [level = 0, face = 'regular'] = [levels.levels[index], faces[index - start]]
    const before = found.at(-1)
    if (before && before.level === level && before.face === face) before.indices.push(index)
    else found.push({ level, face, indices: [index] })
  }
  const runs = found.flatMap(({ level, face, indices }) => {
    const isTurned = level % 2 === 1
    const read = (isTurned ? indices.toReversed() : indices).map((index) => mirrored.get(index) ?? paragraph[index])
    const letters = read.join('').replace(DIRECTION_MARKS, '')
    const features = joining(letters)
    const shown = isTurned && !features.features ? [...letters].reverse().join('') : letters
    fonts.use(face, style.size)
    return shown === '' ? [] : [{ text: shown, face, features, width: doc.widthOfString(shown, features) }]
  })
  return { runs, width: runs.reduce((total, run) => total + run.width, 0) }
}

/** Writes a line with its left end at `left` and its top at `top`. */
export function writeLine(doc: Doc, fonts: Fonts, line: Line, { size, left, top }: Style & Place): void {
  const baseline = top + fonts.use('regular', size)
  let x = left
  for (const { text, face, features, width } of line.runs) {
    fonts.use(face, size)
    doc.text(text, x, baseline, { lineBreak: false, baseline: 'alphabetic', ...features })
    x += width
  }
}

interface Place {
  readonly left: number
  readonly top: number
}
