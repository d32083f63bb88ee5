import type { Server } from 'node:http'
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
