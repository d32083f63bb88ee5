import { createServer, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { newMerchant, pause, useService } from '#testing'
import { deliveriesOf, endpoint } from '../../test/deliveries.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'

/** A receiver of bytes: `answer` decides what the request of a connection gets, by how many that connection had before. */
async function startServer(answer: (socket: Socket, before: number) => void) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    let requests = 0
    socket.on('error', () => undefined)
    // Small requests over loopback: one piece, or headers and body.
    socket.on('data', (piece) => piece.includes('}') && answer(socket, requests++))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    origin: `http://127.0.0.1:${port}`,
    sockets,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

const patient = await startServer((socket) => socket.write(OK))
const leaving = await startServer((socket, before) => (before === 0 ? socket.write(OK) : socket.end()))
const silent = await startServer((socket) => socket.end())
const servers = [patient, leaving, silent]
afterAll(() => void servers.map(({ close }) => close()))
const service = useService({
  worker: true,
  settings: { WEBHOOK_DEV_TARGETS: servers.map(({ origin }) => origin).join(',') },
})

/** Test events to a receiver, each sent once the one before has been attempted. Returns the deliveries. */
async function sendTo({ origin }: { origin: string }, count: number, between = 0) {
  const merchant = await newMerchant(service)
  const { id } = await endpoint(merchant, { url: `${origin}/hooks` })
  for (let sent = 1; sent <= count; sent++) {
    await pause(between)
    await merchant.call(`POST /v1/webhooks/${id}/test`)
    await deliveriesOf(merchant, id, (all) => all.length === sent && all.every(({ attempts }) => attempts.length > 0))
  }
  return deliveriesOf(merchant, id, () => true)
}

test('a connection to a receiver is still open for an event that comes five seconds later', async () => {
  const deliveries = await sendTo(patient, 2, 5000)
  expect(deliveries.map(({ status }) => status)).toEqual(['delivered', 'delivered'])
  expect(patient.sockets).toHaveLength(1)
})

test('an event whose kept connection the receiver closes meanwhile is sent again at once, in the same attempt', async () => {
  const deliveries = await sendTo(leaving, 3)
  expect(deliveries.map(({ status, attempts }) => [status, attempts.length])).toEqual(
    Array.from({ length: 3 }, () => ['delivered', 1]),
  )
  expect(leaving.sockets).toHaveLength(3)
})

test('a receiver that closes a new connection without an answer is not asked twice in one attempt', async () => {
  const [delivery] = await sendTo(silent, 1)
  expect([delivery.status, delivery.attempts.length, delivery.attempts[0].error]).toEqual([
    'pending',
    1,
    'The connection was closed',
  ])
  expect(silent.sockets).toHaveLength(1)
})
