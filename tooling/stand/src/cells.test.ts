import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, get } from 'node:https'
import { cellOfId, cellOfLookup, cellOfToken, cellText, idInCell, newId } from '@payments/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type CellsProxy,
  call,
  type Data,
  dataOf,
  freePort,
  hasTools,
  launchArtefact,
  mailedCode,
  pause,
  plainPng,
  samples,
  startCellsProxy,
  type TestArtefact,
  trustedCertificate,
} from '#testing'

const certificate = await trustedCertificate()
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** People who sign up: the second cell has those that the directory of emails names. */
const EMAILS = ['ada@example.com', 'Obi@Example.com'] as const
/** A key from before there were cells, which begins like one of the second cell. */
const LISTED = `svc_test_001Older${'x'.repeat(24)}`
const NUMBERS = [0, 1] as const
/** An object that was made in the first cell, and has moved. */
const MOVED = idInCell(newId(), '000')
const MAPS = {
  keys: [`${LISTED.slice(9, 17)} 000`],
  emails: [`${sha256(EMAILS[1].toLowerCase())} 001`],
  ids: [`${MOVED} 001`],
}

describe.skipIf(!hasTools('haproxy', 'socat'))('two cells behind the documented proxy', () => {
  let cells: TestArtefact[] = []
  let proxy: CellsProxy | undefined
  let url = ''
  beforeAll(async () => {
    const port = await freePort()
    url = `https://127.0.0.1:${port}`
    const settings = { BASE_URL: url, TRUST_PROXY: '127.0.0.1' }
    cells = await Promise.all(
      NUMBERS.map((number) => launchArtefact({ settings: { ...settings, CELL: String(number) } })),
    )
    proxy = await startCellsProxy(port, cells, certificate.tls, MAPS)
  })
  afterAll(async () => {
    await proxy?.stop()
    await Promise.all(cells.map((cell) => cell.stop()))
  })

  const through = {
    get url() {
      return url
    },
  }
  const post = (line: string, body: object): Promise<Data> =>
    dataOf(line, call(through, line, { body, key: null, token: null }))

  /** The cells whose log has a request with this id. */
  const seenBy = async (requestId: string): Promise<number[]> => {
    const has = () =>
      NUMBERS.filter((number) =>
        cells[number]?.logs.some((line) => line.includes(requestId) && line.includes('request completed')),
      )
    await expect.poll(() => has().length).toBe(1)
    return has()
  }
  /** The cell that answers a request. */
  const cellOf = async (
    path: string,
    headers: Record<string, string> = {},
    init: RequestInit = {},
  ): Promise<number[]> => {
    const requestId = randomUUID()
    await fetch(`${url}${path}`, { ...init, headers: { ...headers, 'x-request-id': requestId } })
    return seenBy(requestId)
  }

  /** Signs up through the proxy. The code is in the mail folder of the cell that got the registration. */
  async function signUp(number: (typeof NUMBERS)[number]) {
    const email = EMAILS[number]
    const { challengeId } = await post('POST /v1/auth/register', { email, organisationName: `Cell ${number}` })
    const code = await mailedCode(cells[number]?.dataDir ?? '', email.toLowerCase(), 15_000)
    const tokens = await post('POST /v1/auth/otp/verify', { challengeId, code })
    return { challengeId, ...tokens } as Data
  }

  test('each request goes to the cell of its key, token, cookie, callback, challenge, refresh token, device code, email or id, and everything made there names it; one cell that is away is missed by nobody of the other', async () => {
    await expect
      .poll(() =>
        fetch(`${url}/health`).then(
          ({ status }) => status,
          (error) => String(error.cause ?? error),
        ),
      )
      .toBe(200)
    const made = []
    for (const number of NUMBERS) {
      const { challengeId, accessToken, refreshToken } = await signUp(number)
      expect([cellOfId(challengeId, 0), cellOfToken(accessToken)]).toEqual([number, number])
      const renewed = await post('POST /v1/auth/refresh', { refreshToken })
      const session = { token: renewed.accessToken as string }
      const { key } = await dataOf(
        'key',
        call(through, 'POST /v1/api-keys', { ...session, body: { name: 'Key', environment: 'test' } }),
      )
      expect(cellOfLookup(key.slice(9, 17))).toBe(number)
      const customer = await dataOf(
        'customer',
        call(through, 'POST /v1/customers', { token: key, body: samples.customer.body() }),
      )
      const link = await dataOf(
        'link',
        call(through, 'POST /v1/collections', { token: key, body: samples.collection.body() }),
      )
      expect([customer, link].map(({ id }) => cellOfId(id, 0))).toEqual([number, number])
      expect((await call(through, `GET /v1/customers/${customer.id}`, { token: key })).status).toBe(200)
      expect((await fetch(`${url}/v1/pay/${link.id}`)).status).toBe(200)
      const image = plainPng(64).toString('base64')
      const put = call(through, 'PUT /v1/branding/logo', { token: key, body: { image } })
      const logo = new URL((await dataOf('logo', put)).logoUrl)
      expect((await fetch(logo)).status).toBe(200)
      expect(await cellOf(`${logo.pathname}${logo.search}`)).toEqual([number])
      // A program without a browser: its user allows it where they sign in.
      const device = await post('POST /v1/auth/device', { clientName: 'Terminal', email: EMAILS[number] })
      const { userCode } = device
      const answer = { ...session, body: { userCode, environment: 'test', access: 'read' } }
      await dataOf('approve', call(through, 'POST /v1/auth/device/approve', answer))
      const redeemed = await post('POST /v1/auth/device/token', { deviceCode: device.deviceCode })
      expect(cellOfLookup(redeemed.key.slice(9, 17))).toBe(number)
      made.push({ number, key: key as string, link: link.id as string, accessToken: renewed.accessToken as string })
    }
    for (const { number, key, link, accessToken } of made) {
      const cell = cellText(number)
      expect(await cellOf('/v1/customers', { authorization: `Bearer ${key}` })).toEqual([number])
      expect(await cellOf('/v1/auth/me', { authorization: `Bearer ${accessToken}` })).toEqual([number])
      expect(await cellOf(`/pay/${link}`)).toEqual([number])
      expect(await cellOf(`/v1/callbacks/paycrest/${cell}`, {}, { method: 'POST', body: '{}' })).toEqual([number])
      expect(await cellOf('/dashboard/api/me', { cookie: `__Secure-payments-dashboard=${cell}.v2.x` })).toEqual([
        number,
      ])
      const body = JSON.stringify({ email: EMAILS[number] })
      const json = { 'content-type': 'application/json' }
      expect(await cellOf('/v1/auth/login', json, { method: 'POST', body })).toEqual([number])
    }
    expect(await cellOf(`/pay/${MOVED}`)).toEqual([1])
    // What has no cell, or is from before there were any, is of the first one.
    const older = idInCell('01936f2a-7c1e-7000-8000-000000000000', '001')
    for (const path of [`/pay/${older}`, '/v1/callbacks/paycrest', `/pay/${idInCell(newId(), 'abc')}`, '/docs'])
      expect(await cellOf(path, {}, path.includes('callbacks') ? { method: 'POST', body: '{}' } : {})).toEqual([0])
    expect(await cellOf('/v1/customers', { authorization: `Bearer ${LISTED}` })).toEqual([0])
    expect(await cellOf('/v1/customers', { authorization: `Bearer ${LISTED.replace('Older', 'Other')}` })).toEqual([1])

    await cells[1]?.stop()
    cells = cells.slice(0, 1)
    const status = async ({ key, link }: { key: string; link: string }) => [
      (await call(through, 'GET /v1/customers', { token: key })).status,
      (await fetch(`${url}/v1/pay/${link}`)).status,
    ]
    const [first, second] = made
    await expect.poll(() => second && fetch(`${url}/v1/pay/${second.link}`).then((answer) => answer.status)).toBe(503)
    expect([first && (await status(first)), second && (await status(second))]).toEqual([
      [200, 200],
      [503, 503],
    ])
  })

  test('new maps are read by the next request, and no request fails while they are given to the proxy', async () => {
    let done = false
    const failed: unknown[] = []
    const lane = async () => {
      while (!done) {
        await fetch(`${url}/health`).then(
          (answer) => answer.text(),
          (error) => failed.push(error.cause ?? error),
        )
        await pause(10)
      }
    }
    const lanes = [lane(), lane(), lane()]
    // More than HAProxy reads at once.
    const many = Array.from({ length: 2000 }, () => `${newId()} 001`)
    for (let times = 0; times < 15; times++) {
      await proxy?.write({ ...MAPS, ids: [...many, `${MOVED} 001`] })
      await proxy?.write({ ...MAPS, ids: [...many, `${MOVED} 000`] })
      expect(await cellOf(`/pay/${MOVED}`)).toEqual([0])
    }
    done = true
    await Promise.all(lanes)
    expect(failed).toEqual([])
    await proxy?.write(MAPS)
  })

  test('a proxy that reads its configuration again closes no connection on which a request may be on its way', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: certificate.authority })
    const answered = async () => {
      const request = get(`${url}/health`, { agent })
      const [answer] = await once(request, 'response')
      answer.resume()
      await once(answer, 'end')
      return { status: answer.statusCode, reused: request.reusedSocket }
    }
    try {
      expect(await answered()).toEqual({ status: 200, reused: false })
      const reloaded = proxy?.reload()
      await pause(1000)
      expect(await answered()).toEqual({ status: 200, reused: true })
      await reloaded
    } finally {
      agent.destroy()
    }
  })

  test('a map with a line that is none is refused by its line, and nothing of it is read', async () => {
    const ids = [`${MOVED} 000`, `${newId()} one`]
    await expect(proxy?.write({ ...MAPS, ids })).rejects.toThrow(/ids\.map, line 2:/)
    await proxy?.write(MAPS)
  })
})
