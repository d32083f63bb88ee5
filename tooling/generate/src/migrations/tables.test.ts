import { randomBytes } from 'node:crypto'
import { defineEntity, p } from '@mikro-orm/postgresql'
import { everyDomain } from '@payments/api'
import { ensureDatabase } from '@payments/embedded-postgres'
import {
  createLog,
  type Domain,
  domain,
  foreignKeys,
  index,
  instant,
  keyedByTenant,
  migrate,
  minorUnits,
  ofOrganisation,
  tenant,
  times,
  uniqueIndex,
  withinTenant,
} from '@payments/platform'
import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '#testing'
import { appendStep, nextStamp } from './append.ts'
import { compareCatalogues, connected, describeDifference, readCatalogue } from './catalogue.ts'
import { findChanges } from './changes.ts'
import { createDeclared } from './declared.ts'

let migrated: TestDatabase
let declared: string

beforeAll(async () => {
  migrated = await freshDatabase()
  declared = await declare(everyDomain)
})
afterAll(async () => {
  await drop(declared)
  await migrated.drop()
})

test('every table is what its entity describes', { timeout: 60_000 }, async () => {
  const lines = await connected(migrated.ownerUrl, differences)
  expect(lines, 'Change the entity, or write the migration: npm run migration -- <name>').toEqual([])
  expect(await findChanges({ declared, migrated: migrated.ownerUrl }, everyDomain)).toEqual([])
})

/** What is done to the migrated database, and what the gate says of it. */
const planted: Record<string, { sql: string; line: string }> = {
  'a column that the entity does not have': {
    sql: 'alter table customers add column nickname text',
    line: 'column nickname of customers: the entities declare none, the migrations make text null',
  },
  'a column that the table does not have': {
    sql: 'alter table customers drop column tax_id',
    line: 'column tax_id of customers: the entities declare text null, the migrations make none',
  },
  'another type': {
    sql: 'alter table customers alter column created_at type timestamptz',
    line: 'column created_at of customers: the entities declare timestamp(3) with time zone not null, the migrations make timestamp with time zone not null',
  },
  'another nullability': {
    sql: 'alter table customers alter column name drop not null',
    line: 'column name of customers: the entities declare text not null, the migrations make text null',
  },
  'another default': {
    sql: 'alter table ledger_accounts alter column balance drop default',
    line: 'column balance of ledger_accounts: the entities declare numeric(78,0) not null default 0, the migrations make numeric(78,0) not null',
  },
  'a lost check': {
    sql: 'alter table ledger_postings drop constraint ledger_postings_amount_check',
    line: 'constraint ledger_postings_amount_check of ledger_postings: the entities declare CHECK ((amount <> (0)::numeric)), the migrations make none',
  },
  'a state that the check does not know': {
    sql: `alter table payment_routes drop constraint payment_routes_status_known;
      alter table payment_routes add constraint payment_routes_status_known check (status in ('active', 'deleted'))`,
    line: "constraint payment_routes_status_known of payment_routes: the entities declare CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'deleted'::text]))), the migrations make CHECK ((status = ANY (ARRAY['active'::text, 'deleted'::text])))",
  },
  'a lost index': {
    sql: 'drop index transactions_newest',
    line: 'index transactions_newest of transactions: the entities declare CREATE INDEX transactions_newest ON public.transactions USING btree (organisation_id, environment, created_at DESC, id DESC), the migrations make none',
  },
  'another order of an index': {
    sql: `drop index api_keys_of_organisation;
      create index api_keys_of_organisation on api_keys (organisation_id, created_at)`,
    line: 'index api_keys_of_organisation of api_keys: the entities declare CREATE INDEX api_keys_of_organisation ON public.api_keys USING btree (organisation_id, created_at DESC), the migrations make CREATE INDEX api_keys_of_organisation ON public.api_keys USING btree (organisation_id, created_at)',
  },
  'another predicate of a partial index': {
    sql: `drop index payment_route_polls_due_soon;
      create index payment_route_polls_due_soon on payment_route_polls (provider, environment, next_poll_at) where poll_seconds <= 61`,
    line: 'index payment_route_polls_due_soon of payment_route_polls: the entities declare CREATE INDEX payment_route_polls_due_soon ON public.payment_route_polls USING btree (provider, environment, next_poll_at) WHERE (poll_seconds <= 60), the migrations make CREATE INDEX payment_route_polls_due_soon ON public.payment_route_polls USING btree (provider, environment, next_poll_at) WHERE (poll_seconds <= 61)',
  },
  'another expression of an index': {
    sql: `drop index customers_email_key;
      create unique index customers_email_key on customers (organisation_id, environment, upper(email))`,
    line: 'index customers_email_key of customers: the entities declare CREATE UNIQUE INDEX customers_email_key ON public.customers USING btree (organisation_id, environment, lower(email)), the migrations make CREATE UNIQUE INDEX customers_email_key ON public.customers USING btree (organisation_id, environment, upper(email))',
  },
  'a unique constraint for which nulls are distinct': {
    sql: `alter table ledger_accounts drop constraint ledger_accounts_natural_key;
      alter table ledger_accounts add constraint ledger_accounts_natural_key
        unique (organisation_id, environment, customer_id, asset, purpose, party)`,
    line: 'constraint ledger_accounts_natural_key of ledger_accounts: the entities declare UNIQUE NULLS NOT DISTINCT (organisation_id, environment, customer_id, asset, purpose, party), the migrations make UNIQUE (organisation_id, environment, customer_id, asset, purpose, party)',
  },
  'a lost foreign key': {
    sql: 'alter table sessions drop constraint sessions_organisation_id_user_id_fkey',
    line: 'constraint sessions_organisation_id_user_id_fkey of sessions: the entities declare FOREIGN KEY (organisation_id, user_id) REFERENCES memberships(organisation_id, user_id), the migrations make none',
  },
  'a primary key without the organisation': {
    sql: `alter table saved_views drop constraint saved_views_pkey;
      alter table saved_views add constraint saved_views_pkey primary key (id)`,
    line: 'constraint saved_views_pkey of saved_views: the entities declare PRIMARY KEY (organisation_id, environment, id), the migrations make PRIMARY KEY (id)',
  },
  'another rule for deletes': {
    sql: `alter table refresh_tokens drop constraint refresh_tokens_session_id_fkey;
      alter table refresh_tokens add constraint refresh_tokens_session_id_fkey
        foreign key (session_id) references sessions on delete restrict`,
    line: 'constraint refresh_tokens_session_id_fkey of refresh_tokens: the entities declare FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE, the migrations make FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE RESTRICT',
  },
}

