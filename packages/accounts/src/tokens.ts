import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { no, type Settings } from '@payments/kernel'
import { calculateJwkThumbprint, exportJWK, type JWK, jwtVerify, SignJWT } from 'jose'

export const ACCESS_TOKEN_SECONDS = 900
const AUDIENCE = 'payments-dashboard'

/** Signs and checks access tokens (EdDSA, RFC 8037) with the key of the settings. */
export interface TokenKeys {
  sign(claims: { userId: string; organisationId: string; sessionId: string; role: string }): Promise<string>
  /** @throws Refusal 401 `Token invalid or expired`, whatever is wrong with it. */
  verify(token: string): Promise<{ userId: string; sessionId: string }>
  /** Public keys for `/.well-known/jwks.json`. */
  jwks(): Promise<{ keys: JWK[] }>
}

const cache = new WeakMap<Settings, TokenKeys>()

/** The token keys of these settings. */
export function tokenKeys(settings: Settings): TokenKeys {
  const known = cache.get(settings)
  if (known) return known
  const made = make(settings)
  cache.set(settings, made)
  return made
}

function make(settings: Settings): TokenKeys {
  const privateKey: KeyObject = createPrivateKey(settings.JWT_PRIVATE_KEY)
  const publicKey = createPublicKey(privateKey)
  const jwk = exportJWK(publicKey)
  const kid = jwk.then((key) => calculateJwkThumbprint(key))
  const issuer = settings.BASE_URL ?? 'payments'
  return {
    async sign({ userId, organisationId, sessionId, role }) {
      return new SignJWT({ org: organisationId, sid: sessionId, role })
        .setProtectedHeader({ alg: 'EdDSA', kid: await kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setSubject(userId)
        .setIssuedAt()
        .setExpirationTime(`${ACCESS_TOKEN_SECONDS}s`)
        .setJti(crypto.randomUUID())
        .sign(privateKey)
    },
    async verify(token) {
      try {
        const { payload, protectedHeader } = await jwtVerify(token, publicKey, {
          algorithms: ['EdDSA'],
          issuer,
          audience: AUDIENCE,
        })
        if (protectedHeader.kid !== (await kid) || typeof payload.sid !== 'string' || typeof payload.sub !== 'string')
          throw no.invalid_token()
        return { userId: payload.sub, sessionId: payload.sid }
      } catch (error) {
        throw no.invalid_token({ cause: error })
      }
    },
    async jwks() {
      return { keys: [{ ...(await jwk), kid: await kid, alg: 'EdDSA', use: 'sig' }] }
    },
  }
}
