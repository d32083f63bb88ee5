import { countRows, foreignKeyConcurrently, keyByTenant, type MigrationStep } from '@payments/platform'

/** Gives the reads of before the tenant of their notifications, in batches by the key that they had: each commits, so that no request waits for long. */
const nameTenants = `do $$
  declare
    last uuid := '00000000-0000-0000-0000-000000000000';
    next uuid;
  begin
    loop
      select notification_id into next from (
        select notification_id from notification_reads where notification_id > last order by notification_id limit 2000) batch
       order by notification_id desc limit 1;
      exit when next is null;
      update notification_reads r set (organisation_id, environment) =
             (select n.organisation_id, n.environment from notifications n where n.id = r.notification_id)
       where r.notification_id > last and r.notification_id <= next and r.organisation_id is null;
      commit;
      last := next;
    end loop;
  end $$`

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
  // The indexes first, for the foreign key of the reads; the keys are exchanged when nothing refers to the id alone any more.
  ...keyByTenant('notifications', '2026112719000').slice(0, 1),
  {
    name: '20261127190100_notification_read_tenants',
    up: [
      'alter table notification_reads add column organisation_id uuid, add column environment text',
      // A process of the release before leaves them out.
      `create function take_notification_tenant() returns trigger language plpgsql as $$
        begin
          select organisation_id, environment into new.organisation_id, new.environment from notifications where id = new.notification_id;
          return new;
        end $$`,
      `create trigger notification_reads_tenant before insert on notification_reads for each row
         when (new.organisation_id is null) execute function take_notification_tenant()`,
    ],
  },
  {
    name: '20261127190200_notification_reads_within_tenants',
    concurrently: true,
    up: [
      nameTenants,
      // Validated under a lock for which no write waits; with it, the columns become `not null` without reading the rows again.
      'alter table notification_reads drop constraint if exists notification_reads_tenant_known',
      `alter table notification_reads add constraint notification_reads_tenant_known
         check (organisation_id is not null and environment is not null) not valid`,
      'alter table notification_reads validate constraint notification_reads_tenant_known',
      'alter table notification_reads alter column organisation_id set not null, alter column environment set not null',
      'alter table notification_reads drop constraint notification_reads_tenant_known',
      ...foreignKeyConcurrently(
        'notification_reads',
        'notification_reads_organisation_id_environment_notificatio_fkey',
        '(organisation_id, environment, notification_id) references notifications (organisation_id, environment, id) on delete cascade',
      ),
      'alter table notification_reads drop constraint if exists notification_reads_notification_id_fkey',
    ],
  },
  ...keyByTenant('notifications', '2026112719030').slice(1),
  ...keyByTenant('notification_reads', '2026112719040', { columns: ['notification_id', 'user_id'], stays: 'unique' }),
  {
    // The release before writes the tenant of a read itself.
    name: '20261127230300_former_key_of_notification_reads',
    concurrently: true,
    up: [
      'drop index concurrently if exists notification_reads_notification_id_user_id',
      'drop trigger if exists notification_reads_tenant on notification_reads',
      'drop function if exists take_notification_tenant()',
    ],
  },
]
