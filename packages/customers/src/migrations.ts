import { countRows, indexConcurrently, keyByTenant, type MigrationStep } from '@payments/platform'
import { searchedWords } from './entity.ts'

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
  {
    // What other domains keep with a customer. Processes of the release before write the columns, and read them: triggers keep both equal.
    name: '20261123210000_customer_parts',
    up: [
      `alter table customers add column parts jsonb not null default '{"cngn": {"status": "not_enabled", "failureReason": null}}'`,
      "alter table customers alter column parts drop default, alter column cngn_status set default 'not_enabled'",
      `create function customer_part_of_columns() returns trigger language plpgsql as '
         begin
           new.parts := coalesce(new.parts, ''{}'') || jsonb_build_object(''cngn'',
             jsonb_build_object(''status'', new.cngn_status, ''failureReason'', new.cngn_failure_reason));
           return new;
         end'`,
      `create function customer_columns_of_part() returns trigger language plpgsql as '
         begin
           new.cngn_status := coalesce(new.parts #>> ''{cngn,status}'', ''not_enabled'');
           new.cngn_failure_reason := new.parts #>> ''{cngn,failureReason}'';
           return new;
         end'`,
      `create trigger customers_part_inserted before insert on customers for each row
         when (new.parts is null) execute function customer_part_of_columns()`,
      `create trigger customers_part_of_columns before update of cngn_status, cngn_failure_reason on customers for each row
         execute function customer_part_of_columns()`,
      `create trigger customers_columns_of_part before update of parts on customers for each row
         execute function customer_columns_of_part()`,
    ],
  },
  {
    // The trigger writes the part.
    name: '20261123210100_customer_parts_filled',
    up: ["update customers set cngn_status = cngn_status where cngn_status <> 'not_enabled'"],
  },
  {
    // What invoices say about a customer.
    name: '20261126030000_customer_billing',
    up: ['alter table customers add column address text, add column country text, add column tax_id text'],
  },
  {
    name: '20261126100100_customer_words',
    up: indexConcurrently('customers_words', `customers using gin (${searchedWords()})`),
    concurrently: true,
  },
  { name: '20261126100200_customer_counts', ...countRows('customers') },
  ...keyByTenant('customers', '2026112712000'),
]
