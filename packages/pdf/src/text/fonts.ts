import { readFileSync } from 'node:fs'
import type PDFDocument from 'pdfkit'
import { clustersOf, INVISIBLE } from './clusters.ts'
import { candidates, type Face, type Han, pathOf, REGULAR } from './faces.ts'
import { DIRECTION_MARKS } from './marks.ts'
import type { GlyphRun, Shaper, WrittenIn } from './shaping.ts'

export type Doc = InstanceType<typeof PDFDocument>

/**
 * Fonts that a document before had, by their files: each is read and parsed once in a thread, when the first document needs it. The characters of
 * Chinese are 8 MB, which take 0.2 seconds.
 */
const parsed = new Map<string, Pick<LoadedFont, 'font' | 'constructor'>>()

/** What pdfkit takes for the features of a font: with it, {@link Fonts} have a text shaped. */
export type Features = readonly [WrittenIn]

/** Shown for a character that no font has. */
export const REPLACEMENT = '\u25a1'

/** A font of a document, as pdfkit has it: what it makes it of is `font`, which keeps nothing of the document. */
interface LoadedFont {
  readonly ascender: number
  /** For each glyph of the document, the characters that are read from it. */
  readonly unicode: readonly (readonly number[])[]
  /** The glyphs of a text, as hexadecimal numbers, in the order in which they are drawn. */
  encode(text: string, features?: Features): [glyphs: string[], positions: unknown]
  layout: (text: string, features?: Features, ...rest: unknown[]) => GlyphRun
  readonly font: {
    hasGlyphForCodePoint(point: number): boolean
    /** Its glyphs by their numbers, each with the characters that it was read for first. */
    readonly _glyphs: Record<number, { readonly codePoints: readonly number[] }>
  }
  readonly constructor: new (doc: Doc, font: LoadedFont['font'], id: string) => LoadedFont
}

/** What pdfkit has and its types do not: its fonts by name. */
interface WithFonts {
  readonly _font: LoadedFont
  readonly _fontFamilies: Record<string, LoadedFont>
  _fontCount: number
}

/** The fonts of one document. */
export class Fonts {
  readonly #doc: Doc
  readonly #han: Han
  readonly #shaper: Shaper | undefined
  readonly #registered = new Set<string>()
  readonly #faces = new Map<string, Face | undefined>()
  /** Characters that no font has, and that a box stands for. */
  readonly replaced = new Set<string>()

  /** @param han how Han characters are written in it @param shaper without it, all of its texts are plain and are written from left to right */
  constructor(doc: Doc, han: Han, shaper: Shaper | undefined) {
    this.#doc = doc
    this.#han = han
    this.#shaper = shaper
  }

  /** Makes a face the present one. */
  use(face: Face, size: number): void {
    if (!this.#registered.has(face.file)) this.#register(face)
    this.#doc.font(face.file).fontSize(size)
  }

  /** How high the letters of most text stand above the base line. */
  ascent(size: number): number {
    this.use(REGULAR, size)
    return (this.#loaded().ascender * size) / 1000
  }

  /** What is read from the glyphs of a text: another one where they are drawn in another order, or are those of other characters, too. */
  readAs(text: string, face: Face, features?: Features): string {
    this.use(face, 10)
    const font = this.#loaded()
    const [glyphs] = font.encode(text, features)
    return glyphs.map((glyph) => String.fromCodePoint(...(font.unicode[Number.parseInt(glyph, 16)] ?? []))).join('')
  }

  #loaded(): LoadedFont {
    return (this.#doc as unknown as WithFonts)._font
  }

  /** Gives the document a font: of the parsed one where there is one, as pdfkit does of a file. */
  #register(face: Face): void {
    const { file } = face
    this.#registered.add(file)
    const own = this.#doc as unknown as WithFonts
    const before = parsed.get(file)
    this.#doc.registerFont(file, before ? file : readFileSync(pathOf(face)))
    if (before) {
      // Those that were only parts of others in a document before would stand for no character in this one.
      const glyphs = before.font._glyphs
      for (const id in glyphs) if (glyphs[id]?.codePoints.length === 0) delete glyphs[id]
      own._fontFamilies[file] = new before.constructor(this.#doc, before.font, `F${++own._fontCount}`)
    }
    this.#doc.font(file)
    if (!before) parsed.set(file, { font: own._font.font, constructor: own._font.constructor })
    this.#shapes(face, own._font)
  }

  /** Has texts laid out by the shaper that are given to pdfkit with a direction: see {@link Features}. */
  #shapes(face: Face, font: LoadedFont): void {
    const shaper = this.#shaper
    if (!shaper) return
    const layout = font.layout
    // A text is measured several times before it is written.
    const known = new Map<string, GlyphRun>()
    font.layout = (text, features, ...rest) => {
      if (!features) return layout.call(font, text, features, ...rest)
      const key = features[0] + text
      const run = known.get(key) ?? shaper(face, text, features[0])
      known.set(key, run)
      return run
    }
  }

  /** A text with characters that can be printed: PDF/A allows no glyph that stands for a missing one, a space or a tab included. */
  printable(text: string): string {
    return clustersOf(text)
      .map((cluster) =>
        this.faceOf(cluster, false) ? cluster : [...cluster].map((each) => this.#shown(each)).join(''),
      )
      .join('')
  }

  /** What is printed of a character. */
  #shown(character: string): string {
    if (character === '\n' || character.match(DIRECTION_MARKS) || this.faceOf(character, false)) return character
    if (INVISIBLE.test(character)) return ''
    if (/\s/.test(character)) return ' '
    this.replaced.add(character)
    return REPLACEMENT
  }

  /** The font that has a cluster of characters; undefined: none has all of them. */
  faceOf(cluster: string, bold: boolean): Face | undefined {
    const key = `${cluster}${bold}`
    if (!this.#faces.has(key)) this.#faces.set(key, this.#find(cluster, bold))
    return this.#faces.get(key)
  }

  #find(cluster: string, bold: boolean): Face | undefined {
    const needed = [...cluster].filter((character) => character === cluster || !INVISIBLE.test(character))
    const found = candidates(cluster, bold, this.#han).find((face) => {
      this.use(face, 10)
      const { font } = this.#loaded()
      return needed.every((character) => font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0))
    })
    // A bold font has fewer characters.
    return found ?? (bold ? this.faceOf(cluster, false) : undefined)
  }
}
