import { expect, test } from 'vitest'
import { call, connected, pause, useService } from '#testing'

const service = useService()

test('a connection that the server ends between two statements of a transaction fails the next one, and does not crash the process', async () => {
  const owner = await connected(service)
  try {
    for (const pool of [service.runtime.pool, service.runtime.priorityPool]) {
      const client = await pool.connect()
      await client.query('begin')
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      await owner.query('select pg_terminate_backend($1, 10000)', [rows[0]?.pid])
      await pause(50)
      await expect(client.query('select 1')).rejects.toThrow()
      client.release(true)
    }
    expect((await call(service, 'GET /health')).status).toBe(200)
  } finally {
    await owner.end()
  }
})
