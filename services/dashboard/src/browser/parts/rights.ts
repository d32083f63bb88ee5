/** What owners may do alone, by the procedure that does it: in every environment or in live, and what a screen says of it. */
export const OWNERS_ONLY = {
  'apiKeys.create': { where: 'live', says: 'Only owners of the organisation create and revoke live keys.' },
  'apiKeys.revoke': { where: 'live', says: 'Only owners of the organisation create and revoke live keys.' },
  'auth.approveDevice': {
    where: 'live',
    says: 'Only owners of the organisation create live keys. Choose test, or ask an owner.',
  },
  'auth.changeOrganisation': { where: 'everywhere', says: 'Only owners of the organisation change its time zone.' },
  'auth.changeRole': { where: 'everywhere', says: 'Only owners of the organisation change its team.' },
  'auth.invitations': { where: 'everywhere', says: 'Only owners of the organisation see invitations.' },
  'auth.invite': {
    where: 'everywhere',
    says: 'Only owners of the organisation see and change its team. Ask an owner to invite a person.',
  },
  'auth.members': { where: 'everywhere', says: 'Only owners of the organisation see its team.' },
  'auth.removeMember': { where: 'everywhere', says: 'Only owners of the organisation change its team.' },
  'auth.revokeInvitation': { where: 'everywhere', says: 'Only owners of the organisation revoke invitations.' },
  'branding.update': {
    where: 'live',
    says: 'Only owners of the organisation change names, the support email and links that payers see in live.',
  },
  'paymentRoutes.changeRefundAddresses': {
    where: 'live',
    says: 'Only owners of the organisation change live refund addresses.',
  },
  'payoutControls.change': { where: 'live', says: 'Only owners of the organisation change live payout controls.' },
} as const satisfies Readonly<Record<string, { where: 'everywhere' | 'live'; says: string }>>

/**
 * Why the API would refuse this procedure to who is signed in; undefined where it would not. A screen asks before it offers the action, so that
 * nobody has to press a button to learn it.
 */
export function refusalOf(
  procedure: keyof typeof OWNERS_ONLY,
  {
    environment,
    me,
  }: { readonly environment: 'test' | 'live'; readonly me: { readonly organisation: { readonly role: string } } },
): string | undefined {
  const { where, says } = OWNERS_ONLY[procedure]
  return me.organisation.role === 'member' && (where === 'everywhere' || environment === 'live') ? says : undefined
}
