import { createServer, type Server } from 'node:net'
import { bind } from '@payments/kernel'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import { deliveriesOf, endpoint } from '../../test/deliveries.ts'
import { isPublic } from './addresses.ts'
import { targetNames } from './resolve.ts'

/** The addresses of each name; a list of lists gives a different answer each time. */
const answers = new Map<string, (readonly string[])[]>()
const asked: string[] = []
const service = useService({
  worker: true,
  live: [
    bind(targetNames, 'test', async (name) => {
      asked.push(name)
      const queue = answers.get(name) ?? [[]]
      return (queue.length > 1 ? queue.shift() : queue[0]) ?? []
    }),
  ],
})

let connections = 0
const listeners: Server[] = []
let port = 0
beforeAll(async () => {
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer((socket) => {
      connections++
      socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(port, host, resolve).once('error', () => resolve()))
    const address = server.address()
    if (address && typeof address === 'object') port = address.port
    listeners.push(server)
  }
})
beforeEach(() => {
  connections = 0
  asked.length = 0
})
afterAll(() => {
  for (const server of listeners) server.close()
})

/** The address beside the last or first one of a range that is refused. Computed, because it belongs to another party. */
function next(address: string, step = 1): string {
  const value = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) + step
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')
}

const SPELLINGS = [
  // Loopback: plain, short, decimal, octal, hexadecimal, mixed, with trailing dots, percent-encoded.
  ...['127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '2130706433', '017700000001', '0x7f000001', '0x7F.1'],
  ...['0177.0.0.1', '0x7f.0x0.0x0.0x1', '0177.0x0.0.01', '127.0.0.1.', '127.1.', '2130706433.', '%31%32%37.0.0.1'],
  ...['127%2e0%2e0%2e1', '00000177.0.0.1', '0x7f.0.1', '0', '0.0.0.0', '0x0', '00', '0.0.0.0.', '127.0.0.01'],
  // Unicode digits, dots and letters that become ASCII.
  ...[
    '１２７.０.０.１',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '127．0．0．1',
    '127｡0｡0｡1',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
    '𝟏𝟐𝟕.𝟎.𝟎.𝟏',
    '⑯⑨。②⑤④。⑯⑨｡②⑤④',
  ],
  // Private, link-local, metadata, carrier, documentation, benchmark, multicast, reserved.
  ...[
    '10.0.0.1',
    '10.255.255.255',
    '167772161',
    '012.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '0xc0a80001',
  ],
  ...[
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.43518',
    '100.64.0.1',
    '100.100.100.200',
  ],
  ...[
    '192.0.0.192',
    '192.0.2.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '239.1.2.3',
  ],
  ...['240.0.0.1', '255.255.255.255', '4294967295', '192.88.99.1', '168.63.129.16'],
  // IPv6: loopback, unspecified, local, mapped, compatible, NAT64, 6to4, Teredo, documentation, multicast.
  ...[
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000::0001]',
    '[::]',
    '[fe80::1]',
    '[febf::1]',
    '[fec0::1]',
    '[fc00::1]',
    '[fd12:3456::1]',
  ],
  ...[
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::FFFF:10.0.0.1]',
    '[0:0:0:0:0:ffff:a9fe:a9fe]',
    `[::ffff:${next('172.31.255.255')}]`,
    '[::127.0.0.1]',
  ],
  ...['[::7f00:1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::10.0.0.1]'],
  ...['[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2001:0:4136:e378:8000:63bf:3fff:fdd2]', '[2001:db8::1]', '[3fff::1]'],
  ...['[2001:2::1]', '[2001:10::1]', '[ff02::1]', '[100::1]', '[5f00::1]', '[fd00:ec2::254]'],
  // Names of this machine or network, and credentials that hide the host.
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'localhost.localdomain',
    'printer.local',
    'metadata.google.internal',
  ],
  ...['metadata', 'kubernetes.default.svc.cluster.local', 'router.home.arpa', 'intranet', 'db.internal.'],
  ...['merchant.example@127.0.0.1', 'merchant.example:x@[::1]', 'user:password@merchant.example', '@localhost'],
]

