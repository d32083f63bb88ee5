import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError } from '@payments/kernel'
import { addressBlock } from '@payments/platform'
import { canonicalAddress } from './client-address.ts'

interface Limits {
  readonly total: number
  readonly perAddress: number
  readonly trust: (address: string, hop: number) => boolean
}

/**
 * Closes connections beyond the limits as soon as they are opened. A trusted proxy has no limit of its own: it holds the
 * connections of all its clients.
 */
export function limitConnections(server: Server, { total, perAddress, trust }: Limits): void {
  const open = new Map<string, number>()
  server.maxConnections = total
  server.on('connection', (socket) => {
    const { remoteAddress } = socket
    const address = canonicalAddress(remoteAddress)
    if (address === undefined || trust(remoteAddress ?? '', 0)) return
    const block = addressBlock(address)
    const count = open.get(block) ?? 0
    if (count >= perAddress) {
      socket.destroy()
      return
    }
    open.set(block, count + 1)
    socket.once('close', () => {
      const left = (open.get(block) ?? 1) - 1
      if (left > 0) open.set(block, left)
      else open.delete(block)
    })
  })
}

/**
 * Closes connections whose client, for so long, neither sends the rest of its request nor reads the reply: without progress, a write is no
 * activity. A client that has sent its request and waits for the reply is not stalled, however long the server takes.
 */
export function closeStalled(server: Server, ms: number): void {
  server.setTimeout(ms)
  // With a listener, Node leaves the connection to it. Between requests there is no reply, and Node closes it.
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    res.on('timeout', (socket: Socket) => {
      if (req.complete && socket.writableLength === 0) socket.setTimeout(ms)
      else socket.destroy()
    })
  })
}

/** In logs and metrics: nobody gets this reply, and it is no failure of the service. */
const CLIENT_LEFT = { status: 408, message: 'The client has closed the connection' } as const

/** A signal that is aborted when the connection of a reply is closed, or the reply is sent. */
export function clientLeft(res: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const leave = () => controller.abort(new ServiceError('client_left', CLIENT_LEFT))
  if (res.destroyed) leave()
  else res.once('close', leave)
  return controller.signal
}
