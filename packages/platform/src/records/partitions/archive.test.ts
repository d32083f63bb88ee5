import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { firstIdOf, newId } from '@payments/kernel'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { hasTools, killedAt, useService } from '#testing'
import type { Runtime } from '../../operations/context/context.ts'
import { countProblems } from '../counts.ts'
import { countedRequests, partitionedRequests } from '../request-log/entity.ts'
import { archiveWeek } from './archive.ts'
import { partitions } from './job.ts'
import { fileStore } from './stores/file.ts'
import type { Store } from './stores/store.ts'
import { mondayOf } from './weeks.ts'

const service = useService()
const DAY_MS = 86_400_000
const MANIFEST = 'manifest.json'
afterEach(() => void vi.useRealTimers())

function clock(time: number): number {
  vi.useFakeTimers({ toFake: ['Date'], now: time })
  return time
}
let years = 0

/** A week of its own, with its partition, and a folder for its archive. */
async function week({ rows = 23, partition = true } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'archive-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const monday = mondayOf(Date.UTC(2100 + 10 * years++, 2, 10))
  const organisationId = newId()
  const runtime: Runtime = {
    ...service.runtime,
    settings: { ...service.runtime.settings, ARCHIVE_URL: pathToFileURL(folder).href } as Runtime['settings'],
  }
  clock(monday.getTime())
  if (partition) await run(runtime)
  const add = async (count: number, first = 0) => {
    const ids = Array.from({ length: count }, (_, n) => {
      const time = new Date(monday.getTime() + (first + n) * 60_000)
      return `${firstIdOf(time).slice(0, 24)}${newId().slice(-12)}`
    })
    await runtime.pool.query(
      `insert into request_log (id, organisation_id, environment, method, path, status, duration_ms, request_id, idempotency_key, replayed, ip, request_body, created_at)
       select id, $2, 'test', 'POST', '/v1/customers', 201, 3, 'r', 'secret-key', false, '192.0.2.1', '{"name":"secret-body"}', $3 from unnest($1::uuid[]) id`,
      [ids, organisationId, monday],
    )
    return ids
  }
  const ids = await add(rows)
  const day = monday.toISOString().slice(0, 10)
  const places = { folder, archived: join(folder, 'request_log', day), name: `request_log_${day.replaceAll('-', '')}` }
  const stored = async () =>
    (
      await runtime.pool.query('select id from request_log where organisation_id = $1 order by id', [organisationId])
    ).rows.map(({ id }) => id)
  const expire = () => clock(monday.getTime() + 38 * DAY_MS)
  return { ...places, monday, organisationId, runtime, ids, add, stored, expire }
}
const run = (runtime: Runtime) => partitions.run(runtime, {}, new AbortController().signal)
const signal = new AbortController().signal

interface Manifest {
  readonly rows: number
  readonly columns: string[]
  readonly parts: { name: string; rows: number; bytes: number; sha256: string }[]
}

/** The rows of a complete archive, as its reader finds them: by its manifest. */
function read(folder: string): Record<string, unknown>[] {
  const manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as Manifest
  const rows = manifest.parts.flatMap(({ name, sha256, bytes, rows: count }) => {
    const file = readFileSync(join(folder, name))
    expect([createHash('sha256').update(file).digest('hex'), file.length]).toEqual([sha256, bytes])
    const lines = gunzipSync(file).toString('utf8').trimEnd().split('\n')
    expect(lines).toHaveLength(count)
    return lines.map((line) => JSON.parse(line))
  })
  expect(rows).toHaveLength(manifest.rows)
  return rows
}
const idsIn = (folder: string) => read(folder).map(({ id }) => id)

test('a week is archived, then dropped: its requests are in the archive, without bodies and keys, as operators are told to read it', async () => {
  const { archived, runtime, ids, stored, expire, organisationId, monday } = await week()
  expire()
  await run(runtime)
  expect(await stored()).toEqual([])
  expect(idsIn(archived)).toEqual(ids)
  expect(read(archived)[0]).toEqual({
    ...{ id: ids[0], organisation_id: organisationId, environment: 'test', method: 'POST', path: '/v1/customers' },
    ...{ status: 201, duration_ms: 3, request_id: 'r', key_id: null, session_id: null, ip: '192.0.2.1' },
    ...{ user_agent: null, replayed: false, error_code: null, resource_id: null },
    created_at: monday.toISOString().replace('.000Z', '+00:00'),
  })
  expect(execFileSync('sh', ['-c', `gunzip -c ${archived}/*.ndjson.gz`], { encoding: 'utf8' })).not.toContain('secret')
  expect(await countProblems(runtime.pool, 'request_log', countedRequests)).toEqual([])
})

test.runIf(hasTools('jq', 'sha256sum'))(
  'the commands of the operators’ page check a week in the archive and find its failures, and one that was changed is noticed',
  async () => {
    const { archived, runtime, ids, expire, organisationId } = await week()
    await runtime.pool.query('update request_log set status = 503 where id = $1', [ids[2]])
    expire()
    await run(runtime)
    const page = readFileSync(new URL('../../../../../docs/operators/data.md', import.meta.url), 'utf8')
    const [, day = '', commands = ''] = page.match(/```sh\ncd request_log\/(\S+)\n(.*?)```/s) ?? []
    expect(day).toMatch(/^\d{4}-\d\d-\d\d$/)
    const operator = () =>
      execFileSync('bash', ['-euo', 'pipefail', '-c', commands], { cwd: archived, encoding: 'utf8', stdio: 'pipe' })
    const [checked, ...found] = operator().split('\n')
    expect(checked).toBe('00001.ndjson.gz: OK')
    expect(JSON.parse(found.join('\n'))).toMatchObject({ id: ids[2], status: 503, organisation_id: organisationId })
    await writeFile(join(archived, '00001.ndjson.gz'), 'another')
    expect(operator).toThrow()
  },
)

