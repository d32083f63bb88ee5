import {
  countRows,
  foreignKeyConcurrently,
  indexConcurrently,
  keyByTenant,
  lifecycle,
  type MigrationStep,
} from '@payments/platform'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261121000400_webhooks',
    up: [
      `create table events (
        id uuid primary key,
        organisation_id uuid not null,
        environment text not null check (environment in ('test', 'live')),
        type text not null,
        resource_id uuid not null,
        payload json not null,
        created_at timestamptz(3) not null,
        drained_at timestamptz(3)
      )`,
      'create index events_undrained on events (id) where drained_at is null',
      'create index events_by_time on events (organisation_id, environment, created_at)',

      `create table webhook_endpoints (
        id uuid primary key,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        url text not null,
        description text,
        events text[],
        status text not null,
        secret text not null,
        previous_secret text,
        previous_secret_until timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        unique (organisation_id, environment, id)
      )`,
      'create index webhook_endpoints_newest on webhook_endpoints (organisation_id, environment, created_at desc, id desc)',
      ...lifecycle('webhook_endpoints', 'enabled', { enabled: [], disabled: [], revoked: [] }, [
        'disabled>enabled',
        'disabled>revoked',
        'enabled>disabled',
        'enabled>revoked',
      ]),

      // One row per endpoint, in its own table: workers' writes and merchants' changes never wait for each other.
      // due_at is when a worker should next claim deliveries of the endpoint.
      `create table webhook_queues (
        endpoint_id uuid primary key references webhook_endpoints,
        due_at timestamptz not null default 'infinity',
        served_at timestamptz not null default '-infinity',
        slots smallint not null check (slots > 0),
        failing_since timestamptz,
        notices smallint not null default 0
      ) with (fillfactor = 50)`,
      'create index webhook_queues_due on webhook_queues (due_at)',

      // due_at is next_attempt_at, or the end of the lease while the row is claimed; merchants see next_attempt_at.
      `create table webhook_deliveries (
        id uuid primary key,
        organisation_id uuid not null,
        environment text not null,
        endpoint_id uuid not null,
        event_id uuid not null references events,
        event_type text not null,
        status text not null,
        attempts jsonb not null default '[]',
        next_attempt_at timestamptz(3),
        due_at timestamptz,
        claim uuid,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        check (status <> 'pending' or due_at is not null),
        check (status = 'pending' or claim is null),
        foreign key (organisation_id, environment, endpoint_id) references webhook_endpoints (organisation_id, environment, id)
      ) with (fillfactor = 80)`,
      'create index webhook_deliveries_newest on webhook_deliveries (endpoint_id, created_at desc, id desc)',
      'create index webhook_deliveries_of_event on webhook_deliveries (event_id, endpoint_id)',
      "create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at, id) where status = 'pending'",
      'create index webhook_deliveries_claimed on webhook_deliveries (endpoint_id, due_at) where claim is not null',
      ...lifecycle('webhook_deliveries', 'pending', { pending: ['next_attempt_at'], delivered: [], failed: [] }, [
        'pending>delivered',
        'pending>failed',
      ]),
    ],
  },
  {
    name: '20261121172300_webhook_secrets_and_events',
    up: [
      "alter table webhook_endpoints add column previous_secrets jsonb not null default '[]'",
      `update webhook_endpoints set previous_secrets = jsonb_build_array(jsonb_build_object('secret', previous_secret,
         'until', to_char(previous_secret_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
        where previous_secret_until > now()`,
      'alter table webhook_endpoints drop column previous_secret, drop column previous_secret_until',
      // Test events are not among the events of an organisation.
      "create index events_listed on events (organisation_id, environment, created_at desc, id desc) where type <> 'webhook.test'",
      'drop index events_by_time',
    ],
  },
  {
    name: '20261121172600_webhook_fairness',
    up: [
      'alter table webhook_queues add column organisation_id uuid',
      'update webhook_queues q set organisation_id = w.organisation_id from webhook_endpoints w where w.id = q.endpoint_id',
      'alter table webhook_queues alter column organisation_id set not null',
      'alter table events add column set_aside_reason text',
      'create index events_set_aside on events (id) where set_aside_reason is not null',
    ],
  },
  {
    name: '20261122000300_events_of_resource',
    up: ['create index events_of_resource on events (resource_id, created_at desc)'],
  },
  {
    name: '20261122090300_event_counts',
    ...countRows('events', { where: "type <> 'webhook.test'" }),
  },
  {
    name: '20261122090310_delivery_counts',
    ...countRows('webhook_deliveries', { scopes: ['endpoint_id::text'] }),
  },
  {
    name: '20261122203000_webhook_changes',
    up: [
      // Without a foreign key: writing a row waits for no other row.
      `create table webhook_changes (
        id uuid primary key,
        endpoint_id uuid not null,
        environment text not null,
        kind text not null,
        seconds integer not null default 0,
        reason text,
        turn integer not null default 0,
        after_due_at timestamptz,
        after_id uuid,
        created_at timestamptz(3) not null
      )`,
      'create index webhook_changes_of_endpoint on webhook_changes (endpoint_id, id)',
      // An endpoint that exists has answered and is proven: its receiver keeps what it has.
      'alter table webhook_queues add column answered_at timestamptz default now(), add column proven_at timestamptz default now()',
      'alter table webhook_queues alter column answered_at drop default, alter column proven_at drop default',
      `alter table webhook_queues add column paced_until timestamptz not null default '-infinity',
        add column recovering_until timestamptz not null default '-infinity'`,
      'create table webhook_recoveries (organisation_id uuid not null, environment text not null, day date not null, deliveries integer not null, primary key (organisation_id, environment, day))',
    ],
  },
  {
    name: '20261122203010_events_waiting',
    concurrently: true,
    up: indexConcurrently('events_waiting', 'events (environment, organisation_id, id) where drained_at is null'),
  },
  {
    name: '20261123083000_webhook_queue_environment',
    up: [
      'alter table webhook_queues add column environment text',
      // A process of the last release leaves it out.
      `create function take_endpoint_environment() returns trigger language plpgsql as $$
        begin
          select environment into new.environment from webhook_endpoints where id = new.endpoint_id;
          return new;
        end $$`,
      `create trigger webhook_queues_environment before insert on webhook_queues for each row
         when (new.environment is null) execute function take_endpoint_environment()`,
    ],
  },
  {
    // From here on, webhooks refer to rows of the same tenant only.
    name: '20261123083010_webhook_queue_tenants',
    concurrently: true,
    up: [
      `do $$ begin
        loop
          update webhook_queues q set environment = w.environment from webhook_endpoints w
           where w.id = q.endpoint_id and q.endpoint_id in (select endpoint_id from webhook_queues where environment is null limit 1000);
          exit when not found;
          commit;
        end loop;
      end $$`,
      // The scan is of one small row for each endpoint.
      'alter table webhook_queues alter column environment set not null',
      ...foreignKeyConcurrently(
        'webhook_queues',
        'webhook_queues_organisation_id_environment_endpoint_id_fkey',
        '(organisation_id, environment, endpoint_id) references webhook_endpoints (organisation_id, environment, id)',
      ),
      'alter table webhook_queues drop constraint if exists webhook_queues_endpoint_id_fkey',
    ],
  },
  {
    name: '20261123083020_events_tenant_key',
    concurrently: true,
    up: indexConcurrently('events_tenant_key', 'events (organisation_id, environment, id)', 'unique'),
  },
  {
    name: '20261123083030_delivery_tenants',
    concurrently: true,
    up: [
      ...foreignKeyConcurrently(
        'webhook_deliveries',
        'webhook_deliveries_organisation_id_environment_event_id_fkey',
        '(organisation_id, environment, event_id) references events (organisation_id, environment, id)',
      ),
      'alter table webhook_deliveries drop constraint if exists webhook_deliveries_event_id_fkey',
    ],
  },
  {
    name: '20261124040000_events_in_order',
    up: [
      'create sequence events_position',
      'alter table events add column position bigint',
      // A process of the last release, and an event that is set aside, leave it out.
      `create function take_event_position() returns trigger language plpgsql as $$
        begin
          perform pg_advisory_xact_lock(hashtextextended('events.position', 0));
          new.position = nextval('events_position') * 1000;
          return new;
        end $$`,
      `create trigger events_position before update of drained_at on events for each row
         when (old.drained_at is null and new.drained_at is not null and new.position is not distinct from old.position)
         execute function take_event_position()`,
      `create unlogged table event_streams (
        id uuid primary key,
        organisation_id uuid not null,
        environment text not null,
        expires_at timestamptz not null
      )`,
      'create index event_streams_of_tenant on event_streams (organisation_id, environment)',
    ],
  },
  {
    name: '20261124040010_events_in_order',
    concurrently: true,
    up: indexConcurrently(
      'events_in_order',
      'events (organisation_id, environment, position) where position is not null',
    ),
  },
  {
    name: '20261126141500_event_search',
    concurrently: true,
    up: indexConcurrently(
      'events_of_type',
      "events (organisation_id, environment, type, created_at desc, id desc) where type <> 'webhook.test'",
    ),
  },
  ...keyByTenant('webhook_endpoints', '2026112712170'),
  ...keyByTenant('events', '2026112720000', { indexed: true }),
  {
    // With statistics of an empty outbox the fan-out read all that waits by it, to sort it by tenant.
    name: '20261127230500_events_waiting_only',
    concurrently: true,
    up: ['drop index concurrently if exists events_undrained'],
  },
]
