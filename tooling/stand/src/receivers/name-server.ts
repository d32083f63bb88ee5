import { createSocket, type Socket } from 'node:dgram'
import type { AddressInfo } from 'node:net'

/** A name server on this computer with TXT records, each in two parts as long ones are: `DNS_SERVERS` is its address. */
export async function startNameServer() {
  const records = new Map<string, string>()
  const failing = new Set<string>()
  const server: Socket = createSocket('udp4')
  server.on('message', (query, from) => {
    const labels: string[] = []
    let at = 12
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('ascii', at + 1, at + 1 + length))
      at += length + 1
    }
    const question = query.subarray(12, at + 5)
    const name = labels.join('.')
    const isFailing = failing.has(name)
    const text = isFailing ? undefined : records.get(name)
    const parts = text ? [text.slice(0, 10), text.slice(10)] : []
    const data = Buffer.concat(parts.map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part)])))
    // RFC 1035, section 4.1.1: no error, a failure of the server (2), or no such name (3).
    const outcome = text ? 0x80 : isFailing ? 0x82 : 0x83
    const header = Buffer.from([...query.subarray(0, 2), 0x81, outcome, 0, 1, 0, text ? 1 : 0, 0, 0, 0, 0])
    const answer = Buffer.from([0xc0, 0x0c, 0, 16, 0, 1, 0, 0, 0, 60, data.length >> 8, data.length & 0xff])
    server.send(Buffer.concat(text ? [header, question, answer, data] : [header, question]), from.port, from.address)
  })
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
  return {
    records,
    failing,
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  }
}
