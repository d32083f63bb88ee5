import { shownIn } from '@payments/kernel'
import { publicUrl, type Settings } from '@payments/platform'
import { accountsSettings } from '../settings.ts'
import { type DesignedEmail, designedEmail, type EmailText } from './designed-email.ts'

/** Who writes the emails of the service itself: its name, as the sender has it, and the address of its dashboard. */
export interface Service {
  readonly name: string
  readonly dashboard: string
}

/** {@link Service} from the settings: the name before the address in `MAIL_FROM`. */
export function serviceOf(settings: Settings): Service {
  const [, name = ''] = /^"?([^"<]*)"?</.exec(accountsSettings.from(settings).MAIL_FROM) ?? []
  return { name: name.trim() || 'Payments', dashboard: `${publicUrl(settings)}/dashboard` }
}

/** An email of the service itself, in English: about an account, an organisation or what happened in it. */
function serviceEmail(
  service: Service,
  email: Pick<DesignedEmail, 'to' | 'subject' | 'paragraphs' | 'code' | 'button' | 'footer'> & {
    readonly heading?: string
    readonly facts?: DesignedEmail['facts']
    /** The organisation that it is about. */
    readonly organisation?: string
  },
): EmailText {
  const { organisation, ...rest } = email
  const brand = organisation === undefined ? service.name : `${plainName(organisation)} · ${service.name}`
  return designedEmail({ lang: 'en', brand, heading: email.subject, facts: [], ...rest })
}

/** The email with a sign-in code. The code is not in the subject, because lock screens show subjects. */
export const codeEmail = (service: Service, to: string, code: string): EmailText =>
  serviceEmail(service, {
    ...{ to, subject: 'Your sign-in code', code: { label: 'Your code is', text: code } },
    paragraphs: ['Enter it where you asked for it. It works once, for 10 minutes.'],
    footer: 'If you did not ask for a code, ignore this email. Never give a code to anybody.',
  })

/**
 * A name that a stranger chose, for an email to another person: one line, and nothing that a mail program turns into a link
 * (an invisible word joiner follows each character that links need).
 */
export const plainName = (name: string): string =>
  name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').replace(/[.:/@]/g, '$&\u2060')

/** The email with which an operator allows a person to register. */
export const registrationEmail = (service: Service, to: string, days: number): EmailText =>
  serviceEmail(service, {
    ...{ to, subject: `You are invited to use ${plainName(service.name)}` },
    paragraphs: [`You can create an account for your organisation with this email address: ${to}.`],
    button: { text: 'Create your account', url: `${service.dashboard}/?register` },
    footer: `The invitation ends in ${days} days. If you did not expect it, ignore this email.`,
  })

/** An invitation to an organisation: who invites, and as what. */
interface Invitation {
  readonly organisation: string
  /** The email address of the member who invites; undefined: the service does. */
  readonly invitedBy?: string | undefined
  readonly role: string
  readonly days: number
}

/** A role as a person has it: "as finance member", and otherwise its name. */
export const titleOf = (role: string): string => (role === 'finance' ? 'finance member' : role)

/** The email with an invitation to an organisation. It contains no secret: joining requires a code sent to the same address. */
export function invitationEmail(
  service: Service,
  to: string,
  { organisation, invitedBy, role, days }: Invitation,
): EmailText {
  const name = plainName(organisation)
  const subject = invitedBy ? `${invitedBy} invited you to ${name}` : `You are invited to ${name}`
  return serviceEmail(service, {
    ...{ to, subject, organisation },
    paragraphs: [
      `Join ${name} as ${/^[aeiou]/.test(role) ? 'an' : 'a'} ${titleOf(role)}. Sign in with this email address: ${to}.`,
    ],
    button: { text: 'Join', url: `${service.dashboard}/` },
    footer: `The invitation ends in ${days} days. If you did not expect it, ignore this email.`,
  })
}

/** What owners read in an email about a change: what happened, and what to do if nobody of them expected it. */
export interface OwnersNotice {
  readonly title: string
  readonly body: string
  readonly unexpected: string
}

/** The email to an owner about a change that all owners are told of. */
export const ownersEmail = (
  service: Service,
  to: string,
  organisation: string,
  { title, body, unexpected }: OwnersNotice,
): EmailText =>
  serviceEmail(service, {
    ...{ to, subject: title, organisation },
    paragraphs: [plainName(body), `If you did not expect this, ${unexpected}.`],
    button: { text: 'Open the dashboard', url: `${service.dashboard}/` },
    footer: 'All owners get this email.',
  })

