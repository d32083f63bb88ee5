import type { Invitation, Organisation, Role, User } from './state.ts'

/** What invitations need to know of organisations. */
interface Organisations {
  readonly organisations: ReadonlyMap<string, Organisation>
  readonly users: ReadonlyMap<string, User>
  isOperator(user: User | undefined): boolean
  userByEmail(email: string): User | undefined
  next(): number
  addMember(organisation: Organisation, user: User, role: Role, invitedBy: string): void
  emailOwners(organisation: Organisation, subject: string): void
}

/** The invitations of all organisations. An organisation has one for each email address, which inviting again renews. */
export class Invitations {
  readonly all: Invitation[] = []
  readonly #model: Organisations

  constructor(model: Organisations) {
    this.#model = model
  }

  find(organisationId: string, email: string): Invitation | undefined {
    return this.all.find((each) => each.organisationId === organisationId && each.email === email)
  }
  of(organisationId: string): Invitation[] {
    return this.all.filter((each) => each.organisationId === organisationId)
  }
  put(id: string, of: Pick<Invitation, 'organisationId' | 'email' | 'role' | 'invitedBy'>): void {
    const renewed = { accepted: false, declined: false, revoked: false, expired: false, changed: this.#model.next() }
    const existing = this.find(of.organisationId, of.email)
    if (existing) Object.assign(existing, of, renewed)
    else this.all.push({ id, ...of, ...renewed })
  }
  /** Nobody answered it and nobody withdrew it. */
  isOpen({ accepted, declined, revoked }: Invitation): boolean {
    return !(accepted || declined || revoked)
  }
  /** It can be accepted: it ends with its inviter's right to invite. One of operators only allows to register. */
  isPending(invitation: Invitation): boolean {
    const organisation = this.#model.organisations.get(invitation.organisationId)
    if (!organisation || organisation.operator || invitation.expired || !this.isOpen(invitation)) return false
    return organisation.members.get(invitation.invitedBy)?.role === 'owner'
  }
  /** Whether an operator, who is one still, has invited the address to register an organisation. */
  allowsToRegister(email: string): boolean {
    const model = this.#model
    return this.#toRegister(email).some(
      (each) => this.isOpen(each) && !each.expired && model.isOperator(model.users.get(each.invitedBy)),
    )
  }
  /** The address has registered. */
  useRegistration(email: string): void {
    for (const each of this.#toRegister(email)) each.accepted = true
  }
  #toRegister(email: string): Invitation[] {
    return this.all.filter(
      (each) => each.email === email && this.#model.organisations.get(each.organisationId)?.operator === true,
    )
  }
  /** What an email address can accept, the newest first. Its user has nothing to accept where the user is a member. */
  pendingFor(email: string): Invitation[] {
    const user = this.#model.userByEmail(email)
    const isMember = ({ organisationId }: Invitation) =>
      user !== undefined && this.#model.organisations.get(organisationId)?.members.has(user.id) === true
    return this.all
      .filter((each) => each.email === email && this.isPending(each) && !isMember(each))
      .sort((a, b) => b.changed - a.changed)
  }
  /** As the owners' list shows it. */
  statusOf({ accepted, declined, revoked, expired }: Invitation): string {
    if (accepted) return 'accepted'
    if (declined) return 'declined'
    if (revoked) return 'revoked'
    return expired ? 'expired' : 'pending'
  }
  /** Ends what a member invited to an organisation and nobody answered. */
  endOf(organisationId: string, userId: string): void {
    for (const each of this.of(organisationId)) if (each.invitedBy === userId && this.isOpen(each)) each.revoked = true
  }
  /** Ends what was sent to the address of a member who leaves: a former member has no old invitation. */
  endTo(organisationId: string, email: string): void {
    const invitation = this.find(organisationId, email)
    if (invitation && this.isOpen(invitation)) invitation.revoked = true
  }
  /** The user joins, and all owners are told. */
  accept(invitation: Invitation, user: User): void {
    const model = this.#model
    const organisation = model.organisations.get(invitation.organisationId)
    if (!organisation) return
    invitation.accepted = true
    model.addMember(organisation, user, invitation.role, invitation.invitedBy)
    model.emailOwners(organisation, 'Member joined')
  }
}
