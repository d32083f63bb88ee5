import { readFileSync } from 'node:fs'
import type { Font, GlyphInfo } from 'harfbuzzjs'
import { type Face, pathOf } from './faces.ts'

/** In which direction a text is written; `auto`: in that of its script. */
export type WrittenIn = 'ltr' | 'rtl' | 'auto'

/**
 * The glyphs of a text in the order in which they are drawn, as pdfkit has them: their own widths are in units of the font, all other lengths in
 * thousandths of its size.
 */
export interface GlyphRun {
  readonly glyphs: readonly {
    readonly id: number
    readonly advanceWidth: number
    readonly codePoints: readonly number[]
  }[]
  readonly positions: readonly {
    readonly xAdvance: number
    readonly yAdvance: number
    readonly xOffset: number
    readonly yOffset: number
    readonly advanceWidth: number
  }[]
  readonly advanceWidth: number
}

/** Lays out texts of one script. The ends of lines and the order of texts in both directions are not its concern. */
export type Shaper = (face: Face, text: string, written: WrittenIn) => GlyphRun

let shaper: Shaper | undefined

/**
 * HarfBuzz, which shapes as browsers do: letters join, marks find their place, signs of syllables change their order. It is loaded when the first
 * document needs it. pdfkit's own, fontkit, throws on words of Telugu and Khmer, and draws those of Bengali, Thai and Lao wrongly.
 */
export async function loadShaper(): Promise<Shaper> {
  shaper ??= shaperOf(await import('harfbuzzjs'))
  return shaper
}

function shaperOf(harfbuzz: typeof import('harfbuzzjs')): Shaper {
  const fonts = new Map<string, { readonly font: Font; readonly scale: number }>()
  const fontOf = (face: Face) => {
    const data = new harfbuzz.Face(new harfbuzz.Blob(new Uint8Array(readFileSync(pathOf(face))).buffer))
    const found = { font: new harfbuzz.Font(data), scale: 1000 / data.upem }
    fonts.set(face.file, found)
    return found
  }
  const buffer = new harfbuzz.Buffer()
  return (face, text, written) => {
    const { font, scale } = fonts.get(face.file) ?? fontOf(face)
    buffer.reset()
    // Joiners and the like have done their work, and are not seen.
    buffer.setFlags(harfbuzz.BufferFlag.REMOVE_DEFAULT_IGNORABLES)
    buffer.addText(text)
    buffer.guessSegmentProperties()
    if (written !== 'auto') buffer.setDirection(written === 'rtl' ? harfbuzz.Direction.RTL : harfbuzz.Direction.LTR)
    harfbuzz.shape(font, buffer)
    const placed = buffer.getGlyphInfosAndPositions()
    const read = charactersOf(font, text, placed)
    // Readers turn around each character of a run from right to left, those of one glyph, too.
    if (written === 'rtl') for (const characters of read) characters.reverse()
    const widths = placed.map(({ codepoint }) => font.glyphHAdvance(codepoint))
    const positions = placed.map(({ xAdvance = 0, yAdvance = 0, xOffset = 0, yOffset = 0 }, index) => ({
      xAdvance: xAdvance * scale,
      yAdvance: yAdvance * scale,
      xOffset: xOffset * scale,
      yOffset: yOffset * scale,
      advanceWidth: (widths[index] ?? 0) * scale,
    }))
    return {
      glyphs: placed.map(({ codepoint }, index) => ({
        ...{ id: codepoint, advanceWidth: widths[index] ?? 0, codePoints: read[index] ?? [] },
      })),
      positions,
      advanceWidth: positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0),
    }
  }
}

/**
 * The characters of each glyph: HarfBuzz says which glyphs a part of the text became, and each that is the glyph of one of its characters is that;
 * the others are what remains of it.
 */
function charactersOf(
  font: Font,
  text: string,
  placed: readonly Pick<GlyphInfo, 'codepoint' | 'cluster'>[],
): number[][] {
  const starts = [...new Set(placed.map(({ cluster }) => cluster))].sort((a, b) => a - b)
  const ends = new Map(starts.map((start, index) => [start, starts[index + 1] ?? text.length]))
  const read: number[][] = []
  while (read.length < placed.length) {
    const cluster = placed[read.length]?.cluster ?? 0
    const rest = Array.from(text.slice(cluster, ends.get(cluster)), (character) => character.codePointAt(0) ?? 0)
    const others: number[][] = []
    for (let glyph = placed[read.length]; glyph?.cluster === cluster; glyph = placed[read.length]) {
      const { codepoint } = glyph
      const at = rest.length === 1 ? 0 : rest.findIndex((character) => font.nominalGlyph(character) === codepoint)
      const own = at < 0 ? [] : rest.splice(at, 1)
      if (at < 0) others.push(own)
      read.push(own)
    }
    others[0]?.push(...rest)
  }
  return read
}
