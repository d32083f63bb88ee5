import { expect, test } from 'vitest'
import { Payments, type PaymentsOptions } from './index.ts'

const url = 'https://payments.example.com'
const sentence = (name: string, right: string) => `The option ${name} of Payments must be ${right}`
const ADDRESS = sentence('url', 'the address of the service, such as "https://payments.example.com"')
const KEY = sentence('apiKey', 'an API key without spaces, such as "svc_test_…"; leave it out for the pay page')

test.each([
  ['no options', undefined, ADDRESS],
  ['a key in place of options', 'svc_test_key', ADDRESS],
  ['no address', { apiKey: 'svc_test_key' }, ADDRESS],
  ['an address under another name', { baseUrl: url }, ADDRESS],
  ['an address without a scheme', { url: 'payments.example.com' }, ADDRESS],
  ['an address of another scheme', { url: 'ftp://payments.example.com' }, ADDRESS],
  ['a key with a line break', { url, apiKey: 'svc_test_key\n' }, KEY],
  ['a key that is null', { url, apiKey: null }, KEY],
  ['something else than a function', { url, fetch: {} }, sentence('fetch', 'a function')],
  ['no time at all', { url, timeoutMs: 0 }, sentence('timeoutMs', 'a number of milliseconds above 0')],
  ['no number', { url, deadlineMs: '2s' }, sentence('deadlineMs', 'a number of milliseconds above 0')],
  ['half a repetition', { url, maxRetries: 0.5 }, sentence('maxRetries', 'a whole number, 0 or more')],
])('a client with %s is refused with a sentence that names the option', (_name, options, message) => {
  expect(() => new Payments(options as PaymentsOptions)).toThrow(new TypeError(message))
})

test.each([
  ['alone', { url }],
  ['with /v1 and a slash', { url: `${url}/v1/` }],
  ['and an empty key, as without one', { url, apiKey: '' }],
  ['on loopback', { url: 'http://127.0.0.1:4000', apiKey: undefined, maxRetries: 0 }],
])('a client with an address %s is made', (_name, options) => {
  expect(() => new Payments(options as PaymentsOptions)).not.toThrow()
})
