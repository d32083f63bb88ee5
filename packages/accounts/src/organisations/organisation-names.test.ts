import { expect, test } from 'vitest'
import { call, useService } from '#testing'
import { nameProblem } from './organisation-names.ts'

const service = useService()

test('letters of several alphabets in the name of an organisation are refused with the field', async () => {
  for (const organisationName of ['Аda Ltd', 'Ada Lтd', 'Αda', 'Ada Մaրի', 'Ꭺda', 'ΑдА', 'Ada Ltd Ꮪ']) {
    const body = { email: 'mixed@example.com', organisationName }
    const reply = await call(service, 'POST /v1/auth/register', { body, key: null })
    expect([organisationName, reply.status, reply.body.errors]).toEqual([
      organisationName,
      422,
      { organisationName: 'Must not mix letters of several alphabets' },
    ])
  }
})

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
