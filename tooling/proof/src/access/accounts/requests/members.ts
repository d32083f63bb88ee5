import type { Caller } from '../model/access.ts'
import type { Model } from '../model/model.ts'
import type { MemberRole } from '../model/state.ts'
import { lists, type Request } from './request.ts'

export const listMembers = (model: Model): Request => ({
  line: 'GET /v1/auth/members',
  access: 'owner-read',
  answer: ({ organisation }) =>
    lists(
      'members',
      [...organisation.members]
        .filter(([userId, { role }]) => role !== 'operator' || model.isOperator(model.users.get(userId)))
        .map(([userId, { role }]) => [userId, model.users.get(userId)?.email, role]),
      (data) => data.members.map(({ userId, email, role }: Record<string, string>) => [userId, email, role]),
    ),
})

/** Why a member cannot be changed. An organisation keeps an owner. */
function refusal(model: Model, { organisation, session }: Caller, userId: string, losesOwner: boolean) {
  const membership = organisation.members.get(userId)
  if (!membership) return 'member_not_found'
  if (organisation.operator) return 'operators_are_configured'
  if (!session?.confirmed) return 'confirmation_required'
  return losesOwner && membership.role === 'owner' && model.owners(organisation).length === 1 ? 'last_owner' : undefined
}

export const changeRole = (model: Model, userId: string, role: MemberRole): Request => ({
  line: `PATCH /v1/auth/members/${userId}`,
  body: { role },
  access: 'owner',
  stepUp: true,
  answer(caller) {
    const refused = refusal(model, caller, userId, role !== 'owner')
    if (refused) return refused
    return {
      problem: (data) => (data.role === role ? undefined : `the role is ${data.role}`),
      apply() {
        const membership = caller.organisation.members.get(userId)
        if (membership) membership.role = role
        if (role !== 'owner') model.invitations.endOf(caller.organisation.id, userId)
      },
    }
  },
})

const removal = (model: Model, caller: Caller, userId: string) =>
  refusal(model, caller, userId, true) ?? { apply: () => model.removeMember(caller.organisation, userId) }

export const removeMember = (model: Model, userId: string): Request => ({
  line: `DELETE /v1/auth/members/${userId}`,
  access: 'owner',
  stepUp: true,
  answer: (caller) => removal(model, caller, userId),
})

export const leave = (model: Model): Request => ({
  line: 'DELETE /v1/auth/members/me',
  access: 'session',
  stepUp: true,
  answer: (caller) => removal(model, caller, caller.user?.id ?? ''),
})
