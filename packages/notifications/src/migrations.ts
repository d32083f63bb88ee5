import { countRows, type MigrationStep } from '@payments/platform'

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
  {
    name: '20261122000100_notification_readers',
    up: [
      // Each user reads for himself; read_at of a notification stays the organisation's own state, which API keys mark.
      `create table notification_reads (
        notification_id uuid not null references notifications on delete cascade,
        user_id uuid not null references users,
        read_at timestamptz(3) not null,
        primary key (notification_id, user_id)
      )`,
      `create table notification_preferences (
        organisation_id uuid not null,
        user_id uuid not null,
        type text not null,
        in_app boolean,
        email boolean,
        primary key (organisation_id, user_id, type),
        foreign key (organisation_id, user_id) references memberships on delete cascade
      )`,
      'create index notification_preferences_of_type on notification_preferences (organisation_id, type) where email is not null',
      'alter table notifications add column email_due boolean not null default false',
      'create index notifications_email_due on notifications (id) where email_due',
    ],
  },
  {
    name: '20261122090400_notification_counts',
    ...countRows('notifications', { scopes: ['type'] }),
  },
]
