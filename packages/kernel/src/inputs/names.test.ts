import { expect, test } from 'vitest'
import { nameProblem, shownName, shownText } from './names.ts'
import { nameText } from './text.ts'

test('a brand in letters that only look like its own is refused, in every way of writing them', () => {
  for (const name of [
    ...[
      'PayPa1',
      'G00gle',
      'Раураӏ',
      'ＰａｙＰａｌ',
      '𝗣𝗮𝘆𝗣𝗮𝗹',
      'Pаypаl',
      'páypal',
      'Coinbаse Support',
      'arnazon',
      'Visа',
    ],
    ...['V1sa Ltd', 'PaypaI', 'Binancе', 'Micr0soft', 'Fl utterwave'.replace(' ', '\u200b'), 'Payst\u00adack'],
  ])
    expect([name, nameProblem(name)]).toEqual([name, expect.stringMatching(/^Must not/)])
})

test('names whose words are in one script, or in Latin and one without letters like it, are accepted, and so are the brands themselves', () => {
  for (const name of [
    ...[
      'Ada Ltd',
      'Müller & Söhne GmbH',
      'Роса',
      'ООО Ромашка 24',
      'Ромашка Ltd',
      'ООО «Acme»',
      'Gio’s Pizza',
      'Ελλάς ΑΕ',
      '株式会社 Ada カフェ',
      '서울 Coffee',
      'شركة Ada',
    ],
    ...[
      'می\u200cخواهم',
      'राम Stores',
      'Adébáyọ̀ Ọmọ',
      'PayPal',
      'Paystack Nigeria',
      'Visage',
      'Corner 0 1',
      'Wisdom',
      '10 Downing',
      '☕ Ada',
    ],
    ...['O’Neill', 'Claire', 'Modern Globe', "L'Oca", 'Uba', 'Glow'],
  ])
    expect([name, nameProblem(name)]).toEqual([name, undefined])
})

test('a name keeps the rule and its length, and a text about goods refuses imitations alone', () => {
  const [name, text] = [shownName(20), shownText(nameText(40))]
  expect(name.parse(' Ada Ltd ')).toBe('Ada Ltd')
  for (const given of ['РayРal', 'Аda', 'pay://me', 'A\u00adda', 'x'.repeat(21)])
    expect([given, name.safeParse(given).success]).toEqual([given, false])
  for (const given of ['Resistor 10kΩ', 'Hosting of https://ada.example', 'PayPal cable', 'Лампа LED'])
    expect([given, text.safeParse(given).success]).toEqual([given, true])
  for (const given of ['РayРal refund', 'V1sa fee', 'x'.repeat(41)])
    expect([given, text.safeParse(given).success]).toEqual([given, false])
})
