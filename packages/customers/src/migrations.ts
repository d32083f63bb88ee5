import { countRows, type MigrationStep } from '@payments/platform'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261129100200_customers',
    up: [
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
      `create table customers (
        id uuid not null,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        name text not null,
        email text not null,
        phone_number text,
        metadata jsonb not null,
        cngn_status text not null default 'not_enabled' check (cngn_status in ('not_enabled', 'pending', 'enabled', 'failed')),
        cngn_failure_reason text,
        anonymised_at timestamptz(3),
        parts jsonb not null,
        address text,
        country text,
        tax_id text,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (organisation_id, environment, id)
      )`,
      'create index customers_address on customers (lower(email))',
      'create unique index customers_email_key on customers (organisation_id, environment, lower(email))',
      'create index customers_id on customers (id)',
      'create index customers_newest on customers (organisation_id, environment, created_at desc, id desc)',
      `create index customers_words on customers using gin (
        to_tsvector('simple', regexp_replace(name || ' ' || email || ' ' || coalesce(phone_number, ''),
          '[\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e]', ' ', 'g')))`,
      `create trigger customers_columns_of_part before update of parts on customers
        for each row execute function customer_columns_of_part()`,
      `create trigger customers_part_inserted before insert on customers
        for each row when (new.parts is null) execute function customer_part_of_columns()`,
      `create trigger customers_part_of_columns before update of cngn_status, cngn_failure_reason on customers
        for each row execute function customer_part_of_columns()`,
      ...countRows('customers').up,
    ],
  },
]
