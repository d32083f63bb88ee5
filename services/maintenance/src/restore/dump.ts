import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { z } from 'zod'

/** What a backup says of itself, beside its file. */
const Manifest = z.object({
  takenAt: z.string(),
  serverVersion: z.number(),
  bytes: z.number(),
  sha256: z.string(),
  /** The number of rows of each table, of the same snapshot as the backup. */
  rows: z.record(z.string(), z.number()),
})
export type Manifest = z.infer<typeof Manifest>

const manifestOf = (file: string) => `${file}.json`

/**
 * Writes a consistent backup of a database that may be in use, with what it must contain: the counts are of the snapshot that pg_dump
 * reads. A file that is there is complete: it gets its name last.
 * @throws Error that names the program or the file
 */
export async function backUp(ownerUrl: string, file: string): Promise<Manifest> {
  const part = `${file}.part`
  return withClient(ownerUrl, async (client) => {
    await client.query('begin isolation level repeatable read read only')
    const { rows } = await client.query<{ snapshot: string; version: string; now: Date }>(
      "select pg_export_snapshot() as snapshot, current_setting('server_version_num') as version, now()",
    )
    const [taken] = rows
    if (!taken) throw new Error('PostgreSQL exported no snapshot')
    try {
      // pg_dump writes into the file that is there: nobody but its owner reads it, from the first byte on.
      await rm(part, { force: true })
      await write(part, '')
      await run(
        'pg_dump',
        ['--format=custom', '--no-owner', '--no-acl', `--snapshot=${taken.snapshot}`, '--file', part],
        {
          url: ownerUrl,
        },
      )
      // It can be read from its beginning to its end.
      await run('pg_restore', ['--file=/dev/null', part])
      const manifest: Manifest = {
        takenAt: taken.now.toISOString(),
        serverVersion: Number(taken.version),
        bytes: (await stat(part)).size,
        sha256: await digestOf(part),
        rows: await counts(client),
      }
      await write(manifestOf(file), JSON.stringify(manifest, null, 2))
      await flush(part)
      await rename(part, file)
      return manifest
    } finally {
      await rm(part, { force: true })
    }
  })
}

/**
 * Restores a backup into an empty database, in one transaction that also notes the restore: no process serves it before it is
 * reconciled. Then compares the number of rows of each table.
 * @throws Error that names the file or the database; nothing was restored, unless it says so
 */
export async function restoreBackup(ownerUrl: string, file: string): Promise<Manifest> {
  const manifest = await readManifest(file)
  await withClient(ownerUrl, async (client) => {
    const { rows } = await client.query("select 1 from pg_tables where schemaname in ('public', 'pgboss') limit 1")
    if (rows.length > 0) throw new Error('The database has tables: restore into an empty one')
  })
  // One transaction, which ends with these statements: a restore that is interrupted at any byte restores nothing.
  const noted =
    "insert into public.restores (id, reason, found_at) values (gen_random_uuid(), 'declared', now());\ncommit;\n"
  await run('psql', ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--file=-'], {
    url: ownerUrl,
    input: async (stdin) => {
      const dump = spawn('pg_restore', ['--no-owner', '--no-acl', '--file=-', file], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(dump, 'close')
      stdin.write('begin;\n')
      await pipeline(dump.stdout, stdin, { end: false })
      const [code] = (await ended) as [number | null]
      if (code !== 0) throw new Error(`${file}: pg_restore ended with ${code}`)
      stdin.end(noted)
    },
  })
  const found = await withClient(ownerUrl, counts)
  const wrong = Object.entries(manifest.rows).filter(
    ([table, count]) => found[table] !== count + (table === 'restores' ? 1 : 0),
  )
  if (wrong.length > 0)
    throw new Error(
      `It was restored, and is not what was backed up: the rows of ${wrong.map(([table]) => table).join(', ')} differ`,
    )
  return manifest
}

async function readManifest(file: string): Promise<Manifest> {
  const text = await readFile(manifestOf(file), 'utf8').catch(() => {
    throw new Error(`${manifestOf(file)}: missing, so nothing says whether the backup is complete`)
  })
  const manifest = Manifest.parse(JSON.parse(text))
  const digest = await digestOf(file).catch(() => {
    throw new Error(`${file}: cannot be read`)
  })
  if (digest !== manifest.sha256) throw new Error(`${file}: is not the file that was written: its SHA-256 differs`)
  return manifest
}

/** The number of rows of each table of the service. */
async function counts(client: Client): Promise<Record<string, number>> {
  const { rows: tables } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by tablename",
  )
  const found: Record<string, number> = {}
  for (const { name } of tables) {
    const { rows } = await client.query<{ n: string }>(
      `select count(*) as n from public.${client.escapeIdentifier(name)}`,
    )
    found[name] = Number(rows[0]?.n)
  }
  return found
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

async function write(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.chmod(0o600)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Runs one of PostgreSQL's client programs. The password goes by the environment, which other users cannot read. */
async function run(
  program: string,
  args: readonly string[],
  given: {
    readonly url?: string
    input?(stdin: NodeJS.WritableStream & { end(text: string): void }): Promise<void>
  } = {},
): Promise<void> {
  const child = spawn(program, args, {
    stdio: [given.input ? 'pipe' : 'ignore', 'ignore', 'pipe'],
    // biome-ignore lint/style/noProcessEnv: a program of the machine, which finds its own settings there
    env: { ...process.env, ...(given.url ? connection(given.url) : {}) },
  })
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk.toString('utf8')}`.slice(-2000)
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'ENOENT'
          ? new Error(
              `${program}: not found: install PostgreSQL's client programs, of the server's version or a later one`,
            )
          : error,
      ),
    )
    child.once('close', resolve)
  })
  // A program that has ended takes no more input: what it said is the error.
  const input =
    given.input && child.stdin
      ? given.input(child.stdin).catch((error: Error) => {
          child.kill('SIGKILL')
          return error
        })
      : undefined
  const code = await ended
  const failed = await input
  if (errors.trim() && code !== 0) throw new Error(`${program}: ${errors.trim()}`)
  if (failed) throw failed
  if (code !== 0) throw new Error(`${program}: ended with ${code}`)
}

/** The settings of libpq for a URL. */
function connection(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? hostname
  return {
    ...(host ? { PGHOST: decodeURIComponent(host) } : {}),
    ...(port ? { PGPORT: port } : {}),
    ...(username ? { PGUSER: decodeURIComponent(username) } : {}),
    ...(password ? { PGPASSWORD: decodeURIComponent(password) } : {}),
    ...(pathname.length > 1 ? { PGDATABASE: decodeURIComponent(pathname.slice(1)) } : {}),
    ...(searchParams.get('sslmode') ? { PGSSLMODE: searchParams.get('sslmode') ?? '' } : {}),
    ...(searchParams.get('sslrootcert') ? { PGSSLROOTCERT: searchParams.get('sslrootcert') ?? '' } : {}),
  }
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, application_name: 'payments-backup' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
