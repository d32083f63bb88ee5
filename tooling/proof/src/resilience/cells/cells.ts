import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  type CellsProxy,
  call,
  certificateOf,
  type Data,
  dataOf,
  freePort,
  type LaunchedGateway,
  launchGateway,
  mailedCode,
  program,
  STAND_SETTINGS,
  type StandDatabase,
  startCellsProxy,
  startDatabase,
  trust,
  until,
} from '@payments/stand'

const run = promisify(execFile)
const NUMBERS = [0, 1] as const
export type CellNumber = (typeof NUMBERS)[number]

/** A whole installation: a database server of its own, and a process that is gateway and worker. */
interface Cell {
  readonly number: CellNumber
  readonly database: StandDatabase
  readonly settings: Readonly<Record<string, string>>
  readonly dataDir: string
  process: LaunchedGateway
}

/** Two cells behind the documented proxy. */
export interface Cells {
  /** The one address. */
  readonly url: string
  readonly cells: readonly [Cell, Cell]
  /** Signs up at the one address, in a cell that the directory of emails names. @returns a key of the test environment, and the organisation */
  signUp(number: CellNumber): Promise<{ key: string; organisationId: string }>
  /** Kills the process of a cell and its database server, and starts the process again on what is left. */
  crash(number: CellNumber, meanwhile: () => Promise<void>): Promise<void>
  /** A command of the artefact on the database of a cell. @returns what it wrote */
  command(number: CellNumber, name: string, args: readonly string[], more?: Record<string, string>): Promise<string>
  /** What the commands of both cells write is in the maps of the proxy. */
  writeMaps(): Promise<void>
  stop(): Promise<void>
}

/** Starts both, with the same secrets, as an organisation needs that moves. */
export async function startCells(): Promise<Cells> {
  const made = await certificateOf()
  trust(made.authority)
  const port = await freePort()
  const url = `https://127.0.0.1:${port}`
  const secrets = randomBytes(32).toString('base64')
  const cells: Cell[] = []
  const directory: string[] = []
  let proxy: CellsProxy | undefined
  const stop = async () => {
    await proxy?.stop()
    await Promise.all(cells.map((cell) => cell.process.stop()))
    await Promise.all(cells.map(({ database }) => database.close()))
    for (const { dataDir } of cells) rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    for (const number of NUMBERS) {
      const database = await startDatabase()
      const dataDir = mkdtempSync(join(tmpdir(), 'payments-cell-'))
      const settings = {
        ...STAND_SETTINGS,
        ...{
          BASE_URL: url,
          TRUST_PROXY: '127.0.0.1',
          CELL: String(number),
          SECRETS_KEY: secrets,
          SWAP_SEED: randomBytes(32).toString('base64'),
        },
        ...{ DATA_DIR: dataDir, DATABASE_URL: database.serviceUrl, DATABASE_OWNER_URL: database.ownerUrl },
        ...{
          PROCESS_ROLE: 'all',
          LOG_LEVEL: 'error',
          PORT: String(await freePort()),
          INTERNAL_PORT: String(await freePort()),
        },
      }
      cells.push({ number, database, settings, dataDir, process: await launchGateway(settings) })
    }
    const places = cells.map(({ settings: { PORT, INTERNAL_PORT } }) => ({
      url: `http://127.0.0.1:${PORT}`,
      internalUrl: `http://127.0.0.1:${INTERNAL_PORT}`,
    }))
    proxy = await startCellsProxy(port, places, made.tls)
  } catch (error) {
    await stop()
    throw error
  }
  const at = { url }
  const post = (line: string, body: object, token: string | null = null): Promise<Data> =>
    dataOf(line, call(at, line, { body, token }))
  const healthy = (number: CellNumber) => async () => {
    const { settings } = cells[number] as Cell
    const answer = await fetch(`http://127.0.0.1:${settings.INTERNAL_PORT}/readyz`).catch(() => undefined)
    return answer?.ok === true
  }
  const command = async (
    number: CellNumber,
    name: string,
    args: readonly string[],
    more: Record<string, string> = {},
  ) => {
    const { settings } = cells[number] as Cell
    const env = { PATH: process.env.PATH, ...settings, ...more }
    return (await run(process.execPath, [...program(name), ...args], { env, maxBuffer: 2 ** 26 })).stdout
  }
  const lines = async (map: string) =>
    (await Promise.all(NUMBERS.map((number) => command(number, 'cells', [map])))).flatMap((text) =>
      text.split('\n').filter(Boolean),
    )
  const writeMaps = async () => {
    const [keys, emails, ids] = [await lines('keys'), await lines('emails'), await lines('ids')]
    await proxy?.write({
      keys,
      ids,
      emails: [...emails, ...directory.filter((line) => !emails.some((each) => each.startsWith(line.slice(0, 64))))],
    })
    await until('The proxy serves', async () => (await fetch(`${url}/health`).catch(() => undefined))?.ok === true)
  }
  return {
    url,
    cells: cells as unknown as [Cell, Cell],
    command,
    writeMaps,
    async signUp(number) {
      const email = `${randomBytes(6).toString('hex')}@example.com`
      directory.push(`${createHash('sha256').update(email).digest('hex')} 00${number}`)
      await writeMaps()
      const { challengeId } = await post('POST /v1/auth/register', { email, organisationName: `Of cell ${number}` })
      const code = await mailedCode((cells[number] as Cell).dataDir, email, 30_000)
      const { accessToken, organisation } = await post('POST /v1/auth/otp/verify', { challengeId, code })
      const { key } = await post('POST /v1/api-keys', { name: 'Server', environment: 'test' }, accessToken)
      return { key, organisationId: organisation.id }
    },
    async crash(number, meanwhile) {
      const cell = cells[number] as Cell
      cell.process.kill()
      cell.database.kill()
      await meanwhile()
      await until('The database is back', async () =>
        cell.database.pool.query('select 1').then(
          () => true,
          () => false,
        ),
      )
      cell.process = await launchGateway(cell.settings)
      await until(`Cell ${number} is ready`, healthy(number))
      await until('The proxy sends to it', async () => (await fetch(`${url}/health`)).ok)
    },
    stop,
  }
}
