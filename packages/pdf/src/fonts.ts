import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type PDFDocument from 'pdfkit'
import { DIRECTION_MARKS } from './marks.ts'

const require = createRequire(import.meta.url)

export type Doc = InstanceType<typeof PDFDocument>

/** Where the fonts are. DejaVu has ₦, € and Arabic, which the fonts that PDF readers contain have not; Noto has the characters of Chinese. */
const PATHS = {
  regular: () => require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
  bold: () => require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
  // This package names its index only.
  han: () => join(dirname(require.resolve('@embedpdf/fonts-sc')), '../fonts/NotoSansHans-Regular.otf'),
  hanBold: () => join(dirname(require.resolve('@embedpdf/fonts-sc')), '../fonts/NotoSansHans-Bold.otf'),
} as const
export type Face = keyof typeof PATHS

/** Characters and signs of Chinese, and Latin letters of the same width. */
const CHINESE = /[\p{Script=Han}\p{Script_Extensions=Han}\uff00-\uffef]/u

/**
 * Fonts that a document before had: each is read and parsed once in a thread, when the first document needs it. The characters of Chinese are
 * 8 MB, which take 0.2 seconds.
 */
const parsed = new Map<Face, Pick<LoadedFont, 'font' | 'constructor'>>()

/** Shown for a character that no font has. */
export const REPLACEMENT = '\u25a1'

/** A font of a document, as pdfkit has it: what it makes it of is `font`, which keeps nothing of the document. */
interface LoadedFont {
  readonly ascender: number
  readonly font: { hasGlyphForCodePoint(point: number): boolean }
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
  readonly #registered = new Set<Face>()
  readonly #faces = new Map<string, Face | undefined>()
  /** Characters that no font has, and that a box stands for. */
  readonly replaced = new Set<string>()

  constructor(doc: Doc) {
    this.#doc = doc
  }

  /** Makes a font the present one, and returns how high its letters stand above the base line. */
  use(face: Face, size: number): number {
    if (!this.#registered.has(face)) this.#register(face)
    this.#doc.font(face).fontSize(size)
    return (this.#loaded().ascender * size) / 1000
  }

  #loaded(): LoadedFont {
    return (this.#doc as unknown as WithFonts)._font
  }

  /** Gives the document a font: of the parsed one where there is one, as pdfkit does of a file. */
  #register(face: Face): void {
    this.#registered.add(face)
    const own = this.#doc as unknown as WithFonts
    const before = parsed.get(face)
    this.#doc.registerFont(face, before ? face : readFileSync(PATHS[face]()))
    if (before) own._fontFamilies[face] = new before.constructor(this.#doc, before.font, `F${++own._fontCount}`)
    this.#doc.font(face)
    if (!before) parsed.set(face, { font: own._font.font, constructor: own._font.constructor })
  }

  /** A text with characters that can be printed: PDF/A allows no glyph that stands for a missing one, a space or a tab included. */
  printable(text: string): string {
    return [...text]
      .map((character) => {
        if (character === '\n' || character.match(DIRECTION_MARKS) || this.faceOf(character, false)) return character
        if (/\s/.test(character)) return ' '
        this.replaced.add(character)
        return REPLACEMENT
      })
      .join('')
  }

  /** The font that has a character; undefined: none. */
  faceOf(character: string, bold: boolean): Face | undefined {
    const key = `${character}${bold}`
    if (!this.#faces.has(key)) this.#faces.set(key, this.#find(character, bold))
    return this.#faces.get(key)
  }

  #find(character: string, bold: boolean): Face | undefined {
    const faces: readonly Face[] = [bold ? 'bold' : 'regular', bold ? 'hanBold' : 'han']
    // The large font is not read for a symbol that it may not have either.
    const found = CHINESE.test(character) ? faces : faces.slice(0, 1)
    return found.find((face) => {
      this.use(face, 10)
      return this.#loaded().font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)
    })
  }
}
