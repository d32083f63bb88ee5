import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { difference } from './requests/request.ts'
import type { Run } from './run.ts'

/** How long emails may be on their way. */
const PATIENCE_MS = 20_000
/** The emails that the model predicts, by their subjects. Others, such as of new devices, are not compared. */
const EMAILS: Readonly<Record<string, RegExp>> = {
  'Your sign-in code': /^Your sign-in code$/,
  'Member invited': /^Member invited$/,
  'Member joined': /^Member joined$/,
  'an invitation to an organisation': /^\S+@\S+ invited you to /,
  'an invitation to register': /^You are invited to use /,
}
const emailOf = (subject: string): string | undefined =>
  Object.entries(EMAILS).find(([, pattern]) => pattern.test(subject))?.[0]

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The rows of the database and the emails, compared with the model. @throws Finding */
export async function compareAll(run: Run): Promise<void> {
  const found = (await rowProblem(run)) ?? (await emailProblem(run))
  if (found) throw run.finding(found)
}

/** What is different in the rows of the database, if anything is. */
export const rowProblem = async (run: Run): Promise<string | undefined> =>
  (await rowProblems(run)).find((problem) => problem !== undefined)

async function rowProblems({ model, stand }: Run): Promise<(string | undefined)[]> {
  const read = async (text: string): Promise<unknown[]> =>
    (await stand.runtime.pool.query({ text, rowMode: 'array' })).rows
  const open = model.sessions.filter((session) => model.isOpen(session))
  return [
    difference(
      'users',
      [...model.users.values()].map(({ id, email }) => [id, email]),
      await read('select id::text, email from users'),
    ),
    difference(
      'organisations',
      [...model.organisations.values()].map(({ id, suspended, liveEnabled }) => [id, suspended, liveEnabled]),
      await read('select id::text, suspended_at is not null, live_enabled_at is not null from organisations'),
    ),
    difference(
      'memberships',
      [...model.organisations.values()].flatMap(({ id, members }) =>
        [...members].map(([userId, { role, invitedBy }]) => [id, userId, role, invitedBy]),
      ),
      await read('select organisation_id::text, user_id::text, role, invited_by::text from memberships'),
    ),
    difference(
      'active sessions',
      open.map(({ id, userId, organisationId, confirmed }) => [id, userId, organisationId, confirmed]),
      await read(`select id::text, user_id::text, organisation_id::text,
        coalesce(confirmed_at > now() - interval '10 minutes', false) from sessions where revoked_at is null and expires_at > now()`),
    ),
    difference(
      'refresh tokens that can be exchanged',
      [...model.refreshTokens]
        .filter(([, { session, successor }]) => successor === undefined && model.isOpen(session))
        .map(([text, { session }]) => [digest(text), session.id]),
      await read(`select r.digest, s.id::text from refresh_tokens r join sessions s on s.id = r.session_id
        where r.spent_at is null and s.revoked_at is null and s.expires_at > now()`),
    ),
    difference(
      'invitations',
      model.invitations.all.map((each) => [
        ...[each.id, each.organisationId, each.email, each.role, each.invitedBy, model.invitations.statusOf(each)],
      ]),
      await read(`select id::text, organisation_id::text, email, role, invited_by::text,
        case when accepted_at is not null then 'accepted' when declined_at is not null then 'declined'
             when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' else 'pending' end
        from invitations`),
    ),
    difference(
      'active keys',
      model.keys.filter((key) => model.isActiveKey(key)).map((key) => [key.id, key.organisationId, key.environment]),
      await read(`select id::text, organisation_id::text, environment from api_keys
        where revoked_at is null and (expires_at is null or expires_at > now())`),
    ),
    difference(
      'internal tokens',
      model.tokens.filter(({ revoked }) => !revoked).map(({ id, createdBy }) => [id, createdBy]),
      await read('select id::text, created_by::text from internal_tokens where revoked_at is null'),
    ),
    difference(
      'refund addresses',
      [...model.organisations.values()].flatMap(({ id, refund }) =>
        (['test', 'live'] as const).flatMap((each) => (refund[each] === null ? [] : [[id, each, refund[each]]])),
      ),
      await read('select organisation_id::text, environment, address from payment_route_refund_addresses'),
    ),
    difference(
      'customers',
      [...model.organisations.values()].flatMap(({ id, customers }) =>
        (['test', 'live'] as const).flatMap((each) => [...customers[each]].map((customer) => [id, each, customer])),
      ),
      await read('select organisation_id::text, environment, id::text from customers'),
    ),
  ]
}

/** Waits for the emails that the model expects; one too many is a problem as well. */
async function emailProblem({ model, mailbox }: Run): Promise<string | undefined> {
  const expected = [...model.emails].map(([name, count]) => [name, count])
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(100)) {
    const received = new Map<string, number>()
    for (const { to, raw } of mailbox.emails) {
      const subject = raw.match(/^Subject: (.*)$/m)?.[1]?.trim() ?? ''
      const email = emailOf(subject)
      if (email) received.set(`${to}: ${email}`, (received.get(`${to}: ${email}`) ?? 0) + 1)
    }
    const problem = difference(
      'emails',
      expected,
      [...received].map(([name, count]) => [name, count]),
    )
    if (!problem || Date.now() > end) return problem
  }
}
