import type { OperatorsDeclaration } from '@payments/platform'

/** Users are found by their address, in each organisation to which they belong. */
export const operators: OperatorsDeclaration = {
  search: [
    {
      kind: 'user',
      from: `(select u.id, u.email, m.organisation_id, null::text as environment from users u join memberships m on m.user_id = u.id) as member`,
      by: { email: 'email' },
    },
  ],
}
