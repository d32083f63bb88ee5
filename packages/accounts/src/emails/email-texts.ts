/** The text of an email, as plain text and HTML. */
export interface EmailText {
  readonly to: string
  /** Where an answer goes, if not to the sender. */
  readonly replyTo?: string | undefined
  readonly subject: string
  readonly text: string
  readonly html: string
}

export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** The email with a sign-in code. The code is not in the subject, because lock screens show subjects. */
export function codeEmail(to: string, code: string): EmailText {
  const rest = 'It can be used once, within 10 minutes. If you did not request it, ignore this email.'
  return {
    to,
    subject: 'Your sign-in code',
    text: `Your code is ${code}\n\n${rest}\n`,
    html: `<p>Your code is</p><p style="font:600 28px monospace;letter-spacing:4px">${code}</p><p>${rest}</p>`,
  }
}

/**
 * A name that a stranger chose, for an email to another person: one line, and nothing that a mail program turns into a link
 * (an invisible word joiner follows each character that links need).
 */
export const plainName = (name: string): string =>
  name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').replace(/[.:/@]/g, '$&\u2060')

/**
 * An email of plain paragraphs. A paragraph that is a URL becomes a link; everything else is escaped.
 * @param lang language of the text (BCP 47), for screen readers; Arabic is set from right to left
 */
export function paragraphEmail(to: string, subject: string, paragraphs: readonly string[], lang = 'en'): EmailText {
  const html = paragraphs.map((paragraph) => {
    const text = escapeHtml(paragraph)
    return /^https?:\/\/\S+$/.test(paragraph) ? `<p><a href="${text}">${text}</a></p>` : `<p>${text}</p>`
  })
  const direction = lang === 'ar' ? 'rtl' : 'ltr'
  return {
    to,
    subject,
    text: `${paragraphs.join('\n\n')}\n`,
    html: `<div lang="${lang}" dir="${direction}">${html.join('')}</div>`,
  }
}

/** The email with which an operator allows a person to register. */
export function registrationEmail(to: string, days: number): EmailText {
  const invitation = 'You have been invited to register your organisation.'
  const rest = `To accept, register with this email address (${to}) within ${days} days. If you did not expect this invitation, ignore this email.`
  return {
    to,
    subject: 'You have been invited to register',
    text: `${invitation}\n\n${rest}\n`,
    html: `<p>${invitation}</p><p>${escapeHtml(rest)}</p>`,
  }
}

/** The email with an invitation to an organisation. It contains no secret: joining requires a code sent to the same address. */
export function invitationEmail(to: string, organisation: string, days: number): EmailText {
  const invitation = `You have been invited to join ${plainName(organisation)}.`
  const rest = `To accept or decline, sign in with this email address (${to}) within ${days} days. If you did not expect this invitation, ignore this email.`
  return {
    to,
    subject: 'You have been invited to an organisation',
    text: `${invitation}\n\n${rest}\n`,
    html: `<p>${escapeHtml(invitation)}</p><p>${escapeHtml(rest)}</p>`,
  }
}

/** What owners read in an email about a change: what happened, and what to do if nobody of them expected it. */
export interface OwnersNotice {
  readonly title: string
  readonly body: string
  readonly unexpected: string
}

/** The email to an owner about a change that all owners are told of. */
export function ownersEmail(to: string, organisation: string, { title, body, unexpected }: OwnersNotice): EmailText {
  return paragraphEmail(to, title, [
    plainName(organisation),
    plainName(body),
    `If this was expected, there is nothing to do. If it was not, ${unexpected}.`,
  ])
}

/** The email to a user at whose account codes are guessed. */
export function wrongCodesEmail(to: string, time: Date): EmailText {
  return paragraphEmail(to, 'Wrong codes were entered for your account', [
    `Many wrong codes were entered for ${plainName(to)}, last at ${time.toUTCString()}. Nobody was signed in by them.`,
    'Further tries from unknown places are slowed down. Where you signed in before, you can sign in as usual.',
    'If it was you, there is nothing to do. If it was not, do not pass on codes to anybody, and ignore codes that you did not request.',
  ])
}

/** The email to a user who signed in from a device or a network that was not used before. */
export function newDeviceEmail(
  to: string,
  { device, address, time }: { device: string; address: string; time: Date },
): EmailText {
  const facts = [`Device: ${plainName(device)}`, `Address: ${plainName(address)}`, `Time: ${time.toUTCString()}`]
  const rest =
    'If it was you, there is nothing to do. If it was not, someone can read your emails: secure your mailbox, sign in, and end all other sessions.'
  return {
    to,
    subject: 'Sign-in from a new device',
    text: `Your account was signed in to from a new device or network.\n\n${facts.join('\n')}\n\n${rest}\n`,
    html: `<p>Your account was signed in to from a new device or network.</p><p>${facts.map(escapeHtml).join('<br>')}</p><p>${rest}</p>`,
  }
}

const MOST_LISTED = 20

/** The email about notifications: one, or those that came up together. */
export function notificationsEmail(
  to: string,
  about: {
    readonly organisation: string
    readonly environment: string
    readonly notifications: readonly { readonly title: string; readonly body: string }[]
  },
): EmailText {
  const { notifications } = about
  const listed = notifications.slice(0, MOST_LISTED).map(({ title, body }) => ({ title, body: plainName(body) }))
  const more = notifications.length - listed.length
  const [first] = listed
  const where = `${plainName(about.organisation)}, ${about.environment} environment`
  const rest = [
    ...(more > 0 ? [`And ${more} more: see the notifications of the dashboard.`] : []),
    'Choose which emails you get in the notification preferences of the dashboard.',
  ]
  const subject = notifications.length === 1 && first ? first.title : `${notifications.length} notifications`
  return {
    to,
    subject: about.environment === 'test' ? `[Test] ${subject}` : subject,
    text: `${where}\n\n${listed.map(({ title, body }) => `${title}\n${body}\n\n`).join('')}${rest.join('\n')}\n`,
    html: `<p>${escapeHtml(where)}</p>${listed
      .map(({ title, body }) => `<p><b>${escapeHtml(title)}</b><br>${escapeHtml(body)}</p>`)
      .join('')}<p>${rest.map(escapeHtml).join('<br>')}</p>`,
  }
}
