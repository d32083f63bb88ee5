import type { MigrationStep } from '@payments/platform'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261129101000_branding',
    up: [
      `create table brandings (
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        fields jsonb not null,
        verification text not null,
        verified_domain text,
        verified_at timestamptz(3),
        recheck_at timestamptz(3),
        missed_at timestamptz(3),
        updated_at timestamptz(3) not null default now(),
        primary key (organisation_id, environment)
      )`,

      `create table brand_logos (
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        id text not null,
        type text not null check (type in ('image/png', 'image/jpeg')),
        image bytea not null check (length(image) <= 262144),
        created_at timestamptz(3) not null default now(),
        primary key (organisation_id, environment, id)
      )`,
      'create index brand_logos_id on brand_logos (id)',
    ],
  },
]