test(`all ${SPELLINGS.length} spellings of a target that is not public are rejected, and none is connected to`, async () => {
  expect(new Set(SPELLINGS).size).toBeGreaterThanOrEqual(80)
  const merchant = await newMerchant(service)
  const { id } = await endpoint(merchant, { url: 'https://merchant.example/' })
  for (const spelling of SPELLINGS) {
    const url = `https://${spelling}:${port}/`
    const made = await merchant.call('POST /v1/webhooks', { body: { url } })
    expect([spelling, made.status, Object.keys(made.body.errors ?? {})]).toEqual([spelling, 422, ['url']])
    const changed = await merchant.call(`PATCH /v1/webhooks/${id}`, { body: { url } })
    expect([spelling, changed.status]).toEqual([spelling, 422])
  }
  expect(connections).toBe(0)
})

test('a URL that is not plain HTTPS is rejected', async () => {
  const merchant = await newMerchant(service)
  for (const url of [
    'http://merchant.example',
    'ftp://merchant.example',
    'file:///etc/passwd',
    '//merchant.example',
    'https://',
    '',
  ]) {
    expect([url, (await merchant.call('POST /v1/webhooks', { body: { url } })).status]).toEqual([url, 422])
  }
})

const BAD = [
  '127.0.0.1',
  '10.1.2.3',
  '169.254.169.254',
  '::1',
  '::ffff:127.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'fd00::1',
]

test('a name that resolves to an address that is not public, alone or among others, is rejected at registration', async () => {
  const merchant = await newMerchant(service)
  for (const bad of BAD) {
    for (const addresses of [[bad], ['3000::1', bad], [bad, '3000::2']]) {
      answers.set('rebound.example', [addresses])
      const { status, body } = await merchant.call('POST /v1/webhooks', { body: { url: 'https://rebound.example/' } })
      expect([addresses, status, Object.keys(body.errors)]).toEqual([addresses, 422, ['url']])
    }
  }
  expect(connections).toBe(0)
})

test('a name that resolves differently the second time is rejected for good when connecting, and no connection is opened', async () => {
  const merchant = await newMerchant(service)
  for (const [index, bad] of BAD.entries()) {
    const name = `second-${index}.example`
    answers.set(name, [['3000::1'], ['3000::1', bad]])
    const { id } = await endpoint(merchant, { url: `https://${name}:${port}/` })
    await merchant.call(`POST /v1/webhooks/${id}/test`)
    const [delivery] = await deliveriesOf(merchant, id, ([one]) => one?.status !== 'pending')
    expect(delivery).toMatchObject({
      status: 'failed',
      nextAttemptAt: null,
      attempts: [{ responseStatus: null, error: 'The name resolves to an address that may not be called' }],
    })
    expect(asked.filter((each) => each === name)).toHaveLength(2)
  }
  expect(connections).toBe(0)
})

test('an address that was stored before it was forbidden is rejected at the attempt, and no connection is opened', async () => {
  const merchant = await newMerchant(service)
  for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', 'localhost']) {
    const { id } = await endpoint(merchant, { url: 'https://merchant.example/' })
    await service.runtime.pool.query('update webhook_endpoints set url = $2 where id = $1', [
      id,
      `https://${host}:${port}/`,
    ])
    await merchant.call(`POST /v1/webhooks/${id}/test`)
    const [delivery] = await deliveriesOf(merchant, id, ([one]) => one?.status !== 'pending')
    expect(delivery.attempts).toMatchObject([{ error: 'The URL may not be called' }])
  }
  expect(connections).toBe(0)
})

test('a name without addresses is retried, since it may resolve later', async () => {
  const merchant = await newMerchant(service)
  const { id } = await endpoint(merchant, { url: 'https://nowhere.example/' })
  await merchant.call(`POST /v1/webhooks/${id}/test`)
  const [delivery] = await deliveriesOf(merchant, id, ([one]) => one?.attempts.length === 1)
  expect(delivery).toMatchObject({ status: 'pending', attempts: [{ error: 'The name does not resolve' }] })
})

test('public addresses stay callable', () => {
  for (const address of [
    ...[next('10.0.0.0', -1), next('10.255.255.255'), next('100.127.255.255'), next('172.16.0.0', -1)],
    ...[next('172.31.255.255'), next('192.0.2.255'), next('224.0.0.0', -1), '3000::1', '3abc::1'],
  ]) {
    expect([address, isPublic(address)]).toEqual([address, true])
  }
})
