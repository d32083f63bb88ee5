import { isOwner } from '../model/access.ts'
import type { Model } from '../model/model.ts'
import type { Environment, Key } from '../model/state.ts'
import { changes, lists, type Request, type Success } from './request.ts'

const NEWEST = 200
const MAX_ACTIVE = 100

export interface NewKey {
  readonly environment: Environment
  readonly type: 'secret' | 'publishable'
  readonly access: 'read' | 'write' | 'read_write'
  /** The only client address that it may be used from. */
  readonly address?: string
}

const SCOPES = { read: ['api:read'], write: ['api:write'], read_write: ['api:read', 'api:write'] }

const keysOf = (model: Model, organisationId: string): Key[] =>
  model.keys.filter((key) => key.organisationId === organisationId)

/** A list of the keys of an organisation. */
export const listOfKeys = (model: Model, organisationId: string): Success =>
  lists(
    'keys',
    keysOf(model, organisationId)
      .slice(-NEWEST)
      .map(({ id, environment, revoked }) => [id, environment, revoked]),
    (data) =>
      data.apiKeys.map(({ id, environment, revokedAt }: Record<string, unknown>) => [
        id,
        environment,
        revokedAt !== null,
      ]),
  )

export const listKeys = (model: Model): Request => ({
  line: 'GET /v1/api-keys',
  access: 'session-read',
  answer: ({ organisation }) => listOfKeys(model, organisation.id),
})

export const getKey = (model: Model, id: string): Request => ({
  line: `GET /v1/api-keys/${id}`,
  access: 'session-read',
  answer: ({ organisation }) =>
    keysOf(model, organisation.id).some((key) => key.id === id) ? {} : 'api_key_not_found',
})

/** A live key needs an owner, live access and a session that was confirmed less than 10 minutes ago. */
export const createKey = (model: Model, { environment, type, access, address }: NewKey): Request => ({
  line: 'POST /v1/api-keys',
  body: {
    ...{ name: 'Key', environment, type },
    ...(type === 'secret' ? { access } : {}),
    ...(address === undefined ? {} : { allowedIps: [address] }),
  },
  access: 'session',
  duty: 'development',
  ...(environment === 'live' ? { stepUp: true } : {}),
  answer({ organisation, role, session }) {
    if (environment === 'live') {
      if (!isOwner(role)) return 'owner_required'
      if (!organisation.liveEnabled) return 'live_not_enabled'
      if (!session?.confirmed) return 'confirmation_required'
    }
    const active = keysOf(model, organisation.id).filter((key) => model.isActiveKey(key))
    if (active.length >= MAX_ACTIVE) return 'too_many_api_keys'
    return {
      status: 201,
      apply(data) {
        model.keys.push({
          ...{ id: data.id, text: data.key, organisationId: organisation.id, environment, address },
          scopes: type === 'publishable' ? ['collections:read'] : SCOPES[access],
          revoked: false,
          expired: false,
        })
      },
    }
  },
})

/** Only owners revoke live keys. */
export const revokeKey = (model: Model, id: string): Request => ({
  line: `DELETE /v1/api-keys/${id}`,
  access: 'session-read',
  duty: 'development',
  answer({ organisation, role }) {
    const key = keysOf(model, organisation.id).find((each) => each.id === id && !each.revoked)
    if (!key) return 'api_key_not_found'
    if (key.environment === 'live' && !isOwner(role)) return 'owner_required'
    return changes(key, { revoked: true })
  },
})