test.each(Object.entries(planted))('the gate refuses %s', async (_name, { sql, line }) => {
  await connected(migrated.ownerUrl, async (client) => {
    await client.query(`begin; ${sql}`)
    expect(await differences(client)).toEqual([line])
    await client.query('rollback')
  })
})

test('the migration written from these differences repairs them', { timeout: 60_000 }, async () => {
  const database = await freshDatabase()
  try {
    await connected(database.ownerUrl, async (client) => {
      for (const { sql } of Object.values(planted)) await client.query(sql)
    })
    const changes = await findChanges({ declared, migrated: database.ownerUrl }, everyDomain)
    expect(changes.map((change) => change.domain)).toEqual(['accounts', 'customers', 'ledger', 'routes', 'views'])
    await migrate(database.ownerUrl, database.serviceUrl, withSteps(everyDomain, changes), createLog('warn'))
    expect(await connected(database.ownerUrl, differences)).toEqual([])
  } finally {
    await database.drop()
  }
})

test('a table that no entity describes and no migration creates is named', async () => {
  const database = await freshDatabase()
  try {
    await connected(database.ownerUrl, async (client) => {
      await client.query('create table forgotten ()')
      expect(await differences(client)).toEqual([
        'table forgotten: the entities declare none, the migrations make table',
      ])
    })
    await expect(findChanges({ declared, migrated: database.ownerUrl }, everyDomain)).rejects.toThrow(
      'No domain describes or creates the table forgotten',
    )
  } finally {
    await database.drop()
  }
})

