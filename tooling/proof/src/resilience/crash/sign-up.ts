import { setTimeout as sleep } from 'node:timers/promises'
import { mailedCode, retried, rows } from '@payments/stand'
import { type CrashStand, countRetry, type Member, member } from './stand.ts'

const TRIES = 12
/** After this a person asks for another code: the worker that was to send the email may have been killed. */
const EMAIL_MS = 30_000

/**
 * Registers an organisation with the emailed code, and creates its key, however often processes are killed meanwhile. These
 * operations take no idempotency key, so a reply that was lost is repaired as a person would: by signing in. An email that was sent
 * counts although its reply was lost, so the limit of an hour can be reached: the hour is passed here.
 * @throws Error when that is not possible
 */
export async function signUp(stand: CrashStand, email: string): Promise<Member> {
  const post = (line: string, body: object, token: string | null = null) =>
    retried(stand.url, `POST /v1${line}`, {
      body,
      token,
      key: null,
      deadline: stand.deadline,
      onRetry(status, why) {
        countRetry(stand, line)(status, why)
        // The database may be the one that was killed: the next attempt comes here again.
        if (status === 429) void passHour(stand, email).catch(() => undefined)
      },
    })
  let last = 'no email'
  let emailed = false
  // A code is of one attempt: the email of the next may come late.
  const used = new Set<string>()
  for (let tries = 0; tries < TRIES; tries++) {
    const asked = await (emailed
      ? post('/auth/login', { email })
      : post('/auth/register', { email, organisationName: `Organisation of ${email}` }))
    if (asked.status !== 200) throw new Error(`${email}: ${asked.status} ${asked.text}`)
    const code = await unusedCode(stand.database.dataDir, email, used)
    if (!code) continue
    emailed = true
    used.add(code)
    const verified = await post('/auth/otp/verify', { challengeId: asked.data.challengeId, code })
    last = `${verified.status} ${verified.text}`
    if (verified.status !== 200) continue
    const { accessToken, organisation } = verified.data
    const created = await post('/api-keys', { name: 'Crash', environment: 'test' }, accessToken)
    last = `${created.status} ${created.text}`
    if (created.status === 201) return member(stand, email, organisation.id, created.data.key)
  }
  throw new Error(`${email} could not sign up: ${last}`)
}

const passHour = ({ database }: CrashStand, email: string) =>
  rows(database, `update email_sends set sent_at = sent_at - interval '1 hour' where email = $1`, [email])

/** The newest emailed code that was not tried before; undefined when none comes in time. */
async function unusedCode(dataDir: string, email: string, used: ReadonlySet<string>): Promise<string | undefined> {
  for (const until = Date.now() + EMAIL_MS; Date.now() < until; await sleep(100)) {
    const code = await mailedCode(dataDir, email, until - Date.now()).catch(() => undefined)
    if (code && !used.has(code)) return code
  }
  return undefined
}
