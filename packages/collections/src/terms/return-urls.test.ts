import type { Mistakes } from '@payments/kernel'
import { expect, test } from 'vitest'
import { checkAddresses, originMistake, returnUrl, returnUrlMistake } from './return-urls.ts'

const HTTPS = 'Must be an https:// URL without a user name or password'

test.each([
  ['https://shop.test/thanks?order=7&session={SESSION_ID}#{STATUS}', undefined],
  ['https://shop.test:8443/{STATUS}/{SESSION_ID}', undefined],
  ['http://127.0.0.1:3000/thanks', undefined],
  ['http://localhost/thanks', undefined],
  ['http://[::1]:3000/', undefined],
  ['http://shop.test/', HTTPS],
  ['http://localhost.shop.test/', HTTPS],
  ['http://127.0.0.1@shop.test/', HTTPS],
  ['https://ada:secret@shop.test/', HTTPS],
  ['https://ada@shop.test/', HTTPS],
  ['javascript:alert(1)//https://shop.test', HTTPS],
  ['JavaScript:alert(1)', HTTPS],
  ['java\nscript:alert(1)', HTTPS],
  ['data:text/html,x', HTTPS],
  [' https://shop.test/', HTTPS],
  ['https://shop.test/a b', HTTPS],
  ['https:\\\\shop.test', HTTPS],
  ['//shop.test/', HTTPS],
  ['/thanks', HTTPS],
  ['', HTTPS],
  ['https://{STATUS}.shop.test/', 'Placeholders may stand in the path and the query only'],
  ['https://{SESSION_ID}:x@shop.test/', HTTPS],
])('the address %j to go back to: %s', (url, mistake) => {
  expect(returnUrlMistake(url)).toBe(mistake)
})

test('an origin is written as browsers write it, over https or on this computer', () => {
  for (const origin of ['https://shop.test', 'https://shop.test:8443', 'http://127.0.0.1:3000', 'http://localhost'])
    expect([origin, originMistake(origin)]).toEqual([origin, undefined])
  for (const origin of [
    ...[
      'https://shop.test/',
      'https://shop.test:443',
      'https://SHOP.test',
      'https://ada@shop.test',
      'http://shop.test',
    ],
    ...[
      "https://shop.test 'self'",
      'https://*.shop.test',
      'https://*',
      'null',
      '*',
      'javascript:alert(1)',
      'https://shop.test;x',
    ],
  ])
    expect([origin, originMistake(origin)]).toEqual([origin, expect.stringContaining('https:// origin')])
})

test('in live no address is on this computer', () => {
  const mistakesOf = (environment: 'test' | 'live') => {
    const wrong: Mistakes = {}
    const local = 'http://127.0.0.1:3000'
    checkAddresses(
      environment,
      { redirectUrl: local, cancelUrl: 'https://shop.test/', allowedOrigins: ['https://shop.test', local] },
      wrong,
    )
    return Object.keys(wrong)
  }
  expect(mistakesOf('live')).toEqual(['redirectUrl', 'allowedOrigins.1'])
  expect(mistakesOf('test')).toEqual([])
})

test('placeholders are filled with the session and its status, each as often as it stands', () => {
  const url = 'https://shop.test/{SESSION_ID}/{STATUS}?again={SESSION_ID}&other={OTHER}'
  expect(returnUrl(url, { id: 'S1' }, 'paid')).toBe('https://shop.test/S1/paid?again=S1&other={OTHER}')
  expect(returnUrl(url, null, 'active')).toBe('https://shop.test//active?again=&other={OTHER}')
})
