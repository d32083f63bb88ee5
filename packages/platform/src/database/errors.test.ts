import { createServer } from 'node:net'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { connected, useService } from '#testing'
import { isDatabaseUnavailable } from './errors.ts'

const service = useService()

const errorOf = (failing: Promise<unknown>): Promise<unknown> =>
  failing.then(
    () => undefined,
    (error: unknown) => error,
  )

test('a server whose socket file is missing while it starts again is unavailable', async () => {
  const client = new Client({ host: '/nonexistent', user: 'payments' })
  const error = await errorOf(client.connect())
  expect(error).toMatchObject({ code: 'ENOENT' })
  expect(isDatabaseUnavailable(error)).toBe(true)
})

test('a file that is missing says nothing of the database', async () => {
  const listening = createServer()
  const error = await new Promise((resolve) => listening.once('error', resolve).listen('/nonexistent/socket'))
  expect(isDatabaseUnavailable(error)).toBe(false)
})

test('a transaction that the server ended because it was idle was not failed by its next statement', async () => {
  const owner = await connected(service)
  try {
    await owner.query("set idle_in_transaction_session_timeout = '20ms'; begin")
    const error = await new Promise((resolve) => owner.once('error', resolve))
    expect(error).toMatchObject({ code: '25P03' })
    expect(isDatabaseUnavailable(error)).toBe(true)
  } finally {
    await owner.end().catch(() => undefined)
  }
})
