import type { Mailbox } from './mailbox.ts'
import { type Answer, call } from './merchant.ts'
import type { TestService } from './service.ts'

type Where = Pick<TestService, 'url'>

/** Requests a code and reads it from the mailbox: a registration when an organisation is given, else a login. */
export async function askForCode(
  service: Where,
  mailbox: Mailbox,
  input: { email: string; organisationName?: string },
): Promise<{ challengeId: string; code: string }> {
  const before = mailbox.codesTo(input.email).length
  const line = input.organisationName ? 'POST /v1/auth/register' : 'POST /v1/auth/login'
  const asked = await call(service, line, { body: input, key: null })
  if (asked.status !== 200) throw new Error(`${asked.status} ${asked.body?.message}`)
  return { challengeId: asked.body.data.challengeId, code: await mailbox.codeFor(input.email, before) }
}

/** Signs in as a person does: requests a code, reads the email, verifies the code. */
export async function signIn(
  service: Where,
  mailbox: Mailbox,
  input: { email: string; organisationName?: string },
): Promise<Answer['body']> {
  const body = await askForCode(service, mailbox, input)
  const verified = await call(service, 'POST /v1/auth/otp/verify', { body, key: null })
  if (verified.status !== 200) throw new Error(`${verified.status} ${verified.body?.message}`)
  return verified.body.data
}
