import type { MigrationStep } from '@payments/platform'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261121000200_customers',
    up: [
      `create table customers (
        id uuid not null primary key,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        name text not null,
        email text not null,
        phone_number text,
        metadata jsonb not null,
        cngn_status text not null check (cngn_status in ('not_enabled', 'pending', 'enabled', 'failed')),
        cngn_failure_reason text,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        unique (organisation_id, environment, id)
      )`,
      'create unique index customers_email_key on customers (organisation_id, environment, lower(email))',
      'create index customers_newest on customers (organisation_id, environment, created_at desc, id desc)',
    ],
  },
  {
    // Metadata values are text (the API contract); earlier versions accepted numbers, booleans and null as well.
    name: '20261121172000_customer_metadata_text',
    up: [
      `update customers set metadata = coalesce((select jsonb_object_agg(key, value #>> '{}') from jsonb_each(metadata)
         where value <> 'null'), '{}')
        where exists (select from jsonb_each(metadata) where jsonb_typeof(value) <> 'string')`,
    ],
  },
  {
    name: '20261121174600_customers_anonymised',
    up: ['alter table customers add column anonymised_at timestamptz(3)'],
  },
  {
    // How operators find objects, and what needs them.
    name: '20261122001000_customers_search',
    up: ['create index customers_address on customers (lower(email))'],
  },
]
