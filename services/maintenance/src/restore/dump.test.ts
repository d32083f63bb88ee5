import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { everyDomain } from '@payments/api'
import { createLog, migrate, openRestore } from '@payments/platform'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { compileCache, hasTools, program, type SystemPostgres, startSystemPostgres } from '#testing'
import { backUp, restoreBackup } from './dump.ts'

// pg_dump reads no server that is newer than itself, so the server is the system's, too.
describe.skipIf(!hasTools('pg_dump', 'pg_restore', 'psql', 'setpriv'))('a backup', () => {
  let server: SystemPostgres
  const file = (name: string) => join(server.folder, name)

  beforeAll(async () => {
    server = await startSystemPostgres('fsync=off')
    await query('postgres', 'create database source')
    await migrate(url('source'), url('source'), everyDomain, createLog('fatal'))
    await openRestore({ query: async (text, values) => ({ rows: await query('source', text, values) }) })
    await query(
      'source',
      `insert into request_log (id, organisation_id, environment, method, path, status, duration_ms, request_id, replayed, created_at)
       select gen_random_uuid(), gen_random_uuid(), 'live', 'GET', '/v1/' || repeat(md5(n::text), 20), 200, 1, n::text, false, now()
         from generate_series(1, 30000) n`,
    )
  }, 60_000)
  afterAll(() => server.remove())

  const url = (database: string) => server.url(database)
  async function query<R extends object>(database: string, text: string, values: unknown[] = []): Promise<R[]> {
    const pool = new Pool({ connectionString: url(database), max: 1 })
    pool.on('error', () => undefined)
    try {
      return (await pool.query<R>(text, values)).rows
    } finally {
      await pool.end()
    }
  }
  const empty = async (name: string) => {
    await query('postgres', `create database ${name}`)
    onTestFinished(async () => void (await query('postgres', `drop database ${name} with (force)`)))
    return url(name)
  }
  const tables = (database: string) =>
    query(database, "select 1 from pg_tables where schemaname in ('public', 'pgboss')")

  test('of a database in use has everything of one moment, and what is restored from it is not served before it is reconciled', async () => {
    const manifest = await backUp(url('source'), file('whole'))
    expect(manifest.rows.request_log).toBe(30_000)
    const target = await empty('whole')
    await restoreBackup(target, file('whole'))
    expect(await query('whole', 'select count(*)::int as n from request_log')).toEqual([{ n: 30_000 }])
    const db = {
      query: async <R extends object>(text: string, values?: unknown[]) => ({
        rows: await query<R>('whole', text, values),
      }),
    }
    expect(await openRestore(db)).toMatchObject({ reason: 'declared' })
    await expect(restoreBackup(target, file('whole'))).rejects.toThrow('The database has tables: restore into an empty')
  })

  test('is restored with keys that are older than other indexes, and a migration makes them the newest, by which rows are found', async () => {
    const older = () =>
      query(
        'ordered',
        `select c.relname from pg_index k join pg_class c on c.oid = k.indrelid
          where k.indisprimary and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
            and pg_get_indexdef(k.indexrelid) ~ '[(]organisation_id, environment, '
            and exists (select from pg_index i where i.indrelid = c.oid and not i.indisunique and i.indexrelid > k.indexrelid)`,
      )
    await backUp(url('source'), file('ordered'))
    const target = await empty('ordered')
    await restoreBackup(target, file('ordered'))
    expect((await older()).length).toBeGreaterThan(10)
    await migrate(target, target, everyDomain, createLog('fatal'))
    expect(await older()).toEqual([])
  })

  test('is read by nobody but its owner, also while it is written', async () => {
    const modes = new Set<number>()
    const seen = (name: string) => {
      const found = statSync(file(name), { throwIfNoEntry: false })
      if (found) modes.add(found.mode & 0o777)
      return found
    }
    const done = backUp(url('source'), file('private')).then(() => true)
    for (let ended = false; !ended; ended = await Promise.race([done, sleep(5).then(() => false)])) seen('private.part')
    for (const name of ['private', 'private.json']) expect(seen(name)).toBeDefined()
    expect([...modes]).toEqual([0o600])
  })

  test('that was changed or is not complete is not restored', async () => {
    await backUp(url('source'), file('changed'))
    const target = await empty('changed')
    appendFileSync(file('changed'), 'x')
    await expect(restoreBackup(target, file('changed'))).rejects.toThrow(/changed: is not the file that was written/)
    rmSync(file('changed.json'))
    await expect(restoreBackup(target, file('changed'))).rejects.toThrow(/changed\.json: missing/)
    expect(await tables('changed')).toEqual([])
  })

  test('has its name only when it is complete, and a restore that is killed at any moment restores nothing', {
    timeout: 120_000,
  }, async () => {
    const target = await empty('killed')
    const command = (name: string, ...args: string[]) => {
      const env = {
        // biome-ignore lint/style/noProcessEnv: PostgreSQL's programs are found there
        PATH: process.env.PATH,
        ...compileCache,
        DATA_DIR: server.folder,
        SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
      }
      const child = spawn(process.execPath, [...program(name), ...args], {
        stdio: 'ignore',
        env: { ...env, DATABASE_URL: name === 'backup' ? url('source') : target },
      })
      return { child, ended: new Promise<number | null>((resolve) => child.once('exit', resolve)) }
    }
    const taken = command('backup', '--to', file('killed'))
    await expect.poll(() => existsSync(file('killed.part')), { timeout: 20_000, interval: 5 }).toBe(true)
    taken.child.kill('SIGKILL')
    await taken.ended
    expect(existsSync(file('killed'))).toBe(false)
    await backUp(url('source'), file('killed'))
    for (const delay of [0, 60, 180, 420, 900]) {
      const { child, ended } = command('restore', '--from', file('killed'))
      const begun = async () =>
        (
          await query(
            'postgres',
            "select 1 from pg_stat_activity where datname = 'killed' and application_name = 'psql'",
          )
        ).length > 0
      while (child.exitCode === null && !(await begun())) await sleep(5)
      await sleep(delay)
      child.kill('SIGKILL')
      await ended
      // psql ends with the input that it no longer gets.
      await expect.poll(begun, { timeout: 20_000 }).toBe(false)
      const rows = (await tables('killed')).length
      // Complete, then: with the note that keeps every process from serving it.
      if (rows === 0) continue
      expect(await query('killed', 'select 1 from restores where reconciled_at is null')).toHaveLength(1)
      break
    }
  })
})
