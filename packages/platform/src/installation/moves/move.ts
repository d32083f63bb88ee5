import { setTimeout as sleep } from 'node:timers/promises'
import { cellText, newId } from '@payments/kernel'
import type { Domain } from '../../domain/domain.ts'
import { fingerprintOf } from '../fingerprints.ts'
import {
  brokenReferences,
  compared,
  copyRows,
  type Move,
  packedDigest,
  packRest,
  packTable,
  unpack,
  withoutTriggers,
} from './rows.ts'
import { type Connection, inOneSnapshot, inTransaction, type MoveRow, openMove } from './state.ts'
import { declarationOf, type MovedTable, movedTables } from './tables.ts'

// Exactly one cell has the rows of an organisation, at every point of a move, so no worker, poll or request of both can act for it:
//
//   1. packed     in the cell that it leaves: in one transaction, its rows are taken out of their tables and kept as text
//   2. complete   what transactions wrote that were under way then is taken out as well
//   3. copied     to the other cell, as text that nothing reads; both have the same
//   4. arrived    in the other cell: in one transaction, the text becomes rows, which are compared with what was packed
//
// For the cell that it leaves, 1 is what the death of all its workers would be: whatever is claimed is asked about before it is repeated.
// The row of the move in the other cell decides between 4 and giving up (`refused`). After a crash anywhere, the command goes on.

/** The databases of the two cells, as the owners of their tables. */
export interface MovingBetween {
  readonly from: Connection
  readonly to: Connection
  readonly domains: readonly Domain[]
  /** Number of the cell that the organisation leaves, and of the one that takes it. */
  readonly cells: { readonly from: number; readonly to: number }
  tell(line: string): void
  /** Called before each statement that ends a step: a test ends the process there. */
  readonly beforeStep?: (name: string) => Promise<void>
}

/** Why an organisation does not move, in a sentence. */
export class MoveRefused extends Error {
  override name = 'MoveRefused'
}

/** What keeps an organisation from moving, each as a sentence; nothing is written. */
export async function obstaclesOf(between: MovingBetween, organisationId: string): Promise<string[]> {
  const { from, to, domains, cells } = between
  const refused: string[] = []
  for (const [sentence, sql] of Object.entries(declarationOf(domains).obstacles)) {
    const { rows } = await from.query<{ count: number }>(`select (${sql})::int as count`, [organisationId])
    if (rows[0]?.count) refused.push(sentence.replace('{count}', String(rows[0].count)))
  }
  const [tables, others] = [await movedTables(from, domains), await movedTables(to, domains)]
  const columnsOf = (all: readonly MovedTable[]) =>
    JSON.stringify(all.map(({ name, columns }) => [name, columns]).sort())
  if (columnsOf(tables) !== columnsOf(others))
    refused.push('The databases of the two cells have different tables: install the same version in both, and migrate')
  const fingerprints = async (db: Connection, setting: string) =>
    (
      await db.query<{ digest: string }>('select digest from setting_fingerprints where setting = $1', [setting])
    ).rows.map(({ digest }) => digest)
  if (!(await fingerprints(to, 'CELL')).includes(fingerprintOf({ setting: 'CELL', secret: cellText(cells.to) })))
    refused.push(`MOVE_DATABASE_URL: no process with CELL=${cells.to} has ever served this database`)
  const keys = await fingerprints(to, 'SECRETS_KEY')
  if (!(await fingerprints(from, 'SECRETS_KEY')).every((each) => keys.includes(each)))
    refused.push(
      'SECRETS_KEY: the two cells encrypt with different keys. Give both the same keys, and run `payments re-encrypt` in both',
    )
  for (const setting of declarationOf(domains).ownSecrets) {
    const theirs = await fingerprints(to, setting)
    if ((await fingerprints(from, setting)).some((each) => theirs.includes(each)))
      refused.push(
        `${setting}: the two cells have the same. Each needs its own, because both would give out the same addresses`,
      )
  }
  for (const [sentence, sql] of Object.entries(declarationOf(domains).present)) {
    const { rows } = await to.query<{ count: number }>(`select (${sql})::int as count`, [organisationId])
    if (rows[0]?.count) refused.push(sentence)
  }
  return refused
}

