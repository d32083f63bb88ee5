import { holdingsOf, operatorCommand, query } from '@payments/platform'
import { presentKey, presentOrganisation } from '../entity.ts'
import { errors } from '../errors.ts'
import { findOrganisation } from '../organisations/organisations.ts'
import {
  AdminKeyId,
  AdminSessionId,
  AdminSessionList,
  ApiKey,
  ApiKeyList,
  EndedSession,
  Holdings,
  OrganisationId,
  OrganisationList,
  OrganisationSearch,
} from '../schemas.ts'
import { endSessionOf, keysOf, revokeKeyOf, searchOrganisations, sessionsOf } from './access-admin.ts'

const tag = 'Organisations'

/** Operators’ operations on who and what may act for an organisation. */
export const accessRouter = {
  search: query({
    rest: 'POST /admin/ops/organisations/search',
    access: 'operator',
    tag,
    summary: 'Search organisations',
    description:
      'By the id, by a part of the name, or by the email address of a member. The newest 200; `total` counts all that match.',
    message: 'Organisations retrieved',
    input: OrganisationSearch,
    output: OrganisationList,
    async run(context, { text }) {
      const { rows, total } = await searchOrganisations(context, text)
      return { organisations: rows.map(presentOrganisation), total }
    },
  }),
  holdings: query({
    rest: 'GET /admin/ops/organisations/{organisationId}/holdings',
    access: 'operator',
    tag,
    summary: 'List what an organisation has',
    description:
      'Webhook endpoints with those that fail first, transactions that have not ended, balances, the volume of the last 30 days, and API keys and sessions that may act for it. A suspension touches them: its dry run lists the same.',
    message: 'Holdings retrieved',
    input: OrganisationId,
    output: Holdings,
    errors: [errors.organisation_not_found],
    async run(context, { organisationId }) {
      await findOrganisation(context, organisationId)
      const holdings = [...(await holdingsOf(context, organisationId))]
      return { holdings, total: holdings.length }
    },
  }),
  sessions: query({
    rest: 'GET /admin/ops/organisations/{organisationId}/sessions',
    access: 'operator',
    tag,
    summary: 'List the active sessions in an organisation',
    description: 'Of all its members. The newest 200; `total` counts all.',
    message: 'Sessions retrieved',
    input: OrganisationId,
    output: AdminSessionList,
    errors: [errors.organisation_not_found],
    run: (context, { organisationId }) => sessionsOf(context, organisationId),
  }),
  endSession: operatorCommand({
    rest: 'POST /admin/ops/organisations/{organisationId}/sessions/{sessionId}/end',
    tag,
    summary: 'End a session in an organisation',
    description: 'Its tokens are refused from the next request on.',
    message: 'Session ended',
    input: AdminSessionId,
    output: EndedSession,
    errors: [errors.session_not_found],
    async run(unit, { organisationId, sessionId: id }) {
      return { reply: await endSessionOf(unit, organisationId, id), subject: { id, organisationId } }
    },
  }),
  apiKeys: query({
    rest: 'GET /admin/ops/organisations/{organisationId}/api-keys',
    access: 'operator',
    tag,
    summary: 'List the API keys of an organisation',
    description: 'Masked, of both environments. The newest 200; `total` counts all.',
    message: 'API keys retrieved',
    input: OrganisationId,
    output: ApiKeyList,
    errors: [errors.organisation_not_found],
    async run(context, { organisationId }) {
      const { rows, total } = await keysOf(context, organisationId)
      return { apiKeys: rows.map(presentKey), total }
    },
  }),
  revokeKey: operatorCommand({
    rest: 'POST /admin/ops/organisations/{organisationId}/api-keys/{apiKeyId}/revoke',
    tag,
    summary: 'Revoke an API key of an organisation',
    description: 'It is refused from the next request on. The organisation is notified.',
    message: 'API key revoked',
    input: AdminKeyId,
    output: ApiKey,
    errors: [errors.organisation_not_found, errors.api_key_not_found],
    async run(unit, { organisationId, apiKeyId }) {
      const row = await revokeKeyOf(unit, organisationId, apiKeyId)
      const { id, environment } = row
      return { reply: presentKey(row), subject: { id, organisationId, environment }, before: { revokedAt: null } }
    },
  }),
}
