/** A letter as it is written, before it is posted. */
export interface Letter {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** The letter with a sign-in code, as plain text and HTML. The code is not in the subject: locked screens show that. */
export function codeLetter(to: string, code: string): Letter {
  const rest = 'It works once, for 10 minutes. If you did not ask for it, ignore this message.'
  return {
    to,
    subject: 'Your sign-in code',
    text: `Your code is ${code}\n\n${rest}\n`,
    html: `<p>Your code is</p><p style="font:600 28px monospace;letter-spacing:4px">${code}</p><p>${rest}</p>`,
  }
}

/** The letter that invites somebody into an organisation. It holds no secret: joining takes a code sent to the same e-mail. */
export function invitationLetter(to: string, organisation: string, days: number): Letter {
  const lead = `You are invited to join ${organisation}.`
  const rest = `Sign in with this e-mail address (${to}) within ${days} days to accept. If you do not know why, ignore this message.`
  return {
    to,
    subject: 'You are invited to an organisation',
    text: `${lead}\n\n${rest}\n`,
    html: `<p>${escapeHtml(lead)}</p><p>${escapeHtml(rest)}</p>`,
  }
}
