import type { Data } from '@payments/stand'
import type { Access, Caller, Duty, ErrorCode } from '../model/access.ts'
import type { Environment } from '../model/state.ts'

/** What the model says of a request that is executed. */
export interface Success {
  readonly status?: 201
  /** What is wrong with the data of the reply. */
  problem?(data: Data): string | undefined
  /** Changes the model as the request changed the service. */
  apply?(data: Data): void
}

/** A request, and the model's answer to it for every caller that may make it. */
export interface Request {
  /** Such as `POST /v1/auth/invitations`. */
  readonly line: string
  readonly body?: object
  /** Of a session: a key has its own. */
  readonly environment?: Environment
  readonly access: Access
  /** Absent: every role may make it. */
  readonly duty?: Duty
  /** It must not succeed with what a thief has: a session that was not confirmed for 10 minutes, or a key. */
  readonly stepUp?: true
  /** SQL that moves times back before the request, where limits or delays would hide the answer. */
  readonly before?: string
  /** Called once, before the request is sent. It may count a try, which remains when the request fails. */
  answer(caller: Caller): ErrorCode | Success
}

/** A success whose reply lists what the model has. */
export const lists = (
  name: string,
  expected: readonly unknown[],
  listed: (data: Data) => readonly unknown[],
): Success => ({
  problem: (data) => difference(name, expected, listed(data)),
})

/** A success that changes fields of something in the model. */
export const changes = <T extends object>(of: T, fields: Partial<T>): Success => ({
  apply: () => void Object.assign(of, fields),
})

export const idsOf = (items: readonly { readonly id: string }[]): string[] => items.map(({ id }) => id)

/** Emails and wrong codes of the last hours no longer count. */
export const FORGET_LIMITS = `
  with sends as (update email_sends set sent_at = sent_at - interval '2 days' where sent_at > now() - interval '1 day')
  update code_tries set tried_at = tried_at - interval '2 days' where tried_at > now() - interval '1 day'`

/** Compares two lists of values in whatever order; undefined when they are equal, else what only one of them has. */
export function difference(name: string, expected: readonly unknown[], actual: readonly unknown[]): string | undefined {
  const counts = new Map<string, number>()
  const count = (items: readonly unknown[], by: number) => {
    for (const text of items.map((item) => JSON.stringify(item))) counts.set(text, (counts.get(text) ?? 0) + by)
  }
  count(expected, 1)
  count(actual, -1)
  const only = (sign: number) => [...counts].flatMap(([text, left]) => (left * sign > 0 ? [text] : [])).join(' ')
  const [missing, extra] = [only(1), only(-1)]
  return missing || extra
    ? `${name}: only the model has ${missing || 'nothing'}, only the service ${extra || 'nothing'}`
    : undefined
}
