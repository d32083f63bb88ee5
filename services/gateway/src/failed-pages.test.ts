import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { connected, launchArtefact, newCollection, newMerchant, useArtefact } from '#testing'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const service = useArtefact()
const limited = useArtefact({ settings: { RATE_LIMIT_VIEWS: '3', RATE_LIMIT_GLOBAL: '3' } })

const open = (url: string, path: string, accept = BROWSER) => fetch(`${url}${path}`, { headers: { accept } })
const typeOf = (reply: Response) => reply.headers.get('content-type')

test('a browser that opens an address that does not exist gets a page with the way to the documentation', async () => {
  for (const path of ['/nothing', '/docs/nothing', '/pay', '/sdk/nothing.tgz', '/cli/nothing.tgz']) {
    const reply = await open(service.url, path)
    expect([path, reply.status, typeOf(reply)]).toEqual([path, 404, 'text/html; charset=utf-8'])
    expect(await reply.text()).toContain('<a href="/docs">documentation</a>')
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(reply.headers.get('vary')).toContain('Accept')
  }
})

test('a browser that opens the address of the service is sent to the dashboard', async () => {
  const reply = await fetch(service.url, { headers: { accept: BROWSER }, redirect: 'manual' })
  expect([reply.status, reply.headers.get('location'), reply.headers.get('vary')]).toEqual([
    302,
    '/dashboard',
    expect.stringContaining('Accept'),
  ])
})

test.each([
  ['a program', '/nothing', '*/*'],
  ['a program that installs a version that is not served', '/sdk/payments-sdk-0.0.0.tgz', '*/*'],
  ['a program that opens the address of the service', '/', '*/*'],
  ['a program that asks for JSON', '/pay/nothing/more', 'application/json'],
  ['a browser that opens the API', '/v1/nothing', BROWSER],
  ['a browser that opens a procedure', '/trpc/nothing', BROWSER],
])('%s gets JSON', async (_who, path, accept) => {
  const reply = await open(service.url, path, accept)
  expect([reply.ok, typeOf(reply)]).toEqual([false, 'application/json; charset=utf-8'])
})

test('a payer who is asked to wait gets a page that says for how long, in their language, and that nothing sent is lost', async () => {
  const { id } = await newCollection(await newMerchant(service))
  const path = `/pay/${id}?lang=fr`
  let reply = await open(limited.url, path)
  for (let tries = 0; tries < 10 && reply.status !== 429; tries++) reply = await open(limited.url, path)
  const seconds = reply.headers.get('retry-after')
  expect([reply.status, typeOf(reply), Number(seconds) > 0]).toEqual([429, 'text/html; charset=utf-8', true])
  const text = (await reply.text()).replaceAll(/<\/?bdi>/g, '')
  expect(text).toContain(`Attendez ${seconds} secondes`)
  expect(text).toContain('n’en envoyez pas un autre')
  expect(text).toContain(`href="/pay/${id}?lang=fr"`)
  // An id that is none is text in it.
  const odd = await open(limited.url, `/pay/${encodeURIComponent(`"><script>${newId()}`)}`)
  expect(odd.status).toBe(429)
  expect(await odd.text()).not.toContain('"><script>')
})

test('what is posted to a page counts against the limit of requests, not against that of views', async () => {
  const post = () =>
    fetch(`${limited.url}/pay/${newId()}/transaction`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
  const statuses: number[] = []
  for (let sent = 0; sent < 4; sent++) statuses.push((await post()).status)
  expect(statuses).toEqual([404, 404, 404, 429])
})

test('a browser gets a page too while the service cannot read, and nothing of the API is compressed', async () => {
  const own = await launchArtefact()
  try {
    const { id } = await newCollection(await newMerchant(service))
    const owner = await connected(own)
    await owner.query('alter table rate_limits rename to lost').finally(() => owner.end())
    for (const path of ['/docs/nothing', `/pay/${id}`]) {
      const reply = await open(own.url, path)
      expect([path, reply.status, typeOf(reply)]).toEqual([path, 500, 'text/html; charset=utf-8'])
    }
  } finally {
    await own.stop()
  }
  const reply = await fetch(`${service.url}/v1/customers`, { headers: { 'accept-encoding': 'br, gzip' } })
  expect(reply.headers.get('content-encoding')).toBe(null)
})

test('pages are compressed for those who accept it, and are the same', async () => {
  const { id } = await newCollection(await newMerchant(service))
  for (const path of [`/pay/${id}`, '/nothing']) {
    const ask = (encoding: string) =>
      fetch(`${service.url}${path}`, { headers: { accept: BROWSER, 'accept-encoding': encoding } })
    const [plain, zipped, brotli] = [await ask('identity'), await ask('gzip'), await ask('gzip, br')]
    const encodings = [plain, zipped, brotli].map(({ headers }) => headers.get('content-encoding'))
    expect(encodings).toEqual([null, 'gzip', 'br'])
    expect(zipped.headers.get('vary')).toContain('Accept-Encoding')
    const withoutTime = (text: string) => text.replace(/"serverTime":"[^"]*"/, '')
    const text = withoutTime(await plain.text())
    for (const compressed of [zipped, brotli]) expect(withoutTime(await compressed.text())).toBe(text)
  }
})
