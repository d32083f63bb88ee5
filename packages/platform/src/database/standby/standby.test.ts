import { expect, test } from 'vitest'
import { call, freshDatabase, newMerchant, runService, useService } from '#testing'
import { createLog } from '../../settings/log.ts'
import { walPosition } from './position.ts'
import { connectStandby } from './standby.ts'

const service = useService()

test('a server that is not a standby serves no reads, which is logged once', async () => {
  const database = await freshDatabase()
  const settings = { DATABASE_READ_URL: database.serviceUrl }
  const gateway = await runService(database, { settings, logLevel: 'warn' })
  try {
    const merchant = await newMerchant(gateway)
    for (let round = 0; round < 5; round++)
      expect((await call(gateway, 'GET /v1/customers', { token: merchant.key })).status).toBe(200)
    const { standby } = gateway.runtime
    expect([standby?.problem(), standby?.reads]).toEqual(['not_a_standby', { standby: 0, primary: 5 }])
    expect(gateway.logs.map((line) => JSON.parse(line).msg)).toEqual(['standby unavailable'])
  } finally {
    await gateway.stop()
    await database.drop()
  }
})

test('a read waits for no connection that cannot be opened, and shortly for one that is in use: then the primary serves it', async () => {
  const { pool, priorityPool, databaseUrl } = service.runtime
  const position = await walPosition(pool)
  const log = createLog('fatal')
  const options = { log, priorityPool, name: 'reads', primary: pool }
  const unreachable = connectStandby('postgres://127.0.0.1:9/none', { ...options, most: 2 })
  expect([await unreachable.query('select 1', [], position), unreachable.problem()]).toEqual([undefined, 'unreachable'])
  const busy = connectStandby(databaseUrl, { ...options, most: 0 })
  expect([await busy.query('select 1', [], position), busy.problem()]).toEqual([undefined, undefined])
  await Promise.all([unreachable.end(), busy.end()])
})
