import { errors as commonErrors, noInput } from '@payments/kernel'
import { operatorCommand, query, type UnitOfWork } from '@payments/platform'
import { type OrganisationRow, presentOrganisation, presentToken } from '../entity.ts'
import { errors } from '../errors.ts'
import { createToken, listTokens, revokeToken } from '../keys/internal-tokens.ts'
import {
  enableLive,
  findOrganisation,
  listOrganisations,
  organisationDetails,
  reactivate,
  suspend,
} from '../organisations/organisations.ts'
import {
  AdminOrganisation,
  CreatedInternalToken,
  InternalToken,
  InternalTokenId,
  InternalTokenList,
  NewInternalToken,
  OrganisationDetails,
  OrganisationId,
  OrganisationList,
  SuspensionChange,
} from '../schemas.ts'

const tag = 'Organisations'
const TOKENS = 'Internal tokens'

/** Operations on organisations, for operators. */
export const organisationsRouter = {
  list: query({
    rest: 'GET /admin/ops/organisations',
    access: 'operator',
    tag,
    summary: 'List organisations',
    description: 'The newest 200. `total` counts all.',
    message: 'Organisations retrieved',
    input: noInput,
    output: OrganisationList,
    async run(context) {
      const { rows, total } = await listOrganisations(context)
      return { organisations: rows.map(presentOrganisation), total }
    },
  }),
  get: query({
    rest: 'GET /admin/ops/organisations/{organisationId}',
    access: 'operator',
    tag,
    summary: 'Get an organisation with its members',
    description: 'With its suspension and live access.',
    message: 'Organisation retrieved',
    input: OrganisationId,
    output: OrganisationDetails,
    errors: [errors.organisation_not_found],
    run: (context, { organisationId }) => organisationDetails(context, organisationId),
  }),
  suspend: operatorCommand({
    rest: 'POST /admin/ops/organisations/{organisationId}/suspend',
    tag,
    summary: 'Suspend an organisation',
    description:
      'From the next request on, the organisation may sign in, read, and revoke keys and sessions, nothing else. Payments that were sent finish, swaps and cNGN transfers that were not sent wait, and events are still delivered. A dry run lists what it touches. The owners get an email and a notification, with your message.',
    message: 'Organisation suspended',
    input: SuspensionChange,
    output: AdminOrganisation,
    errors: [errors.organisation_not_found, errors.operators_stay],
    reason: 'optional',
    run: (unit, { organisationId, reason, message }) =>
      changed(unit, organisationId, () => suspend(unit, organisationId, reason ?? null, message)),
  }),
  enableLive: operatorCommand({
    rest: 'POST /admin/ops/organisations/{organisationId}/enable-live',
    tag,
    summary: 'Enable live access for an organisation',
    description: 'Needed where the setting LIVE_ACCESS is `approved`.',
    message: 'Live access enabled',
    input: OrganisationId,
    output: AdminOrganisation,
    errors: [errors.organisation_not_found],
    reason: 'optional',
    run: (unit, { organisationId }) => changed(unit, organisationId, () => enableLive(unit, organisationId)),
  }),
  reactivate: operatorCommand({
    rest: 'POST /admin/ops/organisations/{organisationId}/reactivate',
    tag,
    summary: 'Lift the suspension of an organisation',
    description:
      'It may use the service again from the next request on. The owners get an email and a notification, with your message.',
    message: 'Organisation reactivated',
    input: SuspensionChange,
    output: AdminOrganisation,
    errors: [errors.organisation_not_found],
    reason: 'optional',
    run: (unit, { organisationId, message }) =>
      changed(unit, organisationId, () => reactivate(unit, organisationId, message)),
  }),
}

/** Operations on the tokens of internal tools, for operators. No token may call them. */
export const internalTokensRouter = {
  list: query({
    rest: 'GET /admin/ops/internal-tokens',
    access: 'operator',
    tag: TOKENS,
    personal: true,
    summary: 'List internal tokens',
    description: 'Of all operators, without their secrets. The newest 200; `total` counts all.',
    message: 'Internal tokens retrieved',
    input: noInput,
    output: InternalTokenList,
    async run(context) {
      const { rows, total } = await listTokens(context)
      return { internalTokens: rows.map(presentToken), total }
    },
  }),
  create: operatorCommand({
    rest: 'POST /admin/ops/internal-tokens',
    tag: TOKENS,
    personal: true,
    summary: 'Create an internal token',
    description:
      'For a tool that runs unattended: it calls the listed procedures of operators over tRPC, never one that moves money. Needs a confirmed session (`POST /auth/confirm`). The token is in this reply and cannot be retrieved later. It also ends when you are no operator any more.',
    message: 'Internal token created',
    status: 201,
    input: NewInternalToken,
    output: CreatedInternalToken,
    errors: [errors.too_many_internal_tokens, commonErrors.confirmation_required],
    async run(unit, input) {
      const { row, token } = await createToken(unit, input)
      const after = presentToken(row)
      return { reply: { ...after, token }, subject: { id: row.id }, after }
    },
  }),
  revoke: operatorCommand({
    rest: 'POST /admin/ops/internal-tokens/{internalTokenId}/revoke',
    tag: TOKENS,
    personal: true,
    summary: 'Revoke an internal token',
    description: 'It is refused from the next request on. Any operator can revoke any token.',
    message: 'Internal token revoked',
    input: InternalTokenId,
    output: InternalToken,
    errors: [errors.internal_token_not_found],
    async run(unit, { internalTokenId }) {
      const reply = presentToken(await revokeToken(unit, internalTokenId))
      return { reply, subject: { id: reply.id }, before: { ...reply, revokedAt: null } }
    },
  }),
}

/** A change of an organisation, with what it was before. */
async function changed(unit: UnitOfWork, id: string, change: () => Promise<OrganisationRow>) {
  const before = presentOrganisation(await findOrganisation(unit, id))
  return { reply: presentOrganisation(await change()), subject: { id, organisationId: id }, before }
}
