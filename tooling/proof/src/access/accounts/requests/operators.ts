import type { Model } from '../model/model.ts'
import type { Organisation, Session } from '../model/state.ts'
import { listOfKeys } from './keys.ts'
import { changes, idsOf, lists, type Request } from './request.ts'

const ADMIN = '/v1/admin/ops'

export const listOrganisations = (model: Model): Request => ({
  line: `GET ${ADMIN}/organisations`,
  access: 'operator',
  answer: () =>
    lists(
      'organisations',
      [...model.organisations.values()].map(({ id, suspended }) => [id, suspended ? 'suspended' : 'active']),
      (data) => data.organisations.map(({ id, status }: Record<string, string>) => [id, status]),
    ),
})

type Change = 'suspend' | 'reactivate' | 'enable-live'

export const changeOrganisation = (model: Model, id: string, change: Change): Request => ({
  line: `POST ${ADMIN}/organisations/${id}/${change}`,
  body: { reason: 'Proof' },
  access: 'operator',
  answer() {
    const organisation = model.organisations.get(id)
    if (!organisation) return 'organisation_not_found'
    if (change === 'suspend' && organisation.operator) return 'operators_stay'
    return changes(organisation, change === 'enable-live' ? { liveEnabled: true } : { suspended: change === 'suspend' })
  },
})

const sessionsIn = (model: Model, { id }: Organisation): Session[] =>
  model.sessions.filter((each) => each.organisationId === id && model.isOpen(each))

export const listSessionsOf = (model: Model, id: string): Request => ({
  line: `GET ${ADMIN}/organisations/${id}/sessions`,
  access: 'operator',
  answer() {
    const organisation = model.organisations.get(id)
    if (!organisation) return 'organisation_not_found'
    return lists('sessions', idsOf(sessionsIn(model, organisation)), (data) => idsOf(data.sessions))
  },
})

export const endSessionOf = (model: Model, id: string, sessionId: string): Request => ({
  line: `POST ${ADMIN}/organisations/${id}/sessions/${sessionId}/end`,
  body: { reason: 'Proof' },
  access: 'operator',
  answer() {
    const organisation = model.organisations.get(id)
    const session = organisation && sessionsIn(model, organisation).find((each) => each.id === sessionId)
    return session ? changes(session, { ended: true }) : 'session_not_found'
  },
})

export const listKeysOf = (model: Model, id: string): Request => ({
  line: `GET ${ADMIN}/organisations/${id}/api-keys`,
  access: 'operator',
  answer: () => (model.organisations.has(id) ? listOfKeys(model, id) : 'organisation_not_found'),
})

export const revokeKeyOf = (model: Model, id: string, keyId: string): Request => ({
  line: `POST ${ADMIN}/organisations/${id}/api-keys/${keyId}/revoke`,
  body: { reason: 'Proof' },
  access: 'operator',
  answer() {
    if (!model.organisations.has(id)) return 'organisation_not_found'
    const key = model.keys.find((each) => each.id === keyId && each.organisationId === id && !each.revoked)
    return key ? changes(key, { revoked: true }) : 'api_key_not_found'
  },
})

/** An internal token for one procedure. */
export const createToken = (model: Model, procedure: string): Request => ({
  line: `POST ${ADMIN}/internal-tokens`,
  body: { name: 'Tool', expiresInDays: 30, procedures: [procedure], reason: 'Proof' },
  access: 'operator',
  stepUp: true,
  answer({ user, session }) {
    if (!session?.confirmed || !user) return 'confirmation_required'
    return {
      status: 201,
      apply(data) {
        model.tokens.push({
          ...{ id: data.id, text: data.token, createdBy: user.id },
          procedures: [procedure],
          revoked: false,
        })
      },
    }
  },
})

export const revokeToken = (model: Model, id: string): Request => ({
  line: `POST ${ADMIN}/internal-tokens/${id}/revoke`,
  body: { reason: 'Proof' },
  access: 'operator',
  answer() {
    const token = model.tokens.find((each) => each.id === id && !each.revoked)
    return token ? changes(token, { revoked: true }) : 'internal_token_not_found'
  },
})

/** A procedure over tRPC, as a tool calls it with an internal token: only those that the token lists. */
export const callProcedure = (model: Model, procedure: string, listed: readonly string[]): Request => {
  const { answer } = listOrganisations(model)
  return {
    line: `GET /trpc/${procedure}?input=%7B%7D`,
    access: 'operator',
    answer(caller) {
      if (caller.kind === 'token' && !listed.includes(procedure)) return 'procedure_not_listed'
      return procedure === 'admin.organisations.list' ? answer(caller) : {}
    },
  }
}
