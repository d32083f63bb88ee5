import type { z } from 'zod'
import { nameText } from './text.ts'

// What a name must not be that another person reads: payers decide by the name on the pay page whom they pay, and members by the
// name of a program whom they give a key. After Unicode Technical Standard 39 (security mechanisms): each word in one script, or Latin
// with one that has no letters like it; no invisible characters; and no brand in letters that only look like its own.

/** Scripts that may stand beside Latin, because none of their letters is taken for a Latin one, and beside each other. */
const BESIDE_LATIN = [
  ...[
    ['Han', 'Hiragana', 'Katakana'],
    ['Han', 'Bopomofo'],
    ['Han', 'Hangul'],
  ],
  ...['Arabic', 'Hebrew', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Tamil', 'Telugu', 'Kannada'].map((each) => [
    each,
  ]),
  ...['Malayalam', 'Sinhala', 'Thai', 'Lao', 'Khmer', 'Myanmar', 'Ethiopic', 'Georgian', 'Tibetan'].map((each) => [
    each,
  ]),
]
/** Scripts that stand alone. Letters of any other script are not accepted: nobody could read them aloud to a payer. */
const ALONE = ['Latin', 'Cyrillic', 'Greek', 'Armenian']
const SCRIPTS = new Map(
  [...new Set([...ALONE, ...BESIDE_LATIN.flat()])].map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')]),
)

/** Letters that look like a Latin one, by that one: Cyrillic, Greek, Armenian, and those of Latin itself. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: 'аαɑᴀ',
  b: 'вβьƅʙ',
  c: 'сϲᴄ',
  d: 'ԁɗᴅ',
  e: 'еєεҽᴇ',
  f: 'ғƒϝ',
  g: 'ɡԍɢց',
  h: 'һнηհʜ',
  i: 'іιıɩ!ɪӏ1|lӀ',
  j: 'јϳյᴊ',
  k: 'кκᴋ',
  m: 'мϻᴍ',
  n: 'пոռɴ',
  o: 'оοσօ0ᴏө',
  p: 'рρþᴘ',
  q: 'ԛզ',
  r: 'гʀᴦ',
  s: 'ѕꜱ5$',
  t: 'тτᴛ',
  u: 'υսᴜʋц',
  v: 'ѵνᴠ',
  w: 'ԝωѡᴡա',
  x: 'хχ',
  y: 'уγүʏ',
  z: 'ᴢʐ2',
}
const LATIN = new Map(Object.entries(LOOKALIKES).flatMap(([latin, others]) => [...others].map((each) => [each, latin])))

/** Brands that payers trust with money. */
const BRANDS = [
  ...['paypal', 'stripe', 'visa', 'mastercard', 'american express', 'western union', 'moneygram', 'wise', 'revolut'],
  ...['google', 'apple', 'amazon', 'microsoft', 'facebook', 'instagram', 'whatsapp', 'netflix', 'alibaba', 'alipay'],
  ...['coinbase', 'binance', 'kraken', 'metamask', 'phantom', 'circle', 'tether', 'solana', 'ethereum', 'bitcoin'],
  ...['flutterwave', 'paystack', 'interswitch', 'opay', 'palmpay', 'moniepoint', 'kuda', 'access bank', 'zenith bank'],
  ...['gtbank', 'first bank', 'uba', 'jumia', 'konga', 'mtn', 'airtel', 'm-pesa', 'paycrest', 'jupiter'],
]

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu
/** Joiners have a meaning between letters of these scripts, and between symbols. */
const JOINED =
  /(?<=[\p{Script=Arabic}\p{M}\p{Extended_Pictographic}])(?:\u200c|\u200d|\ufe0f)+(?=[\p{Script=Arabic}\p{L}\p{M}\p{Extended_Pictographic}]|$|\s)/gu

/** What a reader takes the text for: compatibility forms, accents and similar letters by the plain letter; pairs that look like one. */
function skeleton(text: string): string {
  const plain = text.normalize('NFKD').toLowerCase().replace(INVISIBLE, '').replace(/\p{M}/gu, '')
  return [...plain]
    .map((each) => LATIN.get(each) ?? each)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('cl', 'd')
}

/** Words of a name, for the comparison with brands, which may be several words. */
const spaced = (text: string): string => ` ${text.replace(/[^\p{L}\p{N}!|$]+/gu, ' ').trim()} `

const SKELETONS = BRANDS.map((brand) => ({ brand: spaced(brand), skeleton: spaced(skeleton(brand)) }))

/** True for a name that looks as if it had a brand in it which it does not have. */
function imitates(name: string): boolean {
  const [plain, seen] = [spaced(name.normalize('NFC').toLowerCase()), spaced(skeleton(name))]
  return SKELETONS.some(({ brand, skeleton: look }) => seen.includes(look) && !plain.includes(brand))
}

/** A legal form beside a name may be of another alphabet, `Ромашка Ltd`: only the letters of one word are taken for each other. */
const mixesScripts = (name: string): boolean =>
  name
    .normalize('NFKC')
    .split(/[\s\p{P}\p{S}]+/u)
    .some(isMixed)

function isMixed(word: string): boolean {
  const found = new Set<string>()
  for (const letter of word.match(/\p{L}/gu) ?? []) {
    if (/\p{Script=Common}|\p{Script=Inherited}/u.test(letter)) continue
    found.add([...SCRIPTS].find(([, pattern]) => pattern.test(letter))?.[0] ?? 'another')
  }
  if (found.has('another')) return true
  if (found.size < 2) return false
  return !BESIDE_LATIN.some((group) => [...found].every((each) => each === 'Latin' || group.includes(each)))
}

const IMITATION = 'Must not imitate a known name with similar characters'

/** What is wrong with a name that another person reads; undefined if nothing is. */
export function nameProblem(name: string): string | undefined {
  if (/:\/\//.test(name)) return 'Must not contain a link'
  if (name.replace(JOINED, '').search(INVISIBLE) >= 0) return 'Must not contain invisible characters'
  if (mixesScripts(name)) return 'Must not mix letters of several alphabets'
  return imitates(name) ? IMITATION : undefined
}

/** A name under which somebody presents a business, a person or a program to another person: {@link nameText} without {@link nameProblem}. */
export const shownName = (longest: number) =>
  nameText(longest).superRefine((given, issues) => {
    const message = nameProblem(given)
    if (message) issues.addIssue({ code: 'custom', message })
  })

/**
 * A text that payers read and that is no name, such as the title of what is sold: letters of several alphabets may stand in one word
 * (`10kΩ`), and links may be in it, but no known name in letters that only look like its own.
 */
export const shownText = <S extends z.ZodType<string, string>>(schema: S): S =>
  schema.refine((given) => !imitates(given), IMITATION) as S
