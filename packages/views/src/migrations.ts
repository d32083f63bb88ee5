import type { MigrationStep } from '@payments/platform'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261129101100_views',
    up: [
      `create table saved_views (
        id uuid not null,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        user_id uuid not null references users,
        shared boolean not null,
        name text not null,
        resource text not null check (resource = 'transactions'),
        filter jsonb not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (organisation_id, environment, id)
      )`,
      'create index saved_views_of_organisation on saved_views (organisation_id, environment, name)',
    ],
  },
]
