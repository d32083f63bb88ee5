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

/** The procedures that not every role may call, by whose they are. The API declares the same; a test compares them. */
export const RULES = {
  finance: [
    'cngn.converts.create',
    'cngn.deposits.create',
    'cngn.enable',
    'cngn.payins.create',
    'cngn.payouts.create',
    'cngn.withdrawals.create',
    'collections.changePolicy',
    'collections.create',
    'collections.delete',
    'collections.resolve',
    'collections.send',
    'customers.create',
    'customers.update',
    'offramps.create',
    'onramps.create',
    'paymentRoutes.changeRefundAddresses',
    'paymentRoutes.create',
    'paymentRoutes.delete',
    'payoutApprovals.approve',
    'payoutApprovals.reject',
    'payoutControls.change',
    'swaps.cancel',
    'swaps.create',
  ],
  developer: [
    'apiKeys.create',
    'apiKeys.revoke',
    'auth.approveDevice',
    'webhooks.create',
    'webhooks.delete',
    'webhooks.recover',
    'webhooks.retry',
    'webhooks.rotateSecret',
    'webhooks.test',
    'webhooks.update',
  ],
  'finance-or-developer': [
    'branding.removeLogo',
    'branding.update',
    'branding.uploadLogo',
    'branding.verifyDomain',
    'sandbox.checkoutSessions.pay',
    'sandbox.cngn.convert',
    'sandbox.cngn.deposit',
    'sandbox.cngn.payin',
    'sandbox.offramps.deposit',
    'sandbox.onramps.payment',
    'sandbox.paymentRoutes.deposit',
    'sandbox.swaps.deposit',
  ],
} as const
type Rule = keyof typeof RULES
/** A procedure that some role is refused. */
export type Procedure = (typeof RULES)[Rule][number] | keyof typeof OWNERS_ONLY

/** Whom a rule refuses, and what a screen says of it. */
const REFUSED: Readonly<Record<Rule, { roles: readonly string[]; says: string }>> = {
  finance: {
    roles: ['developer', 'viewer'],
    says: 'Only owners and the roles Finance and Member change payments and customers. Ask an owner to change your role.',
  },
  developer: {
    roles: ['finance', 'viewer'],
    says: 'Only owners and the roles Developer and Member manage keys and webhooks. Ask an owner to change your role.',
  },
  'finance-or-developer': {
    roles: ['viewer'],
    says: 'Viewers see everything and change nothing. Ask an owner to change your role.',
  },
}

/** The roles that an owner gives, in the order in which they are offered, each with what it may do. */
export const ROLES = [
  ['member', 'Member', 'Does what Finance and Developer do'],
  ['finance', 'Finance', 'Sees everything; creates and changes payments, payouts, invoices and customers'],
  ['developer', 'Developer', 'Sees everything; manages test keys, webhooks and the sandbox'],
  ['viewer', 'Viewer', 'Sees everything and changes nothing'],
  ['owner', 'Owner', 'Does everything, and manages the team, live keys and payout controls'],
] as const
export type Role = (typeof ROLES)[number][0]

/** What every screen says to a role that cannot do everything: what its buttons are disabled for. */
export const limitsOf = (role: string): string | undefined =>
  ({
    finance: 'Your role is Finance. Keys and webhooks are for developers, the team is for owners.',
    developer: 'Your role is Developer. Payments and customers are changed by Finance, the team by owners.',
    viewer: 'Your role is Viewer. You see everything; to change something, ask an owner for another role.',
  })[role]

/** Does this role do what only owners do? Operators are owners of their own organisation. */
export const isOwner = (role: string): boolean => role === 'owner' || role === 'operator'

const ruleOf = (procedure: Procedure): Rule | undefined =>
  (Object.keys(RULES) as Rule[]).find((rule) => RULES[rule].some((each) => each === procedure))

/**
 * Why the API would refuse this procedure to who is signed in; undefined where it would not. A screen asks before it offers the action, so that
 * nobody has to press a button to learn it.
 */
export function refusalOf(
  procedure: Procedure,
  {
    environment,
    me,
  }: { readonly environment: 'test' | 'live'; readonly me: { readonly organisation: { readonly role: string } } },
): string | undefined {
  const { role } = me.organisation
  if (isOwner(role)) return undefined
  const own = Object.entries(OWNERS_ONLY).find(([name]) => name === procedure)?.[1]
  if (own && (own.where === 'everywhere' || environment === 'live')) return own.says
  const rule = ruleOf(procedure)
  return rule && REFUSED[rule].roles.includes(role) ? REFUSED[rule].says : undefined
}
