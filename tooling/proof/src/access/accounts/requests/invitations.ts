import type { Model } from '../model/model.ts'
import type { MemberRole } from '../model/state.ts'
import { changes, FORGET_LIMITS, lists, type Request } from './request.ts'

export const listInvitations = (model: Model): Request => ({
  line: 'GET /v1/auth/invitations',
  access: 'owner-read',
  answer: ({ organisation }) =>
    lists(
      'invitations',
      model.invitations.of(organisation.id).map((each) => [each.id, each.role, model.invitations.statusOf(each)]),
      (data) => data.invitations.map(({ id, role, status }: Record<string, string>) => [id, role, status]),
    ),
})

/** Invites an address. All owners are told; those of the operators' organisation are named by a setting. */
export const invite = (model: Model, email: string, role: MemberRole): Request => ({
  line: 'POST /v1/auth/invitations',
  body: { email, role },
  access: 'owner',
  stepUp: true,
  before: FORGET_LIMITS,
  answer({ organisation, session, user }) {
    if (!session?.confirmed || !user) return 'confirmation_required'
    const known = model.userByEmail(email)
    if (known && organisation.members.has(known.id)) return 'already_member'
    return {
      status: 201,
      apply({ id }) {
        model.invitations.put(id, { organisationId: organisation.id, email, role, invitedBy: user.id })
        model.email(email, organisation.operator ? 'an invitation to register' : 'an invitation to an organisation')
        if (!organisation.operator) model.emailOwners(organisation, 'Member invited')
      },
    }
  },
})

export const revokeInvitation = (model: Model, id: string): Request => ({
  line: `DELETE /v1/auth/invitations/${id}`,
  access: 'owner',
  answer({ organisation }) {
    const invitation = model.invitations.of(organisation.id).find((each) => each.id === id)
    if (!invitation || !model.invitations.isOpen(invitation)) return 'invitation_not_found'
    return changes(invitation, { revoked: true })
  },
})

export const received = (model: Model): Request => ({
  line: 'GET /v1/auth/invitations/received',
  access: 'session-read',
  answer: ({ user }) =>
    lists(
      'received invitations',
      model.invitations.pendingFor(user?.email ?? '').map(({ id, role }) => [id, role]),
      (data) => data.invitations.map(({ id, role }: Record<string, string>) => [id, role]),
    ),
})

/** Accepts or declines an invitation: only that of the own address, as long as its inviter may invite. */
export const respond = (model: Model, id: string, how: 'accept' | 'decline'): Request => ({
  line: `POST /v1/auth/invitations/${id}/${how}`,
  body: {},
  access: 'session-read',
  answer({ user }) {
    const invitation = model.invitations.pendingFor(user?.email ?? '').find((each) => each.id === id)
    if (!invitation || !user) return 'invitation_not_found'
    if (how === 'accept')
      return {
        problem: (data) => (data.role === invitation.role ? undefined : `the role is ${data.role}`),
        apply: () => model.invitations.accept(invitation, user),
      }
    return changes(invitation, { declined: true })
  },
})
