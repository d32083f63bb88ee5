import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SettingsError } from '@payments/platform'
import { decodeJwt, decodeProtectedHeader, exportJWK, type JWTPayload, SignJWT } from 'jose'
import { expect, onTestFinished, test, vi } from 'vitest'
import { call, foundOrganisation, signedIn, startService, useService } from '#testing'
import { accountsSettings } from '../settings.ts'
import { tokenKeys } from './tokens.ts'

const service = useService()
const session = async () =>
  signedIn(service.runtime, { organisationId: await foundOrganisation(service.runtime), role: 'owner' })
const me = async (token: string, at: { url: string } = service) => {
  const { status, body } = await call(at, 'GET /v1/auth/me', { token })
  return status === 200 ? 'signed in' : `${status} ${body.message}`
}
const REFUSED = '401 Token invalid or expired'
const now = () => Math.floor(Date.now() / 1000)
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** The last character of an Ed25519 signature has four bits that mean nothing. */
const otherSpelling = (token: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1) ?? '') + 1]
}
const ed25519 = () => generateKeyPairSync('ed25519')
const pem = (key: KeyObject, type: 'spki' | 'pkcs8') => key.export({ type, format: 'pem' }).toString()

test('an access token is an EdDSA JWT with the documented claims, valid for 15 minutes, with its key in the JWKS', async () => {
  const { accessToken, userId, organisation } = await session()
  const { keys } = (await call(service, 'GET /.well-known/jwks.json')).body
  expect(keys).toEqual([
    { kty: 'OKP', crv: 'Ed25519', x: expect.any(String), kid: expect.any(String), alg: 'EdDSA', use: 'sig' },
  ])
  expect(decodeProtectedHeader(accessToken)).toEqual({ alg: 'EdDSA', kid: keys[0].kid, typ: 'JWT' })
  const claims = decodeJwt(accessToken)
  expect(Object.keys(claims).sort()).toEqual(['aud', 'cell', 'exp', 'iat', 'iss', 'jti', 'org', 'role', 'sid', 'sub'])
  expect(claims).toMatchObject({ sub: userId, org: organisation.id, role: 'owner', cell: '000' })
  expect(Number(claims.exp) - Number(claims.iat)).toBe(900)
})

test('expired, not yet valid, foreign, incomplete and altered tokens are refused with the same reply', async () => {
  const { accessToken } = await session()
  expect(await me(accessToken)).toBe('signed in')
  const claims = decodeJwt(accessToken)
  const header = decodeProtectedHeader(accessToken) as { alg: string; kid: string; typ: string }
  const own = createPrivateKey(accountsSettings.from(service.runtime.settings).JWT_PRIVATE_KEY)
  const sign = (payload: JWTPayload, head: Partial<typeof header> = {}, key = own) =>
    new SignJWT(payload).setProtectedHeader({ ...header, ...head }).sign(key)
  expect(await me(await sign(claims))).toBe('signed in')

  const { kid: _kid, ...unnamed } = header
  const tokens = {
    expired: await sign({ ...claims, exp: now() - 1 }),
    'issued in the future': await sign({ ...claims, iat: now() + 60 }),
    'with padding': `${accessToken}=`,
    'with padding in its claims': accessToken.replace(/\.([^.]+)\./, '.$1=.'),
    'in another spelling of its signature': otherSpelling(accessToken),
    'not valid yet': await sign({ ...claims, nbf: now() + 60 }),
    'of another issuer': await sign({ ...claims, iss: 'https://elsewhere.example' }),
    'for another audience': await sign({ ...claims, aud: 'another-audience' }),
    'without a session': await sign({ ...claims, sid: undefined }),
    'without an expiry': await sign({ ...claims, exp: undefined }),
    'of an unknown session': await sign({ ...claims, sid: '0199aaaa-0000-7000-8000-000000000000' }),
    'with a session that is not a UUID': await sign({ ...claims, sid: "' or true --" }),
    'under an unknown kid': await sign(claims, { kid: 'unknown' }),
    'without a kid': await new SignJWT(claims).setProtectedHeader(unnamed).sign(own),
    'of another type': await sign(claims, { typ: 'at+jwt' }),
    'signed by another key under our kid': await sign(claims, {}, ed25519().privateKey),
    'with an altered claim': accessToken.replace(/\.[^.]+\./, `.${part({ ...claims, role: 'operator' })}.`),
    'with an altered signature': accessToken.slice(0, -6) + (accessToken.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA'),
    'without a signature': accessToken.replace(/\.[^.]+$/, '.'),
  }
  for (const [name, token] of Object.entries(tokens)) expect([name, await me(token)]).toEqual([name, REFUSED])
})

test('a token that was verified before is refused once it has expired', async () => {
  const { accessToken } = await session()
  const { verify } = tokenKeys(service.runtime.settings)
  for (let time = 0; time < 2; time++) await verify(accessToken)
  const { exp = 0 } = decodeJwt(accessToken)
  vi.useFakeTimers({ toFake: ['Date'], now: exp * 1000 - 1 })
  onTestFinished(() => void vi.useRealTimers())
  await verify(accessToken)
  vi.setSystemTime(exp * 1000)
  await expect(verify(accessToken)).rejects.toMatchObject({ status: 401 })
})

test('the header of a token cannot choose the algorithm or supply a key', async () => {
  const { accessToken } = await session()
  const [, payload] = accessToken.split('.')
  const header = decodeProtectedHeader(accessToken)
  const publicKey = createPublicKey(createPrivateKey(accountsSettings.from(service.runtime.settings).JWT_PRIVATE_KEY))
  const jwk = await exportJWK(publicKey)
  const hs256 = (secret: string | Buffer) => {
    const signed = `${part({ ...header, alg: 'HS256' })}.${payload}`
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  }
  const stranger = ed25519()
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const claims = decodeJwt(accessToken)
  const tokens = {
    'alg none': `${part({ ...header, alg: 'none' })}.${payload}.`,
    'alg None': `${part({ ...header, alg: 'None' })}.${payload}.`,
    'HMAC with the public PEM': hs256(pem(publicKey, 'spki')),
    'HMAC with the public bytes': hs256(Buffer.from(jwk.x as string, 'base64url')),
    'an embedded key': await new SignJWT(claims)
      .setProtectedHeader({
        alg: 'EdDSA',
        typ: 'JWT',
        kid: String(header.kid),
        jwk: await exportJWK(stranger.publicKey),
      })
      .sign(stranger.privateKey),
    'a key at a URL': await new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: String(header.kid), jku: 'https://elsewhere.example/jwks' })
      .sign(stranger.privateKey),
    RS256: await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: String(header.kid) })
      .sign(rsa.privateKey),
  }
  for (const [name, token] of Object.entries(tokens)) expect([name, await me(token)]).toEqual([name, REFUSED])
})

