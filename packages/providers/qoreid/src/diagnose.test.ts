import { expect, onTestFinished, test } from 'vitest'
import { startQoreid } from '../test/server.ts'
import { diagnoseQoreid } from './diagnose.ts'

test('a client that gets a token is in order, another one is a failure with what to do; no number is checked', async () => {
  const server = await startQoreid()
  onTestFinished(() => server.close())
  const outcome = (secret: string, baseUrl = server.url) =>
    diagnoseQoreid({ baseUrl, clientId: 'client', secret, timeoutMs: 300 })
  expect(await outcome('secret')).toEqual([
    { check: 'qoreid: client id and secret', status: 'ok', message: 'Accepted; a token lasts 120 minutes' },
  ])
  for (const [secret, baseUrl] of [['wrong'], ['secret', 'http://127.0.0.1:1']] as const) {
    const [found] = await outcome(secret, baseUrl)
    expect(found).toMatchObject({ status: 'failed', action: expect.stringContaining('QOREID_SECRET') })
  }
  expect(server.calls.map(({ line }) => line)).toEqual(['POST /token', 'POST /token'])
})
