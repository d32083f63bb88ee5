/**
 * Writes the migration from the difference between the entities and the database that the migrations make:
 * `npm run migration -- <name>`. One step for each domain whose tables changed, at the end of its `migrations.ts`.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { everyDomain } from '@payments/api'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import { createLog, migrate } from '@payments/platform'
import { appendStep, nextStamp } from './append.ts'
import { type DomainChanges, findChanges } from './changes.ts'
import { createDeclared } from './declared.ts'

const [name = ''] = process.argv.slice(2)
if (!/^[a-z][a-z0-9_]*$/.test(name)) {
  process.stderr.write('Usage: npm run migration -- <name>, in lower case with underscores: add_customer_notes\n')
  process.exit(2)
}

try {
  const changes = await currentChanges()
  if (changes.length === 0) process.stdout.write('The migrations make what the entities declare: nothing to write\n')
  else write(changes)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}

async function currentChanges(): Promise<DomainChanges[]> {
  const server = await startEmbedded(mkdtempSync(join(tmpdir(), 'payments-migration-')), {
    settings: ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'],
  })
  try {
    for (const database of ['migrated', 'declared']) await ensureDatabase(server.ownerUrl(), database)
    const urls = { migrated: server.ownerUrl('migrated'), declared: server.ownerUrl('declared') }
    await migrate(urls.migrated, server.serviceUrl('migrated'), everyDomain, createLog('warn'))
    await createDeclared(urls.declared, urls.migrated, everyDomain)
    return await findChanges(urls, everyDomain)
  } finally {
    await server.destroy()
  }
}

function write(changes: readonly DomainChanges[]): void {
  const stamp = nextStamp(everyDomain.flatMap(({ data }) => (data?.migrations ?? []).map((step) => step.name)))
  const files = changes.map(({ domain, statements }, position) => {
    const file = join('packages', domain, 'src/migrations.ts')
    const step = `${stamp + BigInt(position)}_${name}`
    writeFileSync(file, appendStep(readFileSync(file, 'utf8'), step, statements))
    process.stdout.write(`${file}: ${step}\n${statements.map((statement) => `  ${statement}\n`).join('')}`)
    return file
  })
  spawnSync('node_modules/.bin/biome', ['format', '--write', ...files])
  process.stdout.write('Read it before you commit: what existing rows need (values for new columns) is not in it\n')
}
