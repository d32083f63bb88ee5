import { Invitations } from './invitations.ts'
import type { Challenge, InternalToken, Key, Organisation, RefreshToken, Role, Session, User } from './state.ts'

/** Users, roles, invitations, sessions, codes and keys as the documents describe them, without a line of the service. */
export class Model {
  readonly operatorEmails: readonly string[]
  readonly registration: 'open' | 'invite'
  readonly users = new Map<string, User>()
  readonly organisations = new Map<string, Organisation>()
  readonly sessions: Session[] = []
  readonly refreshTokens = new Map<string, RefreshToken>()
  /** Access tokens of more than 15 minutes ago. */
  readonly expiredTokens = new Set<string>()
  readonly challenges: Challenge[] = []
  readonly keys: Key[] = []
  readonly tokens: InternalToken[] = []
  readonly invitations = new Invitations(this)
  /** Emails that were to be sent: how many by `address: subject`. */
  readonly emails = new Map<string, number>()
  #position = 0

  constructor(operatorEmails: readonly string[], registration: 'open' | 'invite') {
    this.operatorEmails = operatorEmails
    this.registration = registration
  }

  /** A number that rises with each call: the order in which things happened. */
  next(): number {
    return ++this.#position
  }
  email(to: string, subject: string): void {
    const name = `${to}: ${subject}`
    this.emails.set(name, (this.emails.get(name) ?? 0) + 1)
  }
  userByEmail(email: string): User | undefined {
    return [...this.users.values()].find((user) => user.email === email)
  }
  isOperator(user: User | undefined): boolean {
    return user !== undefined && this.operatorEmails.includes(user.email)
  }
  /** Whether an address that nobody has may register an organisation. */
  mayRegister(email: string): boolean {
    return this.registration === 'open' || this.invitations.allowsToRegister(email)
  }
  operators(): Organisation | undefined {
    return [...this.organisations.values()].find(({ operator }) => operator)
  }
  merchants(): Organisation[] {
    return [...this.organisations.values()].filter(({ operator }) => !operator)
  }
  addOrganisation(id: string, operator = false): Organisation {
    const organisation = {
      id,
      operator,
      suspended: false,
      liveEnabled: false,
      members: new Map(),
      refund: { test: null, live: null },
      customers: { test: new Set<string>(), live: new Set<string>() },
    }
    this.organisations.set(id, organisation)
    return organisation
  }
  addMember(organisation: Organisation, user: User, role: Role, invitedBy: string | null = null): void {
    if (!organisation.members.has(user.id))
      organisation.members.set(user.id, { role, invitedBy, position: this.next() })
  }
  /** Ends a membership, with what the user had in the organisation: sessions, and invitations that nobody answered, sent or received. */
  removeMember(organisation: Organisation, userId: string): void {
    organisation.members.delete(userId)
    this.invitations.endOf(organisation.id, userId)
    this.invitations.endTo(organisation.id, this.users.get(userId)?.email ?? '')
    for (const session of this.sessions)
      if (session.userId === userId && session.organisationId === organisation.id) session.removed = true
  }
  owners(organisation: Organisation): string[] {
    return [...organisation.members].filter(([, { role }]) => role === 'owner').map(([userId]) => userId)
  }
  /** Tells all owners of an organisation. */
  emailOwners(organisation: Organisation, subject: string): void {
    for (const userId of this.owners(organisation)) this.email(this.users.get(userId)?.email ?? '', subject)
  }
  /** The organisations in which a user may work, the oldest membership first. */
  organisationsOf(user: User): Organisation[] {
    const position = ({ members }: Organisation) => members.get(user.id)?.position ?? 0
    return [...this.organisations.values()]
      .filter(({ members, operator }) => members.has(user.id) && (!operator || this.isOperator(user)))
      .sort((a, b) => position(a) - position(b))
  }
  /** Whether a session is stored as active. */
  isOpen({ ended, expired, removed }: Session): boolean {
    return !(ended || expired || removed)
  }
  /** The role that a session acts with now; undefined for one that reaches nothing. */
  roleOf(session: Session): Role | undefined {
    if (!this.isOpen(session)) return undefined
    const role = this.organisations.get(session.organisationId)?.members.get(session.userId)?.role
    return role === 'operator' && !this.isOperator(this.users.get(session.userId)) ? undefined : role
  }
  active(): Session[] {
    return this.sessions.filter((session) => this.roleOf(session) !== undefined)
  }
  isActiveKey({ revoked, expired }: Key): boolean {
    return !(revoked || expired)
  }
  isActiveToken({ revoked, createdBy }: InternalToken): boolean {
    return !revoked && this.isOperator(this.users.get(createdBy))
  }
  /** A new code, which is read from its email. */
  addChallenge(challenge: Pick<Challenge, 'id' | 'purpose' | 'email' | 'session' | 'organisationName' | 'sent'>): void {
    if (challenge.sent) this.email(challenge.email, 'Your sign-in code')
    this.challenges.push({ ...challenge, code: '', age: 0, tries: 0, used: false, expired: false })
  }
  /** The newest code of a session for a purpose. */
  challengeOf(session: Session, purpose: Challenge['purpose']): Challenge | undefined {
    return this.challenges.findLast((each) => each.session === session && each.purpose === purpose)
  }
}
