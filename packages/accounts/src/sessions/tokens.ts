import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { CELL_CLAIM, errors, isId, ownCell } from '@payments/kernel'
import { platformSettings, type Settings } from '@payments/platform'
import { calculateJwkThumbprint, exportJWK, type JWK, jwtVerify, SignJWT } from 'jose'

import { accountsSettings } from '../settings.ts'

export const ACCESS_TOKEN_SECONDS = 900
/** How much the clocks of two processes may differ. */
const CLOCK_SECONDS = 5
const AUDIENCE = 'payments-dashboard'
/** Tokens whose signature is not verified again: those that were verified last. */
const REMEMBERED = 2_000

/** Signs access tokens (EdDSA, RFC 8037) with the key in the settings, and verifies them with every accepted key. */
export interface TokenKeys {
  sign(claims: { userId: string; organisationId: string; sessionId: string; role: string }): Promise<string>
  /** @throws ServiceError 401 `Token invalid or expired` for every invalid token. */
  verify(token: string): Promise<{ userId: string; sessionId: string }>
  /** Public keys for `/.well-known/jwks.json`, the signing key first. */
  jwks(): Promise<{ keys: JWK[] }>
}

interface Claims {
  readonly userId: string
  readonly sessionId: string
  /** Seconds since 1970. */
  readonly exp: number
}

interface PublicKey {
  readonly kid: string
  readonly key: KeyObject
  readonly jwk: JWK
}

const cache = new WeakMap<Settings, TokenKeys>()

/** The token keys of these settings. */
export function tokenKeys(settings: Settings): TokenKeys {
  const cached = cache.get(settings)
  if (cached) return cached
  const created = createTokenKeys(settings)
  cache.set(settings, created)
  return created
}

function createTokenKeys(settings: Settings): TokenKeys {
  const { JWT_PRIVATE_KEY, JWT_ACCEPTED_PUBLIC_KEYS } = accountsSettings.from(settings)
  const privateKey = createPrivateKey(JWT_PRIVATE_KEY)
  const signing = publicKey(createPublicKey(privateKey))
  const accepted = Promise.all([
    signing,
    ...JWT_ACCEPTED_PUBLIC_KEYS.map((pem) => publicKey(createPublicKey(pem))),
  ]).then((keys) => new Map(keys.map((each) => [each.kid, each])))
  const issuer = platformSettings.from(settings).BASE_URL ?? 'payments'
  // A signature stays as valid as it was; whether the session is, is read at each request. Verifying takes a quarter of a short request.
  const verified = new Map<string, Claims>()
  return {
    async sign({ userId, organisationId, sessionId, role }) {
      return new SignJWT({ org: organisationId, sid: sessionId, role, [CELL_CLAIM]: ownCell() })
        .setProtectedHeader({ alg: 'EdDSA', kid: (await signing).kid, typ: 'JWT' })
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
        const known = verified.get(token)
        if (known && known.exp > Date.now() / 1000) return known
        if (!token.split('.').every(isCanonical)) throw new Error('Not base64url in its only spelling')
        const keys = await accepted
        const { payload } = await jwtVerify(
          token,
          ({ kid }) => {
            const found = keys.get(kid ?? '')
            if (!found) throw new Error('Unknown kid')
            return found.key
          },
          {
            // The header's `alg` and `jwk` have no effect: one algorithm and only our own keys are accepted.
            algorithms: ['EdDSA'],
            typ: 'JWT',
            issuer,
            audience: AUDIENCE,
            requiredClaims: ['sub', 'org', 'sid', 'exp', 'iat', 'jti'],
          },
        )
        if ((payload.iat ?? 0) > Date.now() / 1000 + CLOCK_SECONDS) throw new Error('Issued in the future')
        if (typeof payload.sid !== 'string' || typeof payload.sub !== 'string' || !isId(payload.sid))
          throw new Error('Invalid claims')
        const claims = { userId: payload.sub, sessionId: payload.sid, exp: payload.exp ?? 0 }
        verified.set(token, claims)
        const [oldest] = verified.keys()
        if (verified.size > REMEMBERED && oldest !== undefined) verified.delete(oldest)
        return claims
      } catch (error) {
        throw errors.invalid_token({ cause: error })
      }
    },
    async jwks() {
      return { keys: [...(await accepted).values()].map((each) => each.jwk) }
    },
  }
}

/** True for base64url without padding and without spare bits: so that no second spelling of a token is accepted. */
const isCanonical = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part

/** A public key with its thumbprint (RFC 7638) as `kid`, so that a key has the same id in every process. */
async function publicKey(key: KeyObject): Promise<PublicKey> {
  const jwk = await exportJWK(key)
  const kid = await calculateJwkThumbprint(jwk)
  return { kid, key, jwk: { ...jwk, kid, alg: 'EdDSA', use: 'sig' } }
}
