import {
  cancelMove,
  MoveRefused,
  type MovingBetween,
  moveOrganisation,
  obstaclesOf,
  pendingMigrations,
  previewMove,
} from '@payments/platform'
import { Client } from 'pg'
import { type CommandDatabase, domains } from '../command.ts'

/** What `payments organisations move` is asked for. */
export interface MoveOptions {
  readonly organisationId: string
  readonly to: number
  readonly mode: 'move' | 'dry-run' | 'cancel'
}

async function connected(url: string, setting: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'payments-move', connectionTimeoutMillis: 5000 })
  // A connection that is lost fails the next statement on it, with the reason.
  client.on('error', () => undefined)
  await client.connect().catch((error: Error) => {
    throw new MoveRefused(`${setting}: the database cannot be reached (${error.message})`)
  })
  return client
}

/**
 * Moves an organisation between the configured database and MOVE_DATABASE_URL, shows what would move, or gives a move up.
 * @throws Error with a sentence; then the command can be run again
 */
export async function move(
  { ownerUrl }: Pick<CommandDatabase, 'ownerUrl'>,
  { organisationId, to: cell, mode }: MoveOptions,
  { CELL, MOVE_DATABASE_URL }: { readonly CELL: number; readonly MOVE_DATABASE_URL?: string | undefined },
  tell: (line: string) => void,
): Promise<void> {
  if (!MOVE_DATABASE_URL)
    throw new MoveRefused(`MOVE_DATABASE_URL: set it to the database of cell ${cell}, as the owner of its tables`)
  if (cell === CELL) throw new MoveRefused(`--to ${cell}: that is this cell (CELL)`)
  for (const [url, setting] of [
    [ownerUrl, 'DATABASE_OWNER_URL'],
    [MOVE_DATABASE_URL, 'MOVE_DATABASE_URL'],
  ] as const) {
    await (await connected(url, setting)).end()
    if ((await pendingMigrations(url, domains))?.length !== 0)
      throw new MoveRefused(`${setting}: the database lacks migrations of this version: run payments migrate there`)
  }
  const [from, to] = [
    await connected(ownerUrl, 'DATABASE_OWNER_URL'),
    await connected(MOVE_DATABASE_URL, 'MOVE_DATABASE_URL'),
  ]
  const between: MovingBetween = { from, to, domains, cells: { from: CELL, to: cell }, tell }
  try {
    if (mode === 'dry-run') await preview(between, organisationId)
    else if (mode === 'cancel') {
      await cancelMove(between, organisationId)
      tell(`It is in cell ${CELL} again, and still suspended`)
    } else {
      await moveOrganisation(between, organisationId)
      tell(
        `Next: write the maps of the proxy again (payments cells keys, emails and ids, of each cell), and reactivate it in cell ${cell}`,
      )
    }
  } finally {
    await Promise.all([from.end(), to.end()])
  }
}

async function preview(between: MovingBetween, organisationId: string): Promise<void> {
  for (const line of await previewMove(between, organisationId)) between.tell(line)
  const refused = await obstaclesOf(between, organisationId)
  if (refused.length > 0) throw new MoveRefused(refused.join('\n'))
  between.tell('Nothing was moved: without --dry-run, it would')
}
