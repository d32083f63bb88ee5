import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type PDFDocument from 'pdfkit'

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

/** Each font is read once, when the first document needs it. */
const files = new Map<Face, Buffer>()

/** Shown for a character that no font has. */
export const REPLACEMENT = '\u25a1'
/** Characters that only direct the others: embeddings, overrides and isolates. No font shows them. */
export const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** The part of the font that pdfkit has loaded that tells which characters it has. */
interface LoadedFont {
  readonly _font: { readonly ascender: number; readonly font: { hasGlyphForCodePoint(point: number): boolean } }
}

/** The bytes of a font, which pdfkit makes one of its own of. */
function fileOf(face: Face): Buffer {
  const file = files.get(face) ?? readFileSync(PATHS[face]())
  files.set(face, file)
  return file
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
    if (!this.#registered.has(face)) this.#doc.registerFont(face, fileOf(face))
    this.#registered.add(face)
    this.#doc.font(face).fontSize(size)
    return ((this.#doc as unknown as LoadedFont)._font.ascender * size) / 1000
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
      const { font } = (this.#doc as unknown as LoadedFont)._font
      return font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)
    })
  }
}
