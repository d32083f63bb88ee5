import type { MigrationStep } from '@payments/platform'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261121000350_notifications',
    up: [
      `create table notifications (
        id uuid primary key,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        type text not null,
        title text not null,
        body text not null,
        resource_type text not null,
        resource_id uuid not null,
        read_at timestamptz(3),
        created_at timestamptz(3) not null
      )`,
      'create index notifications_newest on notifications (organisation_id, environment, created_at desc, id desc)',
    ],
  },
]
