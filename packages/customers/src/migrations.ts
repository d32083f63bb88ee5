import { countRows, indexConcurrently, type MigrationStep } from '@payments/platform'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261129100200_customers',
    up: [
      `create table customers (
        id uuid not null,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        name text not null,
        email text not null,
        phone_number text,
        metadata jsonb not null,
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
      ...countRows('customers').up,
    ],
  },
  {
    // Capitals and marks are folded by the database, the same on every server.
    name: '20261129120100_customer_words',
    concurrently: true,
    up: indexConcurrently(
      'customers_words',
      `customers using gin (
        to_tsvector('simple', regexp_replace(
          regexp_replace(normalize(lower((name || ' ' || email || ' ' || coalesce(phone_number, '')) collate "und-x-icu"), nfkd), '[\\u0300-\\u036f]', '', 'g'),
          '[\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e]', ' ', 'g')))`,
    ),
  },
]
