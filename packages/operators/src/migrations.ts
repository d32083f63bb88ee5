import type { MigrationStep } from '@payments/platform'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261129100600_operators',
    up: [
      `create table operator_approvals (
        id uuid primary key,
        status text not null check (status in ('pending', 'approved', 'declined')),
        command text not null,
        input jsonb not null,
        effects jsonb not null,
        reason text not null,
        requested_by uuid not null,
        requested_by_email text,
        decided_by uuid,
        decided_by_email text,
        expires_at timestamptz(3) not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null
      )`,
      'create index operator_approvals_newest on operator_approvals (created_at desc, id desc)',

      `create table operator_resolutions (
        kind text not null,
        resource_id uuid not null,
        since timestamptz(3) not null,
        primary key (kind, resource_id)
      )`,
    ],
  },
]
