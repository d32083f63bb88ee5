import type { Choices } from './choices.ts'
import type { Run } from './run.ts'
import type { Session } from './state.ts'

/** SQL that moves a time of one row, and what the model says then. */
export async function passTime(run: Run, choices: Choices): Promise<void> {
  const { model, stand } = run
  const move = (text: string, id: string) => stand.runtime.pool.query(text, [id])
  const cases = [
    [
      12,
      async () => {
        const session = choices.session()
        if (session) await unconfirm(run, session)
      },
    ],
    [
      1,
      async () => {
        const session = choices.session()
        if (!session) return
        session.expired = true
        await move(`update sessions set expires_at = now() - interval '1 second' where id = $1`, session.id)
      },
    ],
    [
      1,
      async () => {
        const key = choices.pick(model.keys)
        if (!key) return
        key.expired = true
        await move(`update api_keys set expires_at = now() - interval '1 second' where id = $1`, key.id)
      },
    ],
    [
      1,
      async () => {
        const invitation = choices.pick(model.invitations.all)
        if (!invitation) return
        invitation.expired = true
        await move(`update invitations set expires_at = now() - interval '1 second' where id = $1`, invitation.id)
      },
    ],
  ] as const
  await choices.weighted(cases)()
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
  for (const challenge of model.challenges) challenge.expired = true
  await stand.runtime.pool.query(`
    with confirmations as (update sessions set confirmed_at = confirmed_at - interval '10 minutes')
    update challenges set created_at = created_at - interval '10 minutes', expires_at = expires_at - interval '10 minutes'`)
}
