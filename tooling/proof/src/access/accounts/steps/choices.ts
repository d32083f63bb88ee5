import type { Random } from '@payments/stand'
import type { Model } from '../model/model.ts'
import type { MemberRole, Organisation, Role, Session } from '../model/state.ts'

/** Addresses that users register with or are invited at, as long as nobody has moved to another. */
const ADDRESSES = 14
const UNKNOWN_ID = '01936f2a-7c1e-7000-8000-000000000001'

/** Random choices among what the model has. */
export class Choices {
  readonly model: Model
  readonly random: Random
  #moved = 0

  constructor(model: Model, random: Random) {
    this.model = model
    this.random = random
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items.length > 0 ? this.random.pick(items) : undefined
  }
  /** One of several with these weights. */
  weighted<T>(items: readonly (readonly [number, T])[]): T {
    let left = this.random.next() * items.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, item] of items) {
      left -= weight
      if (left < 0) return item
    }
    return (items.at(-1) as readonly [number, T])[1]
  }
  email(): string {
    const base = Array.from({ length: ADDRESSES }, (_, number) => `person-${number}@example.com`)
    return this.random.pick([...base, ...[...this.model.users.values()].map(({ email }) => email)])
  }
  /** A new address, often one to which an invitation was sent. */
  newEmail(): string {
    const { invitations } = this.model
    const invited = invitations.all.filter((each) => invitations.isOpen(each) && !this.model.userByEmail(each.email))
    const moved = () => `moved-${this.#moved++}@example.com`
    return this.weighted([
      [3, moved],
      [3, () => this.pick(invited)?.email ?? moved()],
      [1, () => this.email()],
    ])()
  }
  role(): MemberRole {
    return this.random.chance(0.4) ? 'owner' : this.random.pick(['finance', 'developer', 'viewer', 'member'])
  }
  environment(): 'test' | 'live' {
    return this.random.chance(0.5) ? 'test' : 'live'
  }
  /** Addresses of clients. A key may be bound to the first. */
  address(): string {
    return `192.0.2.${1 + this.random.below(3)}`
  }
  evm(): string | null {
    if (this.random.chance(0.2)) return null
    return `0x${Array.from({ length: 40 }, () => this.random.below(10)).join('')}`
  }
  /** An id of a kind, of whatever organisation, or one that does not exist. */
  id(ids: readonly string[]): string {
    return this.random.chance(0.05) ? UNKNOWN_ID : (this.pick(ids) ?? UNKNOWN_ID)
  }
  /** An active session of a user with a role. */
  session(
    roles: readonly Role[] = ['owner', 'finance', 'developer', 'viewer', 'member', 'operator'],
  ): Session | undefined {
    return this.pick(this.model.active().filter((each) => roles.includes(this.model.roleOf(each) as Role)))
  }
  organisation(): Organisation | undefined {
    return this.pick([...this.model.organisations.values()])
  }
}
