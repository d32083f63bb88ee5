import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { expect, test } from 'vitest'
import { cleanUp, query, testServer } from '../../test/servers.ts'
import { ensureDatabase } from '../server/role.ts'
import { lockDataDirectory } from './lock.ts'

/** A proxy to a port that cuts the first connection on which these bytes are sent. */
async function cuttingProxy(port: number, bytes: string): Promise<Server & { cuts: number }> {
  const server = Object.assign(createServer(), { cuts: 0 })
  server.on('connection', (client) => {
    const upstream = connect(port, '127.0.0.1')
    client.on('error', () => undefined).on('close', () => upstream.destroy())
    upstream.on('error', () => undefined).on('close', () => client.destroy())
    client.on('data', (chunk) => {
      if (chunk.includes(bytes) && server.cuts === 0) {
        server.cuts++
        client.destroy()
      } else upstream.write(chunk)
    })
    upstream.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp(() => new Promise((resolve) => server.close(resolve)))
  return server
}

test('the lock is taken although the connection breaks between connecting and locking, as in the recovery of the server', async () => {
  const server = await testServer()
  await ensureDatabase(server.ownerUrl(), 'other')
  const direct = new URL(server.ownerUrl('other'))
  const proxy = await cuttingProxy(Number(direct.port), 'pg_try_advisory_lock')
  const url = new URL(direct)
  url.hostname = '127.0.0.1'
  url.port = String((proxy.address() as AddressInfo).port)
  const client = await lockDataDirectory(url.toString(), '/data')
  cleanUp(() => client.end())
  expect(proxy.cuts).toBe(1)
  const granted = "select count(*)::int as count from pg_locks where locktype = 'advisory' and granted"
  expect(
    await query(direct.toString(), `${granted} and database = (select oid from pg_database where datname = 'other')`),
  ).toEqual([{ count: 1 }])
})