const samples = domain({
  name: 'samples',
  data: {
    entities: [
      defineEntity({
        name: 'Sample',
        tableName: 'samples',
        properties: {
          id: p.uuid().primary(),
          ...tenant(),
          customerId: p.uuid().nullable(),
          amount: minorUnits().check('amount > 0'),
          labels: p.array().defaultRaw("'{}'"),
          details: p.json(),
          seq: p.bigint().generated('identity'),
          endsAt: instant().defaultRaw("'infinity'"),
          ...times(),
        },
        ...keyedByTenant,
        uniques: [
          {
            name: 'samples_customer_key',
            expression:
              'alter table samples add constraint samples_customer_key unique nulls not distinct (customer_id)',
          },
        ],
        indexes: [
          index('samples_open', ['organisationId', 'createdAt desc'], "ends_at = 'infinity'"),
          uniqueIndex('samples_details_key', "samples ((details ->> 'name'))"),
        ],
        ...foreignKeys(ofOrganisation, withinTenant('customer_id', 'customers')),
      }),
    ],
  },
})

test('the migration of a new entity makes its table', { timeout: 60_000 }, async () => {
  const domains = [...everyDomain, samples]
  const withSamples = await declare(domains)
  const database = await freshDatabase()
  try {
    const changes = await findChanges({ declared: withSamples, migrated: database.ownerUrl }, domains)
    expect(changes.map((change) => change.domain)).toEqual(['samples'])
    await migrate(database.ownerUrl, database.serviceUrl, withSteps(domains, changes), createLog('warn'))
    expect(await connected(database.ownerUrl, (client) => differences(client, withSamples))).toEqual([])
  } finally {
    await database.drop()
    await drop(withSamples)
  }
})

test('a step is appended behind the others, which stay as they are, and is later than every other', () => {
  const before = "export const migrations = [\n  {\n    name: '20260101000000_first',\n    up: ['select 1'],\n  },\n]\n"
  const after = appendStep(before, '20260102000000_second', [
    `alter table "a" add column "b" text`,
    `alter table "a" alter column "b" set default 'x'`,
    String.raw`create table "c" ("d" text not null default 'e, f', "g" numeric(78,0) null check ("d" ~ '\d'))`,
  ])
  expect(after).toBe(`export const migrations = [
  {
    name: '20260101000000_first',
    up: ['select 1'],
  },
  {
    name: '20260102000000_second',
    up: [
      'alter table "a" add column "b" text',
      \`alter table "a" alter column "b" set default 'x'\`,
      \`create table "c" (
        "d" text not null default 'e, f',
        "g" numeric(78,0) null check ("d" ~ '\\\\d')
      )\`,
    ],
  },
]
`)
  const first =
    "export const migrations = [\n  {\n    name: '20260101000000_first',\n    up: [\n      'select 1',\n    ],\n  },\n]\n"
  expect(appendStep('export const migrations = []\n', '20260101000000_first', ['select 1'])).toBe(first)
  const now = new Date('2026-01-01T12:00:00Z')
  expect(nextStamp(['20250101000000_a'], now)).toBe(20260101120000n)
  expect(nextStamp(['20250101000000_a', '20270101000000_b'], now)).toBe(20270101000001n)
})

/** What the gate says of the database that the client is connected to. */
async function differences(client: Client, url = declared): Promise<string[]> {
  return compareCatalogues(await connected(url, readCatalogue), await readCatalogue(client)).map(describeDifference)
}

/** The domains, with what was found as the last steps of their migrations. */
const withSteps = (domains: readonly Domain[], changes: Awaited<ReturnType<typeof findChanges>>): Domain[] =>
  domains.map((each) => {
    const found = changes.find((change) => change.domain === each.name)
    const step = found && { name: '29991231235959_test', up: found.statements }
    return { ...each, data: { ...each.data, migrations: [...(each.data?.migrations ?? []), ...(step ? [step] : [])] } }
  })

/** A database of the server with the tables of these domains' entities; its URL. */
async function declare(domains: readonly Domain[]): Promise<string> {
  const name = `d_${randomBytes(6).toString('hex')}`
  await ensureDatabase(onServer('postgres'), name)
  await createDeclared(onServer(name), migrated.ownerUrl, domains)
  return onServer(name)
}

function onServer(database: string): string {
  const url = new URL(migrated.ownerUrl)
  url.pathname = `/${database}`
  return url.href
}

const drop = (url: string) =>
  connected(onServer('postgres'), (client) =>
    client.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`),
  )
