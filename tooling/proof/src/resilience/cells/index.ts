import { call, hasTools, until } from '@payments/stand'
import type { Proof } from '../../proof.ts'
import { type CellNumber, type Cells, startCells } from './cells.ts'
import { type Load, startLoad } from './load.ts'
import { type Begun, beginStories, endStories } from './stories.ts'

const SIZES = { short: 1, full: 5 } as const

/**
 * Two installations behind the documented proxy, at one address: a flow of every domain in each; one is killed with its database server, and
 * restored, while the other serves without an error; an organisation moves from one to the other and back while it is used, and while another
 * organisation of each cell is used without an error. What was acknowledged is there, and what was under way ends where it has moved to.
 */
export const run: Proof = async ({ size, times, log }) => {
  if (!hasTools('haproxy', 'socat')) {
    log('HAProxy or socat is not installed')
    return { findings: [], figures: {} }
  }
  const findings: string[] = []
  const cells = await startCells()
  try {
    const merchants = [await cells.signUp(0), await cells.signUp(1)] as const
    for (const number of [0, 1] as const)
      findings.push(...(await endStories(`cell ${number}`, await beginStories(cells, merchants[number].key))))
    log('a flow of every domain has ended in each cell')
    const killed = await killOne(cells, merchants[0].key, merchants[1].key)
    findings.push(...killed.findings)
    log(`cell 1 was killed and is back: ${killed.made} requests of cell 0 meanwhile`)
    const moves = []
    const mover = await cells.signUp(0)
    for (let round = 0; round < (times ?? SIZES[size]); round++)
      for (const from of [0, 1] as const) {
        const moved = await moveUnderLoad(cells, { from, mover, others: [merchants[0].key, merchants[1].key] })
        findings.push(...moved.findings)
        moves.push(moved.figures)
        log(`moved from cell ${from}: ${JSON.stringify(moved.figures)}`)
      }
    for (const number of [0, 1] as const) {
      const checked = await cells
        .command(number, 'ledger-check', [])
        // What it found comes before what failed.
        .catch((error: Error & { stdout?: string }) => `${error.stdout ?? ''}${error.message}`)
      if (!checked.startsWith('In order')) findings.push(`cell ${number}: ledger-check: ${checked.slice(0, 500)}`)
    }
    return { findings, figures: { requestsWhileKilled: killed.made, moves } }
  } finally {
    await cells.stop()
  }
}

/** Nothing of one cell fails while the other is away. */
async function killOne(cells: Cells, here: string, there: string) {
  const load = startLoad(cells, here)
  await cells.crash(1, async () => {
    const before = load.made.length
    await until('The other cell serves', () => load.made.length > before + 20)
  })
  await until('It answers', async () => (await call(cells, 'GET /v1/customers', { token: there })).status === 200)
  await load.stop()
  return { made: load.made.length, findings: failuresOf('cell 0, while cell 1 was away', load) }
}

const failuresOf = (where: string, { refused }: Load): string[] =>
  [...refused].map(([outcome, times]) => `${where}: ${times} requests were answered with ${outcome}`)

interface Moving {
  readonly from: CellNumber
  readonly mover: { readonly key: string; readonly organisationId: string }
  readonly others: readonly [string, string]
}

/** What a client may see of an organisation that moves: it is suspended, or in neither cell for a moment. */
const WHILE_MOVING: ReadonlySet<number | string> = new Set([403, 503])

async function moveUnderLoad(cells: Cells, { from, mover, others }: Moving) {
  const to = from === 0 ? 1 : 0
  const { organisationId } = mover
  const begun: Begun[] = await beginStories(cells, mover.key)
  const load = startLoad(cells, mover.key)
  const besides = others.map((key) => startLoad(cells, key))
  await until('It is used', () => load.made.length > 20)
  const suspend = (number: CellNumber, at: string) =>
    cells.cells[number].database.pool.query(`update organisations set suspended_at = ${at} where id = $1`, [
      organisationId,
    ])
  const started = performance.now()
  await suspend(from, 'now()')
  const target = { MOVE_DATABASE_URL: cells.cells[to].database.ownerUrl }
  const told = await cells.command(from, 'organisations', ['move', organisationId, '--to', String(to)], target)
  await cells.writeMaps()
  await suspend(to, 'null')
  const acknowledged = load.made.length
  await until('It is used again', () => load.made.length > acknowledged + 20)
  const seconds = Math.round((performance.now() - started) / 100) / 10
  await Promise.all([load.stop(), ...besides.map((each) => each.stop())])
  const findings = besides.flatMap((each, number) => failuresOf(`cell ${number}, while one moved from ${from}`, each))
  for (const [outcome, times] of load.refused)
    if (!WHILE_MOVING.has(outcome)) findings.push(`the one that moved: ${times} requests were answered with ${outcome}`)
  findings.push(...(await endStories(`moved from ${from}`, begun)))
  const { rows } = await cells.cells[to].database.pool.query<{ id: string }>(
    'select id from customers where organisation_id = $1',
    [organisationId],
  )
  const there = new Set(rows.map(({ id }) => id))
  findings.push(
    ...load.made
      .filter((id) => !there.has(id))
      .map((id) => `customer ${id} was acknowledged, and is not in cell ${to}`),
  )
  const { rows: left } = await cells.cells[from].database.pool.query<{ left: number }>(
    'select count(*)::int as left from transactions where organisation_id = $1',
    [organisationId],
  )
  if (left[0]?.left !== 0) findings.push(`${left[0]?.left} of its transactions are still in cell ${from}`)
  const rowsMoved = Number(/^(\d+) rows copied/m.exec(told)?.[1] ?? 0)
  return { findings, figures: { from, rowsMoved, made: load.made.length, seconds, longestMs: load.longestMs() } }
}
