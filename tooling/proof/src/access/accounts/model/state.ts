/** What an owner can give to a member. */
export type MemberRole = 'owner' | 'finance' | 'developer' | 'viewer' | 'member'
export type Role = MemberRole | 'operator'
export type Environment = 'test' | 'live'

export interface User {
  readonly id: string
  email: string
}

interface Membership {
  role: Role
  readonly invitedBy: string | null
  readonly position: number
}

export interface Organisation {
  readonly id: string
  readonly operator: boolean
  suspended: boolean
  liveEnabled: boolean
  readonly members: Map<string, Membership>
  readonly refund: Record<Environment, string | null>
  readonly customers: Record<Environment, Set<string>>
}

export interface Session {
  readonly id: string
  readonly userId: string
  readonly organisationId: string
  /** The access token and the refresh token that the user has. A thief may have later ones. */
  accessToken: string
  refreshToken: string
  /** Its user proved the email address less than 10 minutes ago. */
  confirmed: boolean
  ended: boolean
  expired: boolean
  /** Its row is gone, because the membership ended. */
  removed: boolean
}

export interface RefreshToken {
  readonly session: Session
  successor?: string
}

export interface Challenge {
  readonly id: string
  readonly purpose: 'sign-in' | 'confirm' | 'email-current' | 'email-new'
  readonly email: string
  readonly session?: Session
  readonly organisationName?: string
  /** Whether an email with the code was sent. */
  sent: boolean
  code: string
  /** The code before it was sent again. */
  replaced?: string
  /** How many times ten minutes have passed since. */
  age: number
  tries: number
  used: boolean
  expired: boolean
}

export interface Key {
  readonly id: string
  readonly text: string
  readonly organisationId: string
  readonly environment: Environment
  readonly scopes: readonly string[]
  /** The only client address that it may be used from, if there is one. */
  readonly address: string | undefined
  revoked: boolean
  expired: boolean
}

export interface InternalToken {
  readonly id: string
  readonly text: string
  readonly createdBy: string
  readonly procedures: readonly string[]
  revoked: boolean
}

export interface Invitation {
  readonly id: string
  readonly organisationId: string
  readonly email: string
  role: MemberRole
  invitedBy: string
  accepted: boolean
  declined: boolean
  revoked: boolean
  expired: boolean
  changed: number
}
