import type { MigrationStep } from '@payments/kernel'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261121000300_ledger',
    up: [
      // One row a business object; it carries the object's own id.
      `create table transactions (
        id uuid primary key,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        kind text not null,
        customer_id uuid,
        status text not null,
        destination text not null,
        amount text not null,
        amount_usd text,
        receipt jsonb not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        foreign key (organisation_id, environment, customer_id) references customers (organisation_id, environment, id)
      )`,
      'create index transactions_newest on transactions (organisation_id, environment, created_at desc, id desc)',
      'create index transactions_of_customer on transactions (organisation_id, environment, customer_id, created_at desc, id desc) where customer_id is not null',
    ],
  },
]
