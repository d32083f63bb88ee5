import { countRows, lifecycle, type MigrationStep } from '@payments/platform'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261129100500_webhooks',
    up: [
      'create sequence events_position',
      // An event that is set aside leaves it out.
      `create function take_event_position() returns trigger language plpgsql as $$
        begin
          perform pg_advisory_xact_lock(hashtextextended('events.position', 0));
          new.position = nextval('events_position') * 1000;
          return new;
        end $$`,
      `create table events (
        id uuid not null,
        organisation_id uuid not null,
        environment text not null check (environment in ('test', 'live')),
        type text not null,
        resource_id uuid not null,
        payload json not null,
        drained_at timestamptz(3),
        set_aside_reason text,
        position bigint,
        created_at timestamptz(3) not null,
        primary key (organisation_id, environment, id)
      )`,
      'create index events_id on events (id)',
      'create index events_in_order on events (organisation_id, environment, position) where position is not null',
      // Test events are not among the events of an organisation.
      "create index events_listed on events (organisation_id, environment, created_at desc, id desc) where type <> 'webhook.test'",
      'create index events_of_resource on events (resource_id, created_at desc)',
      "create index events_of_type on events (organisation_id, environment, type, created_at desc, id desc) where type <> 'webhook.test'",
      'create index events_set_aside on events (id) where set_aside_reason is not null',
      'create index events_waiting on events (environment, organisation_id, id) where drained_at is null',
      `create trigger events_position before update of drained_at on events for each row
         when (old.drained_at is null and new.drained_at is not null and new.position is not distinct from old.position)
         execute function take_event_position()`,
      ...countRows('events', { where: "type <> 'webhook.test'" }).up,

      `create table webhook_endpoints (
        id uuid not null,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        url text not null,
        description text,
        events text[],
        status text not null,
        secret text not null,
        previous_secrets jsonb not null default '[]',
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (organisation_id, environment, id)
      )`,
      'create index webhook_endpoints_id on webhook_endpoints (id)',
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
        endpoint_id uuid primary key,
        due_at timestamptz not null default 'infinity',
        served_at timestamptz not null default '-infinity',
        slots smallint not null check (slots > 0),
        failing_since timestamptz,
        notices smallint not null default 0,
        organisation_id uuid not null,
        answered_at timestamptz,
        proven_at timestamptz,
        paced_until timestamptz not null default '-infinity',
        recovering_until timestamptz not null default '-infinity',
        environment text not null,
        foreign key (organisation_id, environment, endpoint_id) references webhook_endpoints (organisation_id, environment, id)
      ) with (fillfactor = 50)`,
      'create index webhook_queues_due on webhook_queues (due_at)',

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

      `create table webhook_recoveries (
        organisation_id uuid not null,
        environment text not null,
        day date not null,
        deliveries integer not null,
        primary key (organisation_id, environment, day)
      )`,

      `create unlogged table event_streams (
        id uuid primary key,
        organisation_id uuid not null,
        environment text not null,
        expires_at timestamptz not null
      )`,
      'create index event_streams_of_tenant on event_streams (organisation_id, environment)',

      // due_at is next_attempt_at, or the end of the lease while the row is claimed; merchants see next_attempt_at.
      `create table webhook_deliveries (
        id uuid primary key,
        organisation_id uuid not null,
        environment text not null,
        endpoint_id uuid not null,
        event_id uuid not null,
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
        foreign key (organisation_id, environment, endpoint_id) references webhook_endpoints (organisation_id, environment, id),
        foreign key (organisation_id, environment, event_id) references events (organisation_id, environment, id)
      ) with (fillfactor = 80)`,
      'create index webhook_deliveries_claimed on webhook_deliveries (endpoint_id, due_at) where claim is not null',
      "create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at, id) where status = 'pending'",
      'create index webhook_deliveries_newest on webhook_deliveries (endpoint_id, created_at desc, id desc)',
      'create index webhook_deliveries_of_event on webhook_deliveries (event_id, endpoint_id)',
      ...lifecycle('webhook_deliveries', 'pending', { pending: ['next_attempt_at'], delivered: [], failed: [] }, [
        'pending>delivered',
        'pending>failed',
      ]),
      ...countRows('webhook_deliveries', { scopes: ['endpoint_id::text'] }).up,
    ],
  },
  {
    // An event is written a second time when it is fanned out: where its page has room, the log has what changes and not its payload again.
    name: '20261129200400_events_written_in_place',
    up: ['alter table events set (fillfactor = 65)'],
  },
]
