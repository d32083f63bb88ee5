import { type KeyObject, sign } from 'node:crypto'
import type { Run } from '../run.ts'
import type { Choices } from '../steps/choices.ts'
import type { Session } from './state.ts'

/** Access tokens are valid for 15 minutes. */
const TOKEN_SECONDS = 900

/** A token as the service issued it a second more than its validity ago: its times are inside, and only its key signs them. */
function aged(token: string, key: KeyObject): string {
  const [header, payload] = token.split('.') as [string, string]
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const [iat, exp] = [claims.iat - TOKEN_SECONDS - 1, claims.exp - TOKEN_SECONDS - 1]
  const text = `${header}.${Buffer.from(JSON.stringify({ ...claims, iat, exp })).toString('base64url')}`
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`
}

/** The access token that a user has is too old. */
export function ageToken({ model, signingKey }: Run, session: Session): void {
  if (model.expiredTokens.has(session.accessToken)) return
  session.accessToken = aged(session.accessToken, signingKey)
  model.expiredTokens.add(session.accessToken)
}

/** A time of one row passes, in the database and in the model. */
export async function passTime(run: Run, choices: Choices): Promise<void> {
  const { model, stand } = run
  const ofSession = (take: (session: Session) => unknown) => async () => {
    const session = choices.session()
    if (session) await take(session)
  }
  const expires =
    <T extends { id: string; expired: boolean }>(table: string, pick: () => T | undefined) =>
    async () => {
      const row = pick()
      if (!row) return
      row.expired = true
      await stand.runtime.pool.query(`update ${table} set expires_at = now() - interval '1 second' where id = $1`, [
        row.id,
      ])
    }
  await choices.weighted([
    [3, ofSession((session) => ageToken(run, session))],
    [12, ofSession((session) => unconfirm(run, session))],
    [1, expires('sessions', () => choices.session())],
    [1, expires('api_keys', () => choices.pick(model.keys))],
    [1, expires('invitations', () => choices.pick(model.invitations.all))],
  ])()
}

/** The last confirmation of a session is more than 10 minutes ago. */
export async function unconfirm({ stand }: Run, session: Session): Promise<void> {
  session.confirmed = false
  const old = "update sessions set confirmed_at = now() - interval '601 seconds' where id = $1"
  await stand.runtime.pool.query(old, [session.id])
}

/** Ten minutes pass for all codes and confirmations, before they do by the clock. */
export async function passTenMinutes({ model, stand }: Run): Promise<void> {
  for (const session of model.sessions) session.confirmed = false
  for (const challenge of model.challenges) Object.assign(challenge, { expired: true, age: challenge.age + 1 })
  await stand.runtime.pool.query(`
    with confirmations as (update sessions set confirmed_at = confirmed_at - interval '10 minutes')
    update challenges set created_at = created_at - interval '10 minutes', expires_at = expires_at - interval '10 minutes'`)
}
