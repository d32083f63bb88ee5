/** The files of a new domain: one resource with a table of states, five operations, events and a test. `plural` is its name. */
export function skeleton(plural: string, timestamp: string): Record<string, string> {
  const one = plural.endsWith('ies') ? `${plural.slice(0, -3)}y` : plural.replace(/s$/, '')
  const a = /^[aeiou]/.test(one) ? 'an' : 'a'
  const One = one[0]?.toUpperCase() + one.slice(1)
  const Plural = plural[0]?.toUpperCase() + plural.slice(1)
  const files: Record<string, string> = {
    'package.json': `${JSON.stringify(
      {
        name: `@payments/${plural}`,
        private: true,
        type: 'module',
        exports: { '.': './src/index.ts' },
        dependencies: { '@mikro-orm/core': 'catalog:', '@payments/kernel': 'workspace:*', zod: 'catalog:' },
        devDependencies: { vitest: 'catalog:' },
      },
      null,
      2,
    )}\n`,
    'turbo.json': `${JSON.stringify({ extends: ['//'], tags: ['domain'] }, null, 2)}\n`,
    'src/errors.ts': `import { defineErrors } from '@payments/kernel'

export const errors = defineErrors({
  ${one}_not_found: { status: 404, description: '${One} not found' },
  ${one}_closed: { status: 409, description: '${One} already closed' },
})
`,
    'src/states.ts': `import { machine } from '@payments/kernel'

export const ${one}Machine = machine('${one}', 'open', {
  open: { description: 'In use', moves: { close: 'closed' } },
  closed: { description: 'Closed for good' },
})
`,
    'src/schemas.ts': `import { z } from 'zod'
import { ${one}Machine } from './states.ts'

export const New${One} = z.strictObject({ name: z.string().trim().min(1).max(120).meta({ example: 'First' }) })

export const ${One}Id = z.strictObject({ ${one}Id: z.string() })

export const ${One} = z
  .object({
    id: z.uuid(),
    name: z.string(),
    status: ${one}Machine.Status,
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: '${One}' })

export const ${One}List = z.object({ ${plural}: z.array(${One}), total: z.number().int() })
`,
    'src/entity.ts': `import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import {
  foreignKeys,
  machineChecks,
  newestFirst,
  ofOrganisation,
  resource,
  tenant,
  tenantFilter,
  tenantKey,
  times,
} from '@payments/platform'
import type { z } from 'zod'
import type { ${One} } from './schemas.ts'
import { ${one}Machine } from './states.ts'

export const ${One}Entity = defineEntity({
  name: '${One}',
  tableName: '${plural}',
  filters: tenantFilter,
  properties: { id: p.uuid().primary(), ...tenant(), name: p.text(), status: p.text(), ...times() },
  checks: machineChecks('${plural}', ${one}Machine),
  uniques: [tenantKey],
  indexes: [newestFirst('${plural}')],
  ...foreignKeys(ofOrganisation),
})

export type ${One}Row = InferEntity<typeof ${One}Entity>

/** A row as its GET shows it. */
export const present = (row: ${One}Row): z.infer<typeof ${One}> => ({
  id: row.id,
  name: row.name,
  status: row.status as z.infer<typeof ${One}>['status'],
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

export const ${one}Resource = resource({
  machine: ${one}Machine,
  entity: ${One}Entity,
  table: '${plural}',
  events: { created: '${one}.created', updated: '${one}.updated' },
  present,
})
`,
    'src/events.ts': `import type { EventType } from '@payments/platform'
import { z } from 'zod'
import { ${One} } from './schemas.ts'

export const events = {
  '${one}.created': { description: '${One} created', data: ${One}.extend({ previousStatus: z.null() }) },
  '${one}.updated': { description: 'The status of ${a} ${one} changed', data: ${One}.extend({ previousStatus: z.string() }) },
} satisfies Record<string, EventType>
`,
    'src/migrations.ts': `import { lifecycle } from '@payments/platform'
import { type MigrationStep } from '@payments/platform'

export const migrations: readonly MigrationStep[] = [
  {
    name: '${timestamp}_${plural}',
    up: [
      \`create table ${plural} (
        id uuid primary key,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        name text not null,
        status text not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        unique (organisation_id, environment, id)
      )\`,
      'create index ${plural}_newest on ${plural} (organisation_id, environment, created_at desc, id desc)',
      ...lifecycle('${plural}', 'open', { open: [], closed: [] }, ['open>closed']),
    ],
  },
]
`,
    'src/service.ts': `import { isId, newId } from '@payments/kernel'
import { move, open, type QueryContext, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { ${One}Entity, type ${One}Row, ${one}Resource } from './entity.ts'
import { errors } from './errors.ts'
import type { New${One} } from './schemas.ts'

export const create = (unit: UnitOfWork, input: z.output<typeof New${One}>): Promise<${One}Row> =>
  open(unit, ${one}Resource, {
    id: newId(),
    organisationId: unit.actor.organisationId,
    environment: unit.actor.environment,
    name: input.name,
  })

/** The newest 200, and the exact number of all. */
export async function list(context: QueryContext): Promise<{ rows: ${One}Row[]; total: number }> {
  const [rows, total] = await context.em.findAndCount(
    ${One}Entity,
    {},
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit: 200, disableIdentityMap: true },
  )
  return { rows, total }
}

/** @throws ServiceError 404 when there is none with this id here. */
export async function find(context: QueryContext, id: string): Promise<${One}Row> {
  const row = isId(id) ? await context.em.findOne(${One}Entity, { id }) : null
  if (!row) throw no.${one}_not_found()
  return row
}

/** @throws ServiceError 404 when there is none, 409 when it is closed already. */
export async function close(unit: UnitOfWork, id: string): Promise<${One}Row> {
  const { row, outcome } = await move(unit, ${one}Resource, id, 'close', no.${one}_not_found)
  if (outcome === 'ignored') throw no.${one}_closed()
  return row
}
`,
    'src/router.ts': `import { command, query } from '@payments/platform'
import { z } from 'zod'
import { present } from './entity.ts'
import { errors } from './errors.ts'
import { New${One}, ${One}, ${One}Id, ${One}List } from './schemas.ts'
import { close, create, find, list } from './service.ts'

const tag = '${Plural}'

export const ${plural}Router = {
  list: query({
    rest: 'GET /${plural}',
    access: 'read',
    tag,
    summary: 'List ${plural}',
    message: '${Plural} retrieved',
    input: z.strictObject({}),
    output: ${One}List,
    async run(context) {
      const { rows, total } = await list(context)
      return { ${plural}: rows.map(present), total }
    },
  }),
  create: command({
    rest: 'POST /${plural}',
    access: 'write',
    tag,
    summary: 'Create ${a} ${one}',
    message: '${One} created',
    status: 201,
    input: New${One},
    output: ${One},
    run: async (unit, input) => present(await create(unit, input)),
  }),
  get: query({
    rest: 'GET /${plural}/{${one}Id}',
    access: 'read',
    tag,
    summary: 'Get ${a} ${one}',
    message: '${One} retrieved',
    input: ${One}Id,
    output: ${One},
    errors: [no.${one}_not_found],
    run: async (context, { ${one}Id }) => present(await find(context, ${one}Id)),
  }),
  close: command({
    rest: 'DELETE /${plural}/{${one}Id}',
    access: 'write',
    tag,
    summary: 'Close ${a} ${one}',
    message: '${One} closed',
    input: ${One}Id,
    output: ${One},
    errors: [no.${one}_not_found, no.${one}_closed],
    run: async (unit, { ${one}Id }) => present(await close(unit, ${one}Id)),
  }),
}
`,
    'src/index.ts': `/** What ${plural} are for, in one sentence. */
import { domain } from '@payments/platform'
import { ${One}Entity, ${one}Resource } from './entity.ts'
import { events } from './events.ts'
import { migrations } from './migrations.ts'
import { ${plural}Router } from './router.ts'

export const ${plural} = domain({
  name: '${plural}',
  router: { ${plural}: ${plural}Router },
  entities: [${One}Entity],
  resources: [${one}Resource],
  migrations,
  events,
})
`,
    [`src/${plural}.test.ts`]: `import { expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'

const service = useService()

test('${a} ${one} is closed once', async () => {
  const merchant = await newMerchant(service)
  const { body } = await merchant.call('POST /v1/${plural}', { body: { name: 'First' } })
  const closed = await merchant.call(\`DELETE /v1/${plural}/\${body.data.id}\`)
  const again = await merchant.call(\`DELETE /v1/${plural}/\${body.data.id}\`)
  expect([closed.body.data.status, again.status, again.body.message]).toEqual(['closed', 409, '${One} already closed'])
})
`,
  }
  return files
}
