import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { isPlain } from './clusters.ts'
import fonts from './fonts.json' with { type: 'json' }

type Font = keyof typeof fonts

/** A font in one weight. */
export interface Face {
  /** Its file in its package, which is its name in a document, too. */
  readonly file: string
  readonly package: string
  /** Drawn with an outline to be bold, because it has no bold file: those of Chinese, Japanese and Korean would be 18 MB more of the package. */
  readonly isOutlined: boolean
}

const faces = Object.fromEntries(
  Object.entries<{ package: string; regular: string; bold?: string }>(fonts).map(
    ([font, { regular, bold, ...files }]) => [
      font,
      {
        regular: { ...files, file: regular, isOutlined: false },
        bold: { ...files, file: bold ?? regular, isOutlined: bold === undefined },
      },
    ],
  ),
) as Record<Font, { readonly regular: Face; readonly bold: Face }>

/** The face of most text. DejaVu has ₦, €, Arabic and Hebrew, which the fonts that PDF readers contain have not. */
export const REGULAR = faces.dejavu.regular

/** The path of the file of a face. */
export const pathOf = ({ package: name, file }: Face): string => {
  const manifest = findPackageJSON(name, import.meta.url)
  if (manifest === undefined) throw new Error(`The package ${name} is not there`)
  return join(dirname(manifest), file)
}

/** The fonts of Han characters, which are written differently in Japan and Korea; Unicode has one for all. */
export type Han = 'chinese' | 'japanese' | 'korean'

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u
const HANGUL = /\p{Script=Hangul}/u

/** How Han characters are written in a document of this language with these texts: as in the language whose letters are beside them. */
export function hanOf(lang: string, texts: readonly string[]): Han {
  if (lang.startsWith('zh')) return 'chinese'
  if (texts.some((text) => KANA.test(text))) return 'japanese'
  return texts.some((text) => HANGUL.test(text)) ? 'korean' : 'chinese'
}

/** Characters that are pictures unless a text says otherwise, and sequences that are one (UTS 51). */
const PICTURE = /^\p{RGI_Emoji}$|\p{Emoji_Presentation}|\p{Emoji}\ufe0f/v
/** Characters, signs and letters of full width of Chinese, Japanese and Korean. */
const CJK = /[\p{Script_Extensions=Han}\u2e80-\u2fff\u3001-\u33ff\ufe30-\ufe4f\uff00-\uffef]/u

/** Fonts of one script each, of its name in Unicode. */
const OF_A_SCRIPT = [
  ...(['bengali', 'ethiopic', 'gujarati', 'gurmukhi', 'kannada', 'khmer', 'malayalam', 'myanmar', 'oriya'] as const),
  ...(['sinhala', 'tamil', 'telugu', 'thaana', 'thai'] as const),
]

/** For which characters a font is read where DejaVu lacks them, the first that has them: a large one is not read for a sign that it lacks, too. */
const READ_FOR: readonly (readonly [characters: RegExp, font: Font])[] = [
  [/[\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}]/u, 'japanese'],
  [/\p{Script_Extensions=Hangul}/u, 'korean'],
  [/[\p{Script_Extensions=Devanagari}\p{Script=Latin}\p{Script=Cyrillic}\p{Sc}]/u, 'noto'],
  ...OF_A_SCRIPT.map(
    (font) => [new RegExp(`\\p{Script_Extensions=${font[0]?.toUpperCase()}${font.slice(1)}}`, 'u'), font] as const,
  ),
  [/\p{Extended_Pictographic}/u, 'emoji'],
]

/** The faces that may have a cluster of characters, the best first. */
export function* candidates(cluster: string, bold: boolean, han: Han): Generator<Face> {
  const weight = bold ? 'bold' : 'regular'
  if (!isPlain(cluster) && PICTURE.test(cluster)) yield faces.emoji[weight]
  yield faces.dejavu[weight]
  if (CJK.test(cluster)) yield* [faces[han][weight], faces.chinese[weight]]
  for (const [characters, font] of READ_FOR) if (characters.test(cluster)) yield faces[font][weight]
}
