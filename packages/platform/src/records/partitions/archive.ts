import { createHash } from 'node:crypto'
import { createGzip } from 'node:zlib'
import { firstIdOf } from '@payments/kernel'
import type { PartitionedTable } from '../../domain/data.ts'
import type { Runtime } from '../../operations/context/context.ts'
import type { Part } from './entity.ts'
import { digestOf, type Store } from './stores/store.ts'
import { dayOf, weekAfter } from './weeks.ts'

/** Rows of one object. With a few hundred bytes each, a part is some megabytes, which are held in memory. */
const PART_ROWS = 50_000
const PAGE_ROWS = 5000

/** A week of a table in an archive. */
export interface ArchivedWeek {
  readonly table: string
  /** Its Monday. */
  readonly week: string
  readonly version: number
  /** How many rows are in the archive. */
  readonly rows: number
}

interface Row {
  readonly version: number
  readonly store: string
  readonly parts: readonly Part[]
  readonly started_at: Date | string
  readonly completed_at: Date | string | null
  readonly removed_at: Date | string | null
}

/** How many rows a part has, other than in tests. */
export interface PartSizes {
  readonly rows: number
  readonly page: number
}

/**
 * Writes the rows of a week to the store and reads back what it wrote. When it resolves, all of them are durable there, each once: they
 * may be removed from the database if their number is still the same. It goes on where one that was interrupted has stopped: each part is recorded once it
 * is stored, and a part that was stored but not recorded is stored again under the same name.
 * @throws Error that names `ARCHIVE_URL` when the store fails, or has lost what was written; the next call writes that again
 */
export async function archiveWeek(
  runtime: Pick<Runtime, 'pool'>,
  { store, table, monday }: { readonly store: Store; readonly table: PartitionedTable; readonly monday: Date },
  signal: AbortSignal,
  sizes: PartSizes = { rows: PART_ROWS, page: PAGE_ROWS },
): Promise<ArchivedWeek> {
  const week = dayOf(monday)
  const found = await begin(runtime, store, table.name, week, signal)
  const archive = { table: table.name, week, version: found.version }
  const folder = folderOf(archive)
  const parts = [...found.parts]
  while (!found.completed_at) {
    signal.throwIfAborted()
    const name = `${String(parts.length + 1).padStart(5, '0')}.ndjson.gz`
    const after = parts.at(-1)?.lastId
    const made = await nextPart(
      runtime,
      table,
      { after, from: firstIdOf(monday), to: firstIdOf(weekAfter(monday)) },
      sizes,
    )
    if (!made) break
    await store.put(`${folder}/${name}`, made.body, signal)
    const part: Part = { name, ...made.part }
    await record(runtime, archive, 'parts = parts || $4::jsonb', [JSON.stringify([part]), parts.length])
    parts.push(part)
  }
  const rows = parts.reduce((sum, part) => sum + part.rows, 0)
  const manifest = manifestOf(archive, table, parts, new Date(found.started_at))
  if (!found.completed_at) {
    await store.put(`${folder}/${MANIFEST}`, manifest, signal)
    await record(runtime, archive, 'completed_at = now()', [])
  }
  const expected = [...parts, { name: MANIFEST, sha256: sha256(manifest) }]
  for (const { name, sha256: digest } of expected) {
    if ((await digestOf(store, `${folder}/${name}`, signal)) === digest) continue
    await startAgain(runtime, archive)
    throw new Error(`ARCHIVE_URL: ${folder}/${name} is missing in ${store.url}, or is not what was written`)
  }
  return { ...archive, rows }
}

const DESCRIPTION = 'README.txt'
const DESCRIBED = `An archive of rows that are no longer in the database: a folder for each table, and in it one for each week (UTC), by its Monday.
A week is complete when it has a manifest.json, which names its parts in the order of the rows, with their number of rows and SHA-256.
A part is compressed with gzip. Each line of it is a row, as JSON.
A folder whose name ends with .2 has rows that came after the week was archived; a row that is in both has the same id.
`

/** Writes how an archive is read, once: so that a store that cannot be written is noticed before the first week is due. @throws Error that names `ARCHIVE_URL` */
export async function describeArchive(store: Store, signal: AbortSignal): Promise<void> {
  if ((await digestOf(store, DESCRIPTION, signal)) === undefined)
    await store.put(DESCRIPTION, Buffer.from(DESCRIBED), signal)
}