test('a signing key is rotated without ending sessions, and a removed key ends its tokens', async () => {
  const { accessToken } = await session()
  const next = ed25519()
  const before = pem(
    createPublicKey(createPrivateKey(accountsSettings.from(service.runtime.settings).JWT_PRIVATE_KEY)),
    'spki',
  )
  const start = (settings: Record<string, string>) => startService({ database: service.database, settings })
  const JWT_PRIVATE_KEY = pem(next.privateKey, 'pkcs8')
  const unrelated = pem(ed25519().publicKey, 'spki')
  const rotated = await start({ JWT_PRIVATE_KEY, JWT_ACCEPTED_PUBLIC_KEYS: `${unrelated}\n${before}` })
  const prepared = await start({
    JWT_PRIVATE_KEY: accountsSettings.from(service.runtime.settings).JWT_PRIVATE_KEY,
    JWT_ACCEPTED_PUBLIC_KEYS: pem(next.publicKey, 'spki').replaceAll('\n', '\\n'),
  })
  const later = await start({ JWT_PRIVATE_KEY })
  try {
    expect(await me(accessToken, rotated)).toBe('signed in')
    const fresh = await signedIn(rotated.runtime, { role: 'operator' })
    expect(decodeProtectedHeader(fresh.accessToken).kid).not.toBe(decodeProtectedHeader(accessToken).kid)
    // While processes restart one by one, the processes that still sign with the old key already accept the next one.
    expect(await me(fresh.accessToken, prepared)).toBe('signed in')
    expect((await call(rotated, 'GET /.well-known/jwks.json')).body.keys).toHaveLength(3)
    expect(await me(accessToken, later)).toBe(REFUSED)
  } finally {
    for (const each of [rotated, prepared, later]) await each.stop()
  }
})

test('an invalid key or proxy setting stops the start with an error that names it', async () => {
  for (const [name, text] of [
    ['JWT_ACCEPTED_PUBLIC_KEYS', 'nonsense'],
    ['JWT_ACCEPTED_PUBLIC_KEYS', pem(ed25519().privateKey, 'pkcs8')],
    ['TRUST_PROXY', '10.0.0.0/8,10.0.0.0/33'],
    ['TRUST_PROXY', 'proxy.example'],
  ] as const) {
    const starting = startService({ database: service.database, settings: { [name]: text } })
    await expect(starting).rejects.toThrow(SettingsError)
    await expect(starting).rejects.toThrow(`${name}: `)
  }
})
