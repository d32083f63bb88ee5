import { type QueryContext, type SqlExecutor, sqlOf } from '@payments/platform'
import { forDocuments, isServed } from './logo.ts'

async function storedLogo(db: SqlExecutor, id: string) {
  const { rows } = await db.query<{ type: string; image: Buffer }>(
    'select type, image from brand_logos where id = $1 limit 1',
    [id],
  )
  return rows[0]
}

/**
 * A logo as it is served; undefined for one that does not exist, and for an image that would be refused today. Its id is a digest of its
 * pixels, so whoever knows it may see it.
 */
export async function findLogo(
  db: SqlExecutor,
  id: string,
): Promise<{ readonly type: string; readonly image: Buffer } | undefined> {
  const logo = await storedLogo(db, id)
  return logo && isServed(logo.image) ? logo : undefined
}

/**
 * A logo as a document of a tenant shows it; undefined for none. The document copies its bytes.
 * @throws busy 503 when too many images wait
 */
export async function logoForDocuments(
  { em }: Pick<QueryContext, 'em'>,
  id: string | null,
  { organisationId }: { readonly organisationId: string },
): Promise<Buffer | undefined> {
  const logo = id === null ? undefined : await storedLogo(sqlOf(em), id)
  return id !== null && logo ? forDocuments(organisationId, id, logo.image) : undefined
}
