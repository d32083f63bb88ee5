import { type QueryContext, type SqlExecutor, sqlOf } from '@payments/platform'

/** A logo as it is served; undefined for one that does not exist. Its id is a digest of its pixels, so whoever knows it may see it. */
export async function findLogo(
  db: SqlExecutor,
  id: string,
): Promise<{ readonly type: string; readonly image: Buffer } | undefined> {
  const { rows } = await db.query<{ type: string; image: Buffer }>(
    'select type, image from brand_logos where id = $1 limit 1',
    [id],
  )
  return rows[0]
}

/** A logo as a document shows it, which copies its bytes; undefined for none. */
export async function logoForDocuments(
  { em }: Pick<QueryContext, 'em'>,
  id: string | null,
): Promise<Buffer | undefined> {
  return id === null ? undefined : (await findLogo(sqlOf(em), id))?.image
}