test('a process that is killed before any of its statements loses no request and archives none twice', {
  timeout: 120_000,
}, async () => {
  const { runtime, ids, stored, expire, archived, name } = await week()
  expire()
  let killed = 0
  for (let point = 0; ; point++) {
    const process = killedAt({ ...service, runtime }, point)
    await run(process.runtime).catch(() => undefined)
    const left = await stored()
    if (left.length > 0) expect(left).toEqual(ids)
    else expect(idsIn(archived)).toEqual(ids)
    if (!process.failed()) break
    killed++
  }
  expect(killed).toBeGreaterThan(10)
  expect(idsIn(archived)).toEqual(ids)
  const { rows } = await runtime.pool.query('select from pg_class where relname = $1', [name])
  expect(rows).toEqual([])
})

/** A store that fails before or after its write number `point`, counted over all of them. */
function failing(store: Store, point: number): { store: Store; failed: () => boolean } {
  let points = 0
  const reach = () => {
    if (points++ === point) throw new Error('The store failed')
  }
  const put: Store['put'] = async (...given) => {
    reach()
    await store.put(...given)
    reach()
  }
  return { store: { ...store, put }, failed: () => points > point }
}

test('an archive whose store fails before or after any write is completed, with each request once', async () => {
  const { folder, runtime, ids, archived, monday } = await week()
  const store = fileStore(pathToFileURL(folder).href)
  const sizes = { rows: 5, page: 2 }
  let failures = 0
  for (let point = 0; point < 20; point++) {
    const fault = failing(store, point % 3)
    const week = { store: fault.store, table: partitionedRequests, monday }
    const done = await archiveWeek(runtime, week, signal, sizes).catch(() => undefined)
    if (done) break
    failures++
  }
  expect(failures).toBeGreaterThan(3)
  expect(await archiveWeek(runtime, { store, table: partitionedRequests, monday }, signal, sizes)).toMatchObject({
    rows: ids.length,
  })
  expect(idsIn(archived)).toEqual(ids)
  expect(await readdir(archived)).toEqual([...[1, 2, 3, 4, 5].map((n) => `0000${n}.ndjson.gz`), MANIFEST])
})

test('a week is not dropped while a part of its archive is missing or is not what was written, and is archived again', async () => {
  const { folder, runtime, ids, archived, monday, stored, expire } = await week()
  const store = fileStore(pathToFileURL(folder).href)
  const given = { store, table: partitionedRequests, monday }
  expire()
  for (const spoil of [
    () => rm(join(archived, '00001.ndjson.gz')),
    () => writeFile(join(archived, '00001.ndjson.gz'), 'other'),
    () => rm(join(archived, MANIFEST)),
  ]) {
    await archiveWeek(runtime, given, signal)
    await spoil()
    await expect(run(runtime)).rejects.toThrow(/^ARCHIVE_URL: .* is missing in .*, or is not what was written$/)
    expect(await stored()).toEqual(ids)
  }
  await run(runtime)
  expect([await stored(), idsIn(archived)]).toEqual([[], ids])
})

test('requests that come to a week after it was archived are archived with it, before it is dropped', async () => {
  const { folder, runtime, ids, archived, monday, stored, expire, add } = await week()
  expire()
  const store = fileStore(pathToFileURL(folder).href)
  await archiveWeek(runtime, { store, table: partitionedRequests, monday }, signal)
  const late = await add(2, 500)
  await run(runtime)
  expect(await stored()).toHaveLength(25)
  await run(runtime)
  expect([await stored(), idsIn(archived)]).toEqual([[], [...ids, ...late]])
})

test('requests in the default partition are archived by their week, then deleted; those that come later are a version of their own', async () => {
  const { runtime, ids, archived, stored, expire, add } = await week({ partition: false })
  expire()
  await run(runtime)
  expect([await stored(), idsIn(archived)]).toEqual([[], ids])
  const late = await add(2, 500)
  await run(runtime)
  expect([await stored(), idsIn(archived), idsIn(`${archived}.2`)]).toEqual([[], ids, late])
  expect(await countProblems(runtime.pool, 'request_log', countedRequests)).toEqual([])
})

test('a complete archive of another database in the same place is not overwritten', async () => {
  const { runtime, ids, archived, stored, expire } = await week()
  expire()
  await fileStore(pathToFileURL(archived).href).put(MANIFEST, Buffer.from('{}'), signal)
  await run(runtime)
  expect(readFileSync(join(archived, MANIFEST), 'utf8')).toBe('{}')
  expect([await stored(), idsIn(`${archived}.2`)]).toEqual([[], ids])
})

test('a folder that cannot be written drops nothing, and the error names the setting and the file', async () => {
  const { folder, runtime, ids, stored, expire } = await week()
  expire()
  expect(readFileSync(join(folder, 'README.txt'), 'utf8')).toContain('A week is complete when it has a manifest.json')
  await writeFile(join(folder, 'file'), '')
  const settings = { ...runtime.settings, ARCHIVE_URL: pathToFileURL(join(folder, 'file', 'below')).href }
  await expect(run({ ...runtime, settings })).rejects.toThrow(
    /^ARCHIVE_URL: .*file.below.* cannot be (read|written) \(/,
  )
  expect(await stored()).toEqual(ids)
})
