import { lifecycle, type MigrationStep } from '@payments/kernel'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261121000400_webhooks',
    up: [
      `create table webhook_endpoints (
        id uuid primary key,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        url text not null,
        description text,
        events text[],
        status text not null check (status in ('enabled', 'disabled', 'revoked')),
        secret text not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        unique (organisation_id, environment, id)
      )`,
      `create table webhook_deliveries (
        id uuid primary key,
        organisation_id uuid not null,
        environment text not null,
        endpoint_id uuid not null,
        event_id uuid not null references events,
        event_type text not null,
        status text not null,
        attempts jsonb not null,
        next_attempt_at timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        foreign key (organisation_id, environment, endpoint_id) references webhook_endpoints (organisation_id, environment, id)
      )`,
      'create index webhook_deliveries_newest on webhook_deliveries (endpoint_id, created_at desc, id desc)',
      ...lifecycle('webhook_deliveries', 'pending', { pending: ['next_attempt_at'], delivered: [], failed: [] }, [
        'pending>delivered',
        'pending>failed',
      ]),
    ],
  },
]
