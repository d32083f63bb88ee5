const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
const words = new Intl.Segmenter('en', { granularity: 'word' })

/**
 * Characters that have one glyph wherever they stand: of Latin, Greek and Cyrillic with their marks, signs, Han characters, kana and Hangul. Those
 * that direct what is written from left to right are none of a text.
 */
const PLAIN =
  /^[\n -~\u00a0-\u00ac\u00ae-\u0482\u048a-\u052f\u1e00-\u1fff\u200e\u2010-\u2029\u202a\u202c\u202d\u202f-\u205e\u2066\u2068\u2069\u20a0-\u20cf\u2100-\u23ff\u25a0-\u25ff\u3000-\u3029\u3030-\u3098\u309b-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff00-\uff9d]*$/
/** One of them, with its marks. */
const LETTER = /.[\u0300-\u036f]*/gs

/** Whether a text needs no shaper, so that pdfkit lays it out fast and as it is. */
export const isPlain = (text: string): boolean => PLAIN.test(text)

/** What a reader sees as one character (UAX 29): a letter with its marks, a syllable, an emoji of several characters. */
export const clustersOf = (text: string): readonly string[] =>
  isPlain(text) ? (text.match(LETTER) ?? []) : Array.from(segmenter.segment(text), ({ segment }) => segment)

/** Scripts that are shaped by rules of their own and that a font has beside others. */
const SHAPED = [
  /\p{Script=Arabic}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Nko}/u,
  /\p{Script=Lao}/u,
  /\p{Script=Devanagari}/u,
]
/** Signs of all scripts. */
const COMMON = /^[\p{Script=Common}\p{Script=Inherited}]*$/u

/** A number for the script of a cluster, one for all those that a font shapes alike; undefined: it is of all scripts. */
export const scriptOf = (cluster: string): number | undefined =>
  COMMON.test(cluster) ? undefined : SHAPED.findIndex((script) => script.test(cluster))

/** Characters that are not seen: they join, divide or choose the form of others. Fonts need not have them. */
export const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u

/** Scripts with a line break after each character, those that are forbidden apart. */
const IDEOGRAPHS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
/** Scripts without spaces between words: a dictionary knows where one ends. */
const UNSPACED = /[\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u
/** What does not begin a line: spaces, closing marks, marks of sentences, of iteration and of length, and small kana (JIS X 4051). */
const CLOSING = /^[\s\p{Pe}\p{Pf}，。、；：？！・ー々ゝゞヽヾぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ]/u
/** What does not end a line. */
const OPENING = /[\p{Ps}\p{Pi}]$/u

/** What a line takes as a whole: words with the space behind them, and each character of Chinese and Japanese. */
export function piecesOf(paragraph: string): string[] {
  const pieces: string[] = []
  let before = ''
  for (const cluster of clustersOf(paragraph)) {
    const isIdeograph = IDEOGRAPHS.test(cluster) || IDEOGRAPHS.test(before)
    const begins = /\s/.test(before)
      ? !/\s/.test(cluster)
      : isIdeograph && !CLOSING.test(cluster) && !OPENING.test(before)
    if (begins || pieces.length === 0) pieces.push(cluster)
    else pieces[pieces.length - 1] += cluster
    before = cluster
  }
  return pieces.flatMap((piece) => (UNSPACED.test(piece) ? wordsOf(piece) : [piece]))
}

/** The words of a text without spaces, each with the marks and spaces behind it; what opens is before the next. */
function wordsOf(text: string): string[] {
  const found: string[] = []
  for (const { segment, isWordLike } of words.segment(text)) {
    const before = found.at(-1)
    if (before === undefined || (isWordLike && !OPENING.test(before))) found.push(segment)
    else found[found.length - 1] = before + segment
  }
  return found
}
