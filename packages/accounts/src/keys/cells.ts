import { KEY_OF_ANOTHER_CELL } from '@payments/kernel'
import { digest, type SqlExecutor } from '@payments/platform'

const PAGE = 10_000

const EMAILS = `select email as text from users u where email > $1
    and (not exists (select from memberships m where m.user_id = u.id)
      or exists (select from memberships m join organisations o on o.id = m.organisation_id where m.user_id = u.id and o.moved_to is null))
  order by email limit $2`

/** Reads a text of each row, in order, in pages. `text` has `$1`: after which one, and `$2`: how many. */
async function* textsOf(db: SqlExecutor, text: string, more: readonly unknown[] = []): AsyncGenerator<string> {
  let after = ''
  for (;;) {
    const { rows } = await db.query<{ text: string }>(text, [after, PAGE, ...more])
    for (const row of rows) yield row.text
    if (rows.length < PAGE) return
    after = rows.at(-1)?.text ?? ''
  }
}

/**
 * The addresses with which people sign in here, each as its SHA-256 in hexadecimal: a proxy need not keep the addresses themselves. Those
 * whose organisations have all moved sign in where these are.
 */
export async function* emailsOfCell(db: SqlExecutor): AsyncGenerator<string> {
  for await (const email of textsOf(db, EMAILS)) yield digest(email)
}

/** The lookup parts of keys and internal tokens that a proxy would look for in another cell than this one. */
export async function* keysOfCell(db: SqlExecutor, cell: string): AsyncGenerator<string> {
  for (const table of ['api_keys', 'internal_tokens'])
    yield* textsOf(
      db,
      `select lookup as text from ${table} k where lookup > $1 and revoked_at is null
         and not exists (select from organisations o where o.id = k.organisation_id and o.moved_to is not null) and ${KEY_OF_ANOTHER_CELL('$3')} order by lookup limit $2`,
      [cell],
    )
}