/** What would move: the number of rows of each table, and of those with a status how many have which. Nothing is written. */
export async function previewMove({ from, domains }: MovingBetween, organisationId: string): Promise<string[]> {
  const lines: string[] = []
  for (const { name, where, columns, fate } of await movedTables(from, domains)) {
    const status = columns.includes('status') ? 'status::text' : "''"
    const { rows } = await from.query<{ status: string; count: string }>(
      `select ${status} as status, count(*) as count from ${name} where (${where}) and $1::uuid is not null and $2::uuid is not null group by 1 order by 1`,
      [organisationId, newId()],
    )
    const count = rows.reduce((sum, each) => sum + Number(each.count), 0)
    const by = rows.flatMap((each) => (each.status ? [`${each.count} ${each.status}`] : []))
    if (count > 0) lines.push(`${name}: ${count} ${fate}${by.length > 0 ? ` (${by.join(', ')})` : ''}`)
  }
  return lines
}

/**
 * Moves a suspended organisation to another cell, or goes on with a move that was interrupted. It is suspended there, too.
 * @throws MoveRefused before anything is written, or where what has come is not what was sent: nothing of it is in the other cell then
 */
export async function moveOrganisation(between: MovingBetween, organisationId: string): Promise<void> {
  const { from, cells, tell } = between
  let open = await openMove(from, organisationId)
  if (open && open.direction === 'in')
    throw new MoveRefused('It is on its way to this cell: run the command there where it began')
  if (open && open.cell !== cells.to)
    throw new MoveRefused(`It is on its way to cell ${open.cell}: end that move first`)
  if (!open) {
    const refused = await obstaclesOf(between, organisationId)
    if (refused.length > 0) throw new MoveRefused(refused.join('\n'))
    open = await pack(between, organisationId)
  } else tell(`Going on with the move that began at ${open.createdAt}`)
  if (open.state === 'packed') await complete(between, open)
  await copy(between, open)
  await arrive(between, open)
  await end(between, open)
}

async function pack(between: MovingBetween, organisationId: string): Promise<MoveRow> {
  const { from, domains, cells, tell } = between
  const move = { id: newId(), organisationId }
  const tables = await movedTables(from, domains)
  const packed = await inTransaction(from, async () => {
    await withoutTriggers(from)
    await from.query(
      "insert into organisation_moves (id, organisation_id, direction, cell, state, created_at) values ($1, $2, 'out', $3, 'packed', now())",
      [move.id, organisationId, cells.to],
    )
    let rows = 0
    for (const table of [...tables].sort((a, b) => Number(a.fate !== 'merged') - Number(b.fate !== 'merged')))
      rows += await packTable(from, move, table)
    for (const statement of declarationOf(domains).left) await from.query(statement, [organisationId, cells.to])
    await between.beforeStep?.('packed')
    return rows
  })
  tell(`${packed} rows taken out of cell ${cells.from}`)
  return (await openMove(from, organisationId)) as MoveRow
}

/** How long transactions of before may go on, ms. */
const LONGEST_MS = 120_000

/** Waits until each transaction that runs now has ended: what they write of the organisation is in its tables then. */
async function writersEnded(db: Connection): Promise<void> {
  const running = async () =>
    (
      await db.query<{ id: string; name: string }>(
        `select l.virtualtransaction as id, a.application_name || ', process ' || a.pid as name from pg_locks l join pg_stat_activity a using (pid)
          where l.locktype = 'virtualxid' and l.granted and a.datname = current_database() and a.pid <> pg_backend_pid() and a.application_name <> 'pg_dump'`,
      )
    ).rows
  const before = new Set((await running()).map(({ id }) => id))
  for (const deadline = Date.now() + LONGEST_MS; ; await sleep(50)) {
    const left = (await running()).filter(({ id }) => before.has(id))
    if (left.length === 0) return
    if (Date.now() > deadline)
      throw new MoveRefused(`A transaction does not end (${left[0]?.name}): run the command again when it has`)
  }
}

async function complete(between: MovingBetween, move: MoveRow): Promise<void> {
  const { from, domains, tell } = between
  await writersEnded(from)
  const tables = await movedTables(from, domains)
  const late = await inOneSnapshot(from, async () => {
    await withoutTriggers(from)
    let rows = 0
    for (const table of tables)
      if (table.fate === 'moved' || table.fate === 'ended') rows += await packTable(from, move, table)
    await from.query("update organisation_moves set state = 'complete' where id = $1", [move.id])
    await between.beforeStep?.('complete')
    return rows
  })
  if (late > 0) tell(`${late} more rows, written meanwhile`)
}

