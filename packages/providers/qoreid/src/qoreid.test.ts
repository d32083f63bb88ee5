import { afterEach, beforeEach, expect, test } from 'vitest'
import { matched, type QoreidServer, startQoreid } from '../test/server.ts'
import { qoreid } from './qoreid.ts'

let server: QoreidServer
beforeEach(async () => {
  server = await startQoreid()
})
afterEach(() => server.close())
const adapter = (given: object = {}) =>
  qoreid({ baseUrl: server.url, clientId: 'client', secret: 'secret', timeoutMs: 300, ...given })
const question = { bvn: '22212345678', firstName: 'ADA', lastName: 'OBI', phoneNumber: null }

test('a number is matched with its names over one token, which is used until it ends', async () => {
  const provider = adapter()
  expect(await provider.verifyBvn(question)).toEqual({ outcome: 'match' })
  expect(await provider.verifyBvn({ ...question, phoneNumber: '+2348012345678' })).toEqual({ outcome: 'match' })
  expect(server.calls.map(({ line }) => line)).toEqual([
    'POST /token',
    'POST /v1/ng/identities/bvn-match/22212345678',
    'POST /v1/ng/identities/bvn-match/22212345678',
  ])
  expect(server.calls[1]?.body).toEqual({ firstname: 'ADA', lastname: 'OBI' })
  expect(server.calls[2]?.body).toEqual({ firstname: 'ADA', lastname: 'OBI', phone: '+2348012345678' })
  server.expiresIn = 30
  const short = adapter()
  await short.verifyBvn(question)
  await short.verifyBvn(question)
  expect(server.tokens).toBe(3)
})

test('calls that follow each other share connections', async () => {
  const provider = adapter()
  for (let call = 0; call < 20; call++) await provider.verifyBvn(question)
  // A call may begin before the connection of the one before is free again.
  expect(server.connections).toBeLessThan(4)
})

const ADA = { firstname: 'ADA', lastname: 'OBI' }
test.each([
  [200, matched(ADA, { lastname: false }), 'partial'],
  [200, matched(ADA, { firstname: false, lastname: false }), 'mismatch'],
  // The fields decide, whatever the overall status says.
  [200, matched(ADA, { phone: false }), 'match'],
  [200, matched(ADA, { firstname: false, lastname: false, phone: true }), 'mismatch'],
  [200, matched(ADA, { lastname: false }, 'EXACT_MATCH'), 'partial'],
  [200, matched(ADA, { lastname: undefined }, 'PARTIAL_MATCH'), 'partial'],
  [200, { summary: { bvn_match_check: { status: 'EXACT_MATCH' } } }, 'match'],
  [200, { summary: { bvn_check: { status: 'NO_MATCH' } }, status: { status: 'id_mismatch' } }, 'mismatch'],
  [404, { message: 'BVN not found' }, 'not_found'],
  [404, { message: 'No record was found for this identity' }, 'not_found'],
  [404, { message: 'Not Found' }, 'unavailable'],
  [
    404,
    { statusCode: 404, message: 'Cannot POST /v1/ng/identities/bvn-match/22212345678', error: 'Not Found' },
    'unavailable',
  ],
  [404, { message: 'no Route matched with those values' }, 'unavailable'],
  [404, 'Not Found', 'unavailable'],
  [200, { summary: { bvn_match_check: { status: 'SOMETHING_NEW' } } }, 'unavailable'],
  [200, { unexpected: true }, 'unavailable'],
  [400, { message: 'Bad request' }, 'unavailable'],
  [500, { message: 'x' }, 'unavailable'],
])('an answer with %s %o is %s', async (status, body, outcome) => {
  server.answer = { status, body }
  expect(await adapter().verifyBvn(question)).toEqual({ outcome })
})

test('no answer, a refused secret and a revoked token are unavailable, and no error carries the number', async () => {
  server.answer = 'silent'
  expect(await adapter().verifyBvn(question)).toEqual({ outcome: 'unavailable' })
  expect(await adapter({ secret: 'wrong' }).verifyBvn(question)).toEqual({ outcome: 'unavailable' })
  expect(await adapter({ baseUrl: 'http://127.0.0.1:9' }).verifyBvn(question)).toEqual({ outcome: 'unavailable' })
  server.answer = undefined
  const provider = adapter()
  await provider.verifyBvn(question)
  // Another client gets a token, which ends ours.
  server.tokens++
  expect(await provider.verifyBvn(question)).toEqual({ outcome: 'unavailable' })
  expect(await provider.verifyBvn(question)).toEqual({ outcome: 'match' })
})

test('a telephone number in another format than the bank’s does not fail a correct number', async () => {
  const ask = (more: object) => adapter().verifyBvn({ ...question, ...more })
  for (const phoneNumber of ['+2348012345678', '08012345678', '2348012345678', '+2348099999999'])
    expect(await ask({ phoneNumber })).toEqual({ outcome: 'match' })
  expect(await ask({ phoneNumber: '08012345678', lastName: 'EZE' })).toEqual({ outcome: 'partial' })
  expect(await ask({ phoneNumber: '08012345678', firstName: 'JOHN', lastName: 'EZE' })).toEqual({ outcome: 'mismatch' })
})

test('behind a wrong base URL no number is missing', async () => {
  expect(await adapter({ baseUrl: `${server.url}/v2` }).verifyBvn(question)).toEqual({ outcome: 'unavailable' })
})
