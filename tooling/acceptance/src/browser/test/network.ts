import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { promisify } from 'node:util'

/** A network between the browser and the service at an address, which can be lost with every connection. */
export async function startNetwork(service: string) {
  const open = new Set<Socket>()
  let isLost = false
  const server = createServer((socket) => {
    const onward = connect(Number(new URL(service).port), '127.0.0.1')
    for (const each of [socket, onward]) {
      open.add(each)
      each.on('error', () => undefined)
      each.on('close', () => open.delete(each))
    }
    socket.pipe(onward).pipe(socket)
    if (isLost) cut()
  })
  const cut = () => {
    for (const each of open) each.destroy()
  }
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lose() {
      isLost = true
      cut()
    },
    restore() {
      isLost = false
    },
    async close() {
      cut()
      await promisify(server.close.bind(server))()
    },
  }
}
