import { afterAll, expect, test } from 'vitest'
import { call, signIn, startMailbox, tableContents, useService } from '#testing'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({ worker: true, settings: { SMTP_URL: mailbox.url } })

/** The encodings in which a secret is still readable. */
const encodings = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
  encodeURIComponent(secret),
]

test('no secret is readable in the database, the logs or an error reply', async () => {
  const session = await signIn(service, mailbox, { email: 'canary@example.com', organisationName: 'Canary' })
  const code = await mailbox.codeFor('canary@example.com')
  const token = session.accessToken
  const refreshed = await call(service, 'POST /v1/auth/refresh', {
    body: { refreshToken: session.refreshToken },
    key: null,
  })
  const keys = await Promise.all(
    ['test', 'live'].map((environment) =>
      call(service, 'POST /v1/api-keys', { body: { name: 'Canary', environment }, token, key: null }),
    ),
  )
  const [key, live] = keys.map((reply) => reply.body.data.key) as [string, string]
  // The reply to this request is stored for replay.
  const endpoint = await call(service, 'POST /v1/webhooks', {
    body: { url: 'https://merchant.example/hooks' },
    token: key,
  })
  expect(endpoint.status).toBe(201)
  const secrets: Record<string, string> = {
    'access token': token,
    'refresh token': session.refreshToken,
    'next refresh token': refreshed.body.data.refreshToken,
    'next access token': refreshed.body.data.accessToken,
    'test key': key,
    'secret part of the test key': key.slice(-24),
    'secret part of the live key': live.slice(-24),
    'signing secret': endpoint.body.data.secret,
    'bytes of the signing secret': endpoint.body.data.secret.slice('whsec_'.length),
  }

  // A program that a user has allowed to receive a key.
  const device = (path: string, body: object, session: string | null) =>
    call(service, `POST /v1/auth/device${path}`, { body, token: session, key: null }).then((answer) => answer.body.data)
  const { deviceCode, userCode } = await device('', { clientName: 'Canary' }, null)
  await device('/approve', { userCode, environment: 'test', access: 'read' }, token)
  secrets['device code'] = deviceCode
  secrets['key of the device'] = (await device('/token', { deviceCode }, null)).key

  // Requests that fail because a client puts a secret into the wrong place.
  const refusals: string[] = []
  for (const secret of [...Object.values(secrets), code]) {
    const wrong = [
      call(service, 'GET /v1/customers', { token: `${secret.slice(0, -1)}!` }),
      call(service, 'GET /v1/customers', { headers: { authorization: secret } }),
      call(service, 'POST /v1/auth/refresh', { body: { refreshToken: `${secret}x` }, key: null }),
      call(service, 'POST /v1/auth/otp/verify', { body: { challengeId: secret, code: secret }, key: null }),
      call(service, 'POST /v1/customers', { body: `{"name":"${secret}`, token: key }),
      call(service, 'POST /v1/customers', {
        body: { name: 7, email: secret, phoneNumber: secret.repeat(9) },
        token: key,
      }),
      call(service, 'POST /v1/webhooks', { body: { url: secret, events: [secret] }, token: key }),
    ]
    // Not for a short secret: path segments that are not longer than an id are logged.
    if (secret.length > 36)
      wrong.push(call(service, `DELETE /v1/api-keys/${encodeURIComponent(secret.slice(0, 200))}`, { token, key: null }))
    for (const { status, text } of await Promise.all(wrong)) {
      expect(status).toBeGreaterThanOrEqual(400)
      refusals.push(text)
    }
  }
  expect(refusals.join('')).not.toContain('Internal server error')

  const logs = service.logs.join('')
  const places = new Map([
    ...(await tableContents(service.database)),
    ['logs', logs],
    ['refusals', refusals.join('\n')],
  ])
  expect(places.get('public.events')).toBeDefined()
  expect(places.get('public.api_keys')).toContain(key.slice(9, 17))
  expect(places.get('public.challenges')).toContain('canary@example.com')
  const found = [...places].flatMap(([place, text]) => [
    ...Object.entries(secrets).flatMap(([name, secret]) =>
      encodings(secret).some((encoded) => text.includes(encoded)) ? [`${name} in ${place}`] : [],
    ),
    ...(new RegExp(`(?<![\\w.:-])${code}(?![\\w.-])`).test(text) ? [`code in ${place}`] : []),
  ])
  expect(found).toEqual([])
})