/** Forgets what was written: rows have come since. The next call writes all of them again, under the same names. */
export const startAgain = (runtime: Pick<Runtime, 'pool'>, archive: Omit<ArchivedWeek, 'rows'>): Promise<void> =>
  record(runtime, archive, "parts = '[]', completed_at = null", [])

/** SQL: the rows of the week are no longer in the database. To be run in the transaction that removes them. */
export const REMOVED =
  'update archived_weeks set removed_at = now() where table_name = $1 and week = $2 and version = $3'

const MANIFEST = 'manifest.json'
const folderOf = ({ table, week, version }: Omit<ArchivedWeek, 'rows'>): string =>
  `${table}/${week}${version > 1 ? `.${version}` : ''}`
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The archive of the week that is being written; a new one where there is none, or where its rows were removed. */
async function begin(
  { pool }: Pick<Runtime, 'pool'>,
  store: Store,
  table: string,
  week: string,
  signal: AbortSignal,
): Promise<Row> {
  const newest = async () => {
    const { rows } = await pool.query<Row>(
      `select version, store, parts, started_at, completed_at, removed_at from archived_weeks
        where table_name = $1 and week = $2 order by version desc limit 1`,
      [table, week],
    )
    return rows[0]
  }
  const last = await newest()
  if (last && !last.removed_at && last.store === store.url) return last
  let version = (last?.version ?? 0) + 1
  // What another installation, or this one before it was restored, has completed there is never overwritten.
  while (await digestOf(store, `${folderOf({ table, week, version })}/${MANIFEST}`, signal)) version++
  await pool.query(
    'insert into archived_weeks (table_name, week, version, store, started_at) values ($1, $2, $3, $4, now())',
    [...[table, week, version, store.url]],
  )
  const begun = await newest()
  if (!begun) throw new Error('The archive that was just begun is not there')
  return begun
}

/** Changes the row of an archive; `$5`, where given, is the number of parts that it must have. */
async function record(
  { pool }: Pick<Runtime, 'pool'>,
  { table, week, version }: Omit<ArchivedWeek, 'rows'>,
  changes: string,
  values: readonly unknown[],
): Promise<void> {
  const { rowCount } = await pool.query(
    `update archived_weeks set ${changes} where table_name = $1 and week = $2 and version = $3 and removed_at is null
       ${values.length > 0 ? 'and jsonb_array_length(parts) = $5' : ''}`,
    [table, week, version, ...values],
  )
  if (rowCount !== 1) throw new Error(`${folderOf({ table, week, version })} is being archived by another process`)
}

function manifestOf(
  { table, week, version }: Omit<ArchivedWeek, 'rows'>,
  { archived }: PartitionedTable,
  parts: readonly Part[],
  startedAt: Date,
): Uint8Array {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0)
  const files = parts.map(({ lastId: _lastId, ...part }) => part)
  const manifest = { table, week, version, rows, columns: archived, archivedAt: startedAt.toISOString(), parts: files }
  return Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
}

interface Range {
  /** The last id of the part before. */
  readonly after: string | undefined
  readonly from: string
  readonly to: string
}

/** The next rows in the order of their ids, compressed; undefined where there are no more. */
async function nextPart(
  { pool }: Pick<Runtime, 'pool'>,
  { name, archived }: PartitionedTable,
  { after, from, to }: Range,
  sizes: PartSizes,
): Promise<{ body: Buffer; part: Omit<Part, 'name'> } | undefined> {
  const gzip = createGzip()
  const chunks: Buffer[] = []
  gzip.on('data', (chunk: Buffer) => chunks.push(chunk))
  const compressed = new Promise<void>((resolve, reject) => gzip.once('end', resolve).once('error', reject))
  let count = 0
  let last = after
  for (let more = true; more && count < sizes.rows; ) {
    const limit = Math.min(sizes.page, sizes.rows - count)
    const { rows } = await pool.query<{ id: string; line: string }>(
      `select r.id, row_to_json(r)::text as line
         from (select ${archived.join(', ')} from ${name} where id ${last ? '>' : '>='} $1 and id < $2 order by id limit $3) r order by r.id`,
      [last ?? from, to, limit],
    )
    gzip.write(rows.map(({ line }) => `${line}\n`).join(''))
    count += rows.length
    last = rows.at(-1)?.id ?? last
    more = rows.length === limit
  }
  gzip.end()
  await compressed
  if (count === 0 || last === undefined) return undefined
  const body = Buffer.concat(chunks)
  return { body, part: { rows: count, bytes: body.length, sha256: sha256(body), lastId: last } }
}
