import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { extractText, getDocumentProxy } from 'unpdf'
import { afterAll, expect, test } from 'vitest'
import { hasTools } from '#testing'
import { make } from '../document.ts'
import { candidates } from './faces.ts'
import fonts from './fonts.json' with { type: 'json' }

const folder = mkdtempSync(join(tmpdir(), 'payments-scripts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A document with these texts, each regular and bold. */
const documentOf = (texts: readonly string[], lang = 'en') =>
  make({
    info: { title: 'Texts', author: 'Ada', createdAt: new Date(0), lang },
    commands: texts.flatMap((text) => [['text', text] as const, ['text', text, { bold: true }] as const]),
  })

/** The fonts that are in a file. */
const fontsIn = (file: Uint8Array): string[] =>
  [
    ...new Set(
      [
        ...Buffer.from(file)
          .toString('latin1')
          .matchAll(/\/FontName \/\w+\+(\S+)/g),
      ].map(([, name = '']) => name),
    ),
  ].sort()

/** The glyphs of each text that is shown in a file, by their numbers in the embedded font: 0 stands for a missing one. */
function glyphsIn(file: Uint8Array): number[] {
  const raw = Buffer.from(file)
  const glyphs: number[] = []
  for (let at = raw.indexOf('stream\n'); at >= 0; at = raw.indexOf('stream\n', at + 1)) {
    const end = raw.indexOf('\nendstream', at)
    if (raw[at + 7] !== 0x78 || end < at) continue
    const content = inflateSync(raw.subarray(at + 7, end)).toString('latin1')
    if (!content.includes('\nBT\n')) continue
    for (const [, shown = ''] of content.matchAll(/\[(.*?)\] TJ/g))
      for (const [, hex = ''] of shown.matchAll(/<([\da-f]+)>/g))
        glyphs.push(...(hex.match(/.{4}/g) ?? []).map((each) => Number.parseInt(each, 16)))
  }
  return glyphs
}

/** A text as readers give it back, without what they make of distances between letters. */
const plain = (text: string) => text.normalize('NFC').replace(/[\s\f\u200b-\u200f\u202a-\u202e]/g, '')

/** The texts of a file as poppler reads it, which goes by what a document says that its glyphs stand for. */
function read(file: Uint8Array): string {
  const path = join(folder, 'texts.pdf')
  writeFileSync(path, file)
  return execFileSync('pdftotext', ['-raw', path, '-'], { encoding: 'utf8' })
}

/** Real words in a language: what countries, languages and currencies are called in it. */
function wordsOf(locale: string): string[] {
  const named = (type: 'region' | 'language' | 'currency', codes: string) => {
    const names = new Intl.DisplayNames(locale, { type })
    return codes.split(' ').flatMap((code) => names.of(code) ?? [])
  }
  const names = [
    ...named('region', 'NG US GB IN LK TH KH ET MM JP KR CN DE FR BR SA IL RU GR KE ZA MX PK NP LA AM GE EG VN PH FK'),
    ...named('language', 'en hi ta te th km am my ja ko zh fr de ar he ru sa'),
    ...named('currency', 'USD NGN INR EUR THB KHR ETB LKR BDT GBP JPY XDR'),
  ]
  return [...new Set(names)].filter((name) => /[\u0250-\uffff]/.test(name))
}

/** Languages of each script, with the font that has it. */
const LANGUAGES = [
  ['hi', 'NotoSans-'],
  ['mr', 'NotoSans-'],
  ['ne', 'NotoSans-'],
  ['bn', 'NotoSansBengali-'],
  ['as', 'NotoSansBengali-'],
  ['gu', 'NotoSansGujarati-'],
  ['pa', 'NotoSansGurmukhi-'],
  ['kn', 'NotoSansKannada-'],
  ['ml', 'NotoSansMalayalam-'],
  ['my', 'NotoSansMyanmar-'],
  ['or', 'NotoSansOriya-'],
  ['si', 'NotoSansSinhala-'],
  ['ta', 'NotoSansTamil-'],
  ['te', 'NotoSansTelugu-'],
  ['th', 'NotoSansThai-'],
  ['km', 'NotoSansKhmer-'],
  ['am', 'NotoSansEthiopic-'],
  ['ti', 'NotoSansEthiopic-'],
  ['ja', 'NotoSansJP-'],
  ['ko', 'NotoSansKR-'],
  ['zh', 'NotoSansHans-'],
  ['lo', 'DejaVuSans'],
  ['ka', 'DejaVuSans'],
  ['hy', 'DejaVuSans'],
  ['el', 'DejaVuSans'],
  ['ru', 'DejaVuSans'],
  ['vi', 'DejaVuSans'],
  ['yo', 'DejaVuSans'],
] as const

test.runIf(hasTools('pdftotext')).each(LANGUAGES)(
  'words in %s are drawn by glyphs of %s and are read again as they were written',
  async (locale, font) => {
    const words = wordsOf(locale)
    expect(words.length).toBeGreaterThan(5)
    const { file, replaced } = await documentOf(words)
    expect([replaced, fontsIn(file).some((name) => name.startsWith(font))]).toEqual([[], true])
    const glyphs = glyphsIn(file)
    expect([glyphs.length > words.length, glyphs.includes(0)]).toEqual([true, false])
    expect(plain(read(file))).toBe(plain(words.flatMap((word) => [word, word]).join('')))
  },
)

test.each([
  ['Arabic', 'فاتورة السلام (شاي) 25'],
  ['Hebrew', 'חשבונית [תה] 25'],
  ['N’Ko', 'ߒߞߏ ߛߓߍ'],
  ['Hebrew beside Arabic', 'שלום سلام'],
])('%s is drawn from right to left, and is read again as it was written', async (_name, text) => {
  const { file, replaced } = await documentOf([text], 'ar')
  expect([replaced, glyphsIn(file).includes(0)]).toEqual([[], false])
  const { text: found } = await extractText(await getDocumentProxy(Uint8Array.from(file)), { mergePages: true })
  expect(plain(found)).toBe(plain(text + text))
})

test.each([
  ['emoji', 'Tea 🍵 👨‍👩‍👧 🇳🇬 ❤️ 1️⃣ 👍🏽 🌡', 'NotoEmoji-Regular'],
  ['signs of currencies', '₿ ₦ € £ ¥ ₹ ₵ ₺ ₽ ₫ ₱ ₪ ₩ ₾ ₴ ৳ ฿ ៛ ₸ ₮ ₲ ₡ ₼ ⃀', 'NotoSans-Regular'],
  ['Thaana', 'ދިވެހި', 'NotoSansThaana-Regular'],
  ['letters without a bold form', '𝖬𝗒 𝖲𝗁𝗈𝗉', 'DejaVuSans'],
  ['many scripts in a line', 'Tea 茶 (شاي) चाय 차 ชา 🍵 ₿', 'NotoSansThai-Regular'],
])('%s: drawn by glyphs', async (_name, text, font) => {
  const { file, replaced } = await documentOf([text])
  expect([replaced, glyphsIn(file).includes(0)]).toEqual([[], false])
  expect(fontsIn(file)).toContain(font)
})

test('what no font has is a box, whatever is beside it', async () => {
  const { file, replaced } = await documentOf(['Tea 𓀀 चाय𓀀'])
  expect([replaced, glyphsIn(file).includes(0)]).toEqual([['𓀀'], false])
})

test('Han characters are written as in the language of the document, else as in that whose letters are beside them', async () => {
  const han = async (text: string, lang?: string) =>
    fontsIn((await documentOf([text], lang)).file).filter((name) => /Hans|JP|KR/.test(name) && !/Bold/.test(name))
  expect(await han('直接')).toEqual(['NotoSansHans-Regular'])
  expect(await han('直接 です')).toEqual(['NotoSansJP-Regular'])
  expect(await han('直接 결제')).toEqual(['NotoSansKR-Regular'])
  expect(await han('直接', 'zh')).toEqual(['NotoSansHans-Regular'])
})

test('fonts are read for what they may have: a text in Latin needs one, and a sign that none has needs no large one', async () => {
  const fontsFor = (text: string) => [...candidates(text, false, 'chinese')].map(({ package: name }) => name)
  expect(fontsFor('𓀀')).toEqual(['dejavu-fonts-ttf'])
  expect(fontsFor('茶')).toEqual(['dejavu-fonts-ttf', '@embedpdf/fonts-sc', '@embedpdf/fonts-sc'])
  expect(fontsIn((await documentOf(['Bread “5 €” ₦100'])).file)).toEqual(['DejaVuSans', 'DejaVuSans-Bold'])
})

test('the packages of fonts that are installed are those that documents read', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const read = Object.values(fonts).map(({ package: name }) => name)
  expect(Object.keys(dependencies).filter((name) => name.includes('fonts'))).toEqual(read.toSorted())
})

test('a document is the same bytes, whatever was made before it in its thread', async () => {
  const first = await documentOf(['Tiếng Việt rất đẹp'])
  // Its letters are composed, so that it has glyphs as parts of others only.
  await documentOf(['ẹ̀kọ́ ọ̀fẹ́', '茶〜～'])
  expect(Buffer.compare((await documentOf(['Tiếng Việt rất đẹp'])).file, first.file)).toBe(0)
})

test('any text makes a document without missing glyphs', async () => {
  // Letters, marks, joiners, signs of direction and halves of characters, of all scripts and of none.
  const unit = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0x20, max: 0x1fff }).map((code) => String.fromCodePoint(code)) },
    fc.constantFrom(
      '\u200d',
      '\u200c',
      '\ufe0f',
      '\u202e',
      '\u2067',
      '\u2069',
      ' ',
      '\n',
      '\ud800',
      '🇳',
      '👍',
      '茶',
      '차',
    ),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(unit, { maxLength: 40 }), fc.constantFrom('en', 'ar', 'zh'), async (units, lang) => {
      expect(glyphsIn((await documentOf([units.join('')], lang)).file)).not.toContain(0)
    }),
    { numRuns: 200 },
  )
}, 60_000)