/** The email to a user at whose account codes are guessed. */
export const wrongCodesEmail = (service: Service, to: string, time: Date): EmailText =>
  serviceEmail(service, {
    ...{ to, subject: 'Wrong codes were entered for your account' },
    paragraphs: [
      'Somebody entered many wrong codes for your account. Nobody was signed in.',
      'Further tries from unknown places are slowed down. Where you signed in before, you can sign in as usual.',
      'If it was not you, ignore codes that you did not ask for, and give no code to anybody.',
    ],
    facts: [
      ['Account', to],
      ['Last try', shownIn('UTC', time)],
    ],
    footer: 'If it was you, there is nothing to do.',
  })

/** The email to a user who signed in from a device or a network that was not used before. */
export const newDeviceEmail = (
  service: Service,
  to: string,
  { device, address, time }: { device: string; address: string; time: Date },
): EmailText =>
  serviceEmail(service, {
    ...{ to, subject: 'Sign-in from a new device' },
    paragraphs: [
      'Your account was signed in to from a new device or network.',
      'If it was not you, someone can read your emails: secure your mailbox, sign in, and end all other sessions.',
    ],
    facts: [
      ['Device', plainName(device)],
      ['Address', plainName(address)],
      ['Time', shownIn('UTC', time)],
    ],
    button: { text: 'Look at your sessions', url: `${service.dashboard}/test/account` },
    footer: 'If it was you, there is nothing to do.',
  })

/** The email to an operator about a command on money that waits for a second one. What it would do is what its dry run found. */
export const approvalEmail = (
  service: Service,
  to: string,
  of: {
    readonly command: string
    readonly by: string
    readonly reason: string
    readonly effects: readonly string[]
    readonly until: Date
  },
): EmailText =>
  serviceEmail(service, {
    ...{ to, subject: `Approval needed: ${plainName(of.command)}` },
    paragraphs: [
      `${plainName(of.by)} asks for a second operator. Nothing moves until one approves.`,
      ...of.effects.slice(0, MOST_LISTED).map(plainName),
    ],
    facts: [
      ['Reason', plainName(of.reason)],
      ['Ends', shownIn('UTC', of.until)],
    ],
    button: { text: 'Approve or decline', url: service.dashboard.replace(/dashboard$/, 'console/approvals') },
    footer: 'You get this because you are an operator of this service.',
  })

/** The email to those who may approve a payout. */
export const payoutApprovalEmail = (
  service: Service,
  to: string,
  of: {
    readonly organisation: string
    readonly environment: string
    /** What is sent, such as `withdrawal`. */
    readonly what: string
    readonly amount: string
    readonly destination: string
    /** Email address of who asked; null: an API key. */
    readonly by: string | null
    readonly until: Date
    /** The organisation's. */
    readonly timeZone: string
    readonly path: string
  },
): EmailText => {
  const heading = `Approve a ${of.what} of ${of.amount}`
  return serviceEmail(service, {
    ...{ to, organisation: of.organisation, heading },
    subject: of.environment === 'test' ? `[Test] ${heading}` : heading,
    paragraphs: [`A ${of.what} of ${of.amount} waits for your approval. Nothing is sent until you approve it.`],
    facts: [
      ['To', plainName(of.destination)],
      ['Asked by', of.by ? plainName(of.by) : 'An API key'],
      ['Answer before', shownIn(of.timeZone, of.until)],
    ],
    button: { text: 'Approve or reject', url: `${service.dashboard}/${of.environment}${of.path}` },
    footer:
      'You get this because you are an owner or finance member. Without an answer it fails, and the money stays in the balance.',
  })
}

const MOST_LISTED = 20

/** The email about notifications: one, or those that came up together. */
export function notificationsEmail(
  service: Service,
  to: string,
  about: {
    readonly organisation: string
    readonly environment: string
    readonly notifications: readonly { readonly title: string; readonly body: string }[]
  },
): EmailText {
  const { notifications, organisation, environment } = about
  const listed = notifications.slice(0, MOST_LISTED).map(({ title, body }) => ({ title, body: plainName(body) }))
  const more = notifications.length - listed.length
  const [first] = listed
  const one = notifications.length === 1 ? first : undefined
  const heading = one ? one.title : `${notifications.length} notifications`
  return serviceEmail(service, {
    ...{ to, organisation, heading, subject: environment === 'test' ? `[Test] ${heading}` : heading },
    paragraphs: one
      ? [one.body]
      : [...listed.map(({ title, body }) => `${title}\n${body}`), ...(more > 0 ? [`And ${more} more.`] : [])],
    button: { text: 'Open the dashboard', url: `${service.dashboard}/${environment}` },
    footer: `About the ${environment} environment. Choose which emails you get in Settings › Notifications.`,
  })
}

/** The email with which the doctor tries the mail server. */
export const trialEmail = (service: Service, to: string, text: string): EmailText =>
  serviceEmail(service, {
    ...{ to, subject: 'Test of your payments service', paragraphs: [text] },
    footer: 'An operator asked for this email.',
  })
