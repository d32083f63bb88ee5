import { countRows, type MigrationStep } from '@payments/platform'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261129100400_notifications',
    up: [
      `create table notifications (
        id uuid not null,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        type text not null,
        title text not null,
        body text not null,
        resource_type text not null,
        resource_id uuid not null,
        read_at timestamptz(3),
        email_due boolean not null default false,
        created_at timestamptz(3) not null,
        primary key (organisation_id, environment, id)
      )`,
      'create index notifications_email_due on notifications (id) where email_due',
      'create index notifications_id on notifications (id)',
      'create index notifications_newest on notifications (organisation_id, environment, created_at desc, id desc)',
      ...countRows('notifications', { scopes: ['type'] }).up,

      // Each user reads for himself; read_at of a notification stays the organisation's own state, which API keys mark.
      `create table notification_reads (
        notification_id uuid not null,
        user_id uuid not null references users,
        read_at timestamptz(3) not null,
        organisation_id uuid not null,
        environment text not null,
        primary key (organisation_id, environment, notification_id, user_id),
        foreign key (organisation_id, environment, notification_id) references notifications (organisation_id, environment, id) on delete cascade
      )`,

      `create table notification_preferences (
        organisation_id uuid not null,
        user_id uuid not null,
        type text not null,
        in_app boolean,
        email boolean,
        primary key (organisation_id, user_id, type),
        foreign key (organisation_id, user_id) references memberships (organisation_id, user_id) on delete cascade
      )`,
      'create index notification_preferences_of_type on notification_preferences (organisation_id, type) where email is not null',
    ],
  },
]
