import * as business from './requests/business.ts'
import * as codes from './requests/codes.ts'
import * as invitations from './requests/invitations.ts'
import * as keys from './requests/keys.ts'
import * as members from './requests/members.ts'
import * as operators from './requests/operators.ts'
import type { Request } from './requests/request.ts'
import * as sessions from './requests/sessions.ts'
import type { Choices } from './steps/choices.ts'

/** Requests of every kind that a credential may make, each with random arguments: own ids, those of others, and unknown ones. */
type Requests = readonly (() => Request)[]

export function catalogue(choices: Choices): Requests {
  const { model, random } = choices
  const organisation = () => choices.id([...model.organisations.keys()])
  const user = () => choices.id([...model.users.keys()])
  const session = () => choices.id(model.sessions.slice(-40).map(({ id }) => id))
  const key = () => choices.id(model.keys.slice(-40).map(({ id }) => id))
  const invitation = () => choices.id(model.invitations.all.map(({ id }) => id))
  const token = () => choices.id(model.tokens.map(({ id }) => id))
  const wrongCode = () => String(random.below(1_000_000)).padStart(6, '0')
  const newKey = (environment: 'test' | 'live') =>
    keys.createKey(model, {
      environment,
      type: random.chance(0.15) ? 'publishable' : 'secret',
      access: random.pick(['read', 'write', 'read_write'] as const),
      ...(random.chance(0.2) ? { address: choices.address() } : {}),
    })
  const change = () => random.pick(['suspend', 'reactivate', 'enable-live'] as const)
  return [
    ...businessRequests(choices),
    () => sessions.me(model),
    () => sessions.listSessions(model),
    () => sessions.endSession(model, session()),
    () => sessions.endOtherSessions(model),
    () => sessions.switchOrganisation(model, organisation()),
    () => codes.confirm(model),
    () => codes.confirm(model, wrongCode()),
    () => codes.changeEmail(model, choices.newEmail()),
    () => codes.changeEmail(model, choices.newEmail(), { current: wrongCode(), next: wrongCode() }),
    () => members.listMembers(model),
    () => members.changeRole(model, user(), choices.role()),
    () => members.removeMember(model, user()),
    () => members.leave(model),
    () => invitations.listInvitations(model),
    () => invitations.invite(model, choices.email(), choices.role()),
    () => invitations.revokeInvitation(model, invitation()),
    () => invitations.received(model),
    () => invitations.respond(model, invitation(), 'accept'),
    () => invitations.respond(model, invitation(), 'decline'),
    () => keys.listKeys(model),
    () => keys.getKey(model, key()),
    () => newKey('test'),
    () => newKey('live'),
    () => keys.revokeKey(model, key()),
    () => operators.listOrganisations(model),
    () => operators.changeOrganisation(model, organisation(), change()),
    () => operators.listSessionsOf(model, organisation()),
    () => operators.endSessionOf(model, organisation(), session()),
    () => operators.listKeysOf(model, organisation()),
    () => operators.revokeKeyOf(model, organisation(), key()),
    () => operators.createToken(model, 'admin.organisations.list'),
    () => operators.revokeToken(model, token()),
  ]
}

/** Those of them that keys may make as well as sessions. */
export function businessRequests(choices: Choices): Requests {
  const { model } = choices
  const customer = () =>
    choices.id(model.merchants().flatMap(({ customers }) => [...customers.test, ...customers.live].slice(-10)))
  return [
    () => business.listCustomers(choices.environment()),
    () => business.getCustomer(customer(), choices.environment()),
    () => business.renameCustomer(customer(), choices.environment()),
    () => business.createCustomer(`customer-${model.next()}@example.com`, choices.environment()),
    () => business.refundAddresses(choices.environment()),
    () => business.changeRefundAddress(choices.evm(), 'test'),
    () => business.changeRefundAddress(choices.evm(), 'live'),
  ]
}

/** One that names an object by its id: mostly one of another organisation. */
export const requestOfObject = (choices: Choices): Request =>
  requestThat(choices, ({ line }) => /[0-9a-f]{12}/.test(line))

/** One that needs a fresh code. */
export const requestOfStepUp = (choices: Choices): Request => requestThat(choices, ({ stepUp }) => stepUp === true)

function requestThat(choices: Choices, fits: (request: Request) => boolean): Request {
  for (;;) {
    const made = choices.random.pick(catalogue(choices))()
    if (fits(made)) return made
  }
}