async function copy({ from, to, cells, tell, beforeStep }: MovingBetween, move: MoveRow): Promise<void> {
  await to.query(
    `insert into organisation_moves (id, organisation_id, direction, cell, state, created_at) values ($1, $2, 'in', $3, 'copied', now()) on conflict (id) do nothing`,
    [move.id, move.organisationId, cells.from],
  )
  if ((await stateOf(to, move)) === 'refused') throw new MoveRefused('The move is given up: finish that with --cancel')
  if ((await stateOf(to, move)) === 'arrived') return
  await beforeStep?.('copying')
  const rows = await copyRows(from, to, move)
  const [sent, got] = [await packedDigest(from, move), await packedDigest(to, move)]
  const differing = Object.keys({ ...sent, ...got }).filter((name) => sent[name] !== got[name])
  if (differing.length > 0)
    throw new MoveRefused(`What was copied differs from what was sent, in ${differing.join(', ')}`)
  tell(`${rows} rows copied to cell ${cells.to}, and the same on both sides`)
}

const stateOf = async (db: Connection, { id }: Move): Promise<string | undefined> =>
  (await db.query<{ state: string }>('select state from organisation_moves where id = $1', [id])).rows[0]?.state

async function arrive(between: MovingBetween, move: MoveRow): Promise<void> {
  const { to, domains, cells, tell } = between
  if ((await stateOf(to, move)) === 'arrived') return
  const tables = await movedTables(to, domains)
  let shown = ''
  await inOneSnapshot(to, async () => {
    const { rows } = await to.query<{ state: string }>(
      'select state from organisation_moves where id = $1 for update',
      [move.id],
    )
    if (rows[0]?.state === 'arrived') return
    if (rows[0]?.state !== 'copied') throw new MoveRefused('The move is given up: finish that with --cancel')
    // What it has left here when it was here before, such as lines of a log that were written after it had gone.
    await packRest(to, tables, move)
    const expected = await compared(to, domains, tables, move, 'packed')
    await unpack(to, tables, move, false)
    for (const statement of declarationOf(domains).arrived) await to.query(statement, [move.organisationId])
    const now = await compared(to, domains, tables, move, 'tables')
    const differing = Object.keys(expected).filter((what) => expected[what] !== now[what])
    const broken = await brokenReferences(to, tables, move)
    const wrong = [
      ...differing.map((what) => `${what}: ${expected[what]} was sent, and ${now[what]} has come`),
      ...broken,
    ]
    if (wrong.length > 0)
      throw new MoveRefused(
        `Nothing of it is in cell ${cells.to}, because both sides differ. Give the move up with --cancel, or run it again.\n${wrong.join('\n')}`,
      )
    await to.query('delete from moved_rows where move_id = $1', [move.id])
    await to.query("update organisation_moves set state = 'arrived', ended_at = now() where id = $1", [move.id])
    shown = Object.entries(expected)
      .map(([what, value]) => `${what} ${value || 'none'}`)
      .join('; ')
    await between.beforeStep?.('arrived')
  })
  tell(`It is in cell ${cells.to}: ${shown}`)
}

async function end(between: MovingBetween, move: MoveRow): Promise<void> {
  await between.beforeStep?.('ending')
  await inTransaction(between.from, async () => {
    await between.from.query('delete from moved_rows where move_id = $1', [move.id])
    await between.from.query("update organisation_moves set state = 'arrived', ended_at = now() where id = $1", [
      move.id,
    ])
  })
}

/**
 * Gives up a move that has not arrived: the organisation is where it was. It may be repeated.
 * @throws MoveRefused when there is none, or when it has arrived
 */
export async function cancelMove(between: MovingBetween, organisationId: string): Promise<void> {
  const { from, to, domains, cells } = between
  const move = await openMove(from, organisationId)
  if (move?.direction !== 'out') throw new MoveRefused('No move of it is under way from this cell')
  // From here on it cannot arrive any more.
  await to.query(
    `insert into organisation_moves as m (id, organisation_id, direction, cell, state, created_at, ended_at) values ($1, $2, 'in', $3, 'refused', now(), now())
     on conflict (id) do update set state = 'refused', ended_at = now() where m.state = 'copied'`,
    [move.id, organisationId, cells.from],
  )
  if ((await stateOf(to, move)) !== 'refused')
    throw new MoveRefused(
      `It has arrived in cell ${cells.to}: run the command without --cancel to end the move, and move it back from there`,
    )
  await between.beforeStep?.('refused')
  await to.query('delete from moved_rows where move_id = $1', [move.id])
  if (move.state === 'packed') await complete(between, move)
  const tables = await movedTables(from, domains)
  await inTransaction(from, async () => {
    await unpack(from, tables, move, true)
    for (const statement of declarationOf(domains).stayed) await from.query(statement, [organisationId])
    const broken = await brokenReferences(from, tables, move)
    if (broken.length > 0) throw new MoveRefused(broken.join('\n'))
    await from.query('delete from moved_rows where move_id = $1', [move.id])
    await from.query("update organisation_moves set state = 'refused', ended_at = now() where id = $1", [move.id])
    await between.beforeStep?.('back')
  })
}
