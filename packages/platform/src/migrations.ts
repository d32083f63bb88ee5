import type { MigrationStep } from './domain/data.ts'
import { countRows } from './records/counts.ts'
import { dropPartitions, partitionByWeek } from './records/partitions/tables.ts'
import { countedRequests } from './records/request-log/entity.ts'

export const platformMigrations: readonly MigrationStep[] = [
  {
    name: '20261129100000_platform',
    up: [
      `create function guard_status() returns trigger language plpgsql as $$
        begin
          if not (old.status || '>' || new.status) = any (tg_argv) then
            raise exception '% % cannot go from % to %', tg_table_name, old.id, old.status, new.status using errcode = 'check_violation';
          end if;
          return new;
        end $$`,
      `create function refuse_status() returns trigger language plpgsql as $$
        begin
          raise exception '% starts in %, not in %', tg_table_name, tg_argv[0], new.status using errcode = 'check_violation';
        end $$`,

      `create table record_counts (
        organisation_id uuid not null,
        environment text not null,
        table_name text not null,
        scope text not null,
        slot integer not null,
        count bigint not null,
        primary key (organisation_id, environment, table_name, scope, slot)
      ) with (fillfactor = 50)`,

      // Without foreign keys: an entry stays as it was written, whatever becomes of the objects that it names.
      `create table audit_log (
        id uuid primary key,
        user_id uuid,
        email text,
        session_id uuid,
        requested_by uuid,
        operation text not null,
        summary text not null,
        reason text,
        organisation_id uuid,
        environment text,
        resource_id uuid,
        input jsonb not null,
        before jsonb,
        after jsonb,
        token_id uuid,
        created_at timestamptz(3) not null
      )`,
      'create index audit_log_newest on audit_log (created_at desc, id desc)',
      'create index audit_log_of_operation on audit_log (operation, created_at desc, id desc)',
      'create index audit_log_of_operator on audit_log (email, created_at desc, id desc)',
      'create index audit_log_of_organisation on audit_log (organisation_id, created_at desc, id desc)',
      'create index audit_log_of_resource on audit_log (resource_id, created_at desc) where resource_id is not null',
      ...countRows('audit_log', { scopes: ["''", 'organisation_id::text'], installation: true }).up,

      // The last rate of each pair, by which later ones are bounded; a market that moves is confirmed by several observations.
      `create table provider_prices (
        id uuid not null,
        environment text not null check (environment in ('test', 'live')),
        pair text not null,
        provider text not null,
        rate numeric,
        rated_at timestamptz,
        refused_rate numeric,
        refused_reason text,
        refused_at timestamptz,
        move_rate numeric,
        move_since timestamptz,
        move_at timestamptz,
        move_seen integer not null default 0,
        primary key (environment, pair)
      )`,
      'create index provider_prices_refused on provider_prices (id) where refused_at is not null',

      `create table provider_minutes (
        provider text not null,
        environment text not null,
        operation text not null,
        outcome text not null,
        minute timestamptz not null,
        calls integer not null,
        milliseconds bigint not null,
        primary key (provider, environment, operation, outcome, minute)
      )`,
      'create index provider_minutes_by_time on provider_minutes (minute)',

      // `error` is part of the key, so it is empty instead of null.
      `create table provider_calls (
        id uuid not null,
        organisation_id uuid not null,
        environment text not null,
        resource_id uuid not null,
        provider text not null,
        operation text not null,
        outcome text not null,
        error text not null,
        calls integer not null,
        first_at timestamptz(3) not null,
        last_at timestamptz(3) not null,
        primary key (organisation_id, environment, resource_id, provider, operation, outcome, error)
      )`,
      'create index provider_calls_by_time on provider_calls (last_at)',

      // Without foreign keys, as the calls of providers: the object is a row of any domain.
      `create table provider_reports (
        id uuid not null,
        organisation_id uuid not null,
        environment text not null,
        resource_type text not null,
        resource_id uuid not null,
        provider text not null,
        digest text not null,
        reason text,
        report jsonb not null,
        amounts jsonb not null,
        times integer not null,
        first_at timestamptz(3) not null,
        last_at timestamptz(3) not null,
        settled_at timestamptz(3),
        primary key (organisation_id, environment, resource_id, digest)
      )`,
      'create index provider_reports_contradicting on provider_reports (resource_id, first_at desc) where reason is not null and settled_at is null',

      `create table provider_budgets (
        provider text not null,
        bucket text not null,
        environment text not null,
        per_minute integer not null default 0,
        calls jsonb not null default '[]',
        paused_until timestamptz,
        tokens double precision,
        refilled_at timestamptz not null default now(),
        primary key (provider, bucket, environment)
      ) with (fillfactor = 50)`,

      // What operators decide for providers.
      `create table provider_controls (
        provider text not null,
        environment text not null check (environment in ('test', 'live')),
        state text not null check (state in ('active', 'draining', 'off')),
        priority integer,
        primary key (provider, environment)
      )`,

      // Without foreign keys, as the calls of providers: the object is a row of any domain.
      `create table provider_choices (
        resource_id uuid not null,
        organisation_id uuid not null,
        environment text not null,
        provider text not null,
        because text not null,
        asked jsonb not null,
        created_at timestamptz(3) not null,
        primary key (organisation_id, environment, resource_id)
      )`,
      'create index provider_choices_by_time on provider_choices (created_at)',

      // A row without a reply is a lease: a request holds the key until expires_at, and the fence names that request.
      `create table idempotency_keys (
        organisation_id uuid not null,
        environment text not null,
        method text not null,
        path text not null,
        key text not null,
        fence uuid not null,
        status smallint,
        reply text,
        encrypted boolean not null default false,
        expires_at timestamptz not null,
        resource_id uuid,
        primary key (organisation_id, environment, method, path, key)
      )`,
      'create index idempotency_keys_expiry on idempotency_keys (expires_at)',

      // Unlogged: counters need no flush to disk, and after a database crash all windows start again.
      `create unlogged table rate_limits (
        bucket text not null,
        subject text not null,
        count integer not null,
        ends_at timestamptz not null,
        primary key (bucket, subject)
      ) with (fillfactor = 50)`,
      'create index rate_limits_expiry on rate_limits (ends_at)',

      // How much each operator alone moved on a UTC day: OPERATOR_LIMITS bound the sum, not each call.
      `create table operator_amounts (
        operator_id uuid not null,
        asset text not null,
        day date not null,
        amount numeric(78,0) not null,
        primary key (operator_id, asset, day)
      )`,

      `create table readiness_probes (
        id uuid primary key,
        filler text not null,
        at timestamptz not null
      ) with (fillfactor = 50)`,

      // An older process that restarts beside a newer one grants the service's role what it knows of: see database/migrate.ts.
      `create table append_only_tables (
        name text primary key
      )`,

      `create table setting_fingerprints (
        setting text not null,
        digest text not null,
        created_at timestamptz not null,
        primary key (setting, digest)
      )`,

      `create table sandbox_faults (
        provider text primary key,
        mode text not null check (mode in ('down', 'slow', 'forgets')),
        ends_at timestamptz not null
      )`,

      // A later step drops it.
      `create table archived_weeks (
        table_name text not null,
        week date not null,
        version integer not null,
        store text not null,
        parts jsonb not null default '[]',
        started_at timestamptz not null,
        completed_at timestamptz,
        removed_at timestamptz,
        primary key (table_name, week, version)
      )`,

      // Where the database was served last, so that a copy of it, or an earlier point of it, is noticed: see records/restores.ts.
      `create table database_origin (
        single boolean default true primary key check (single),
        cluster text not null,
        recovery_target text not null,
        recorded_at timestamptz not null
      )`,

      `create table restores (
        id uuid primary key,
        reason text not null check (reason in ('copied', 'recovered', 'declared')),
        found_at timestamptz not null,
        restored_to timestamptz,
        secured_at timestamptz,
        reconciled_at timestamptz,
        findings jsonb
      )`,

      // Without a foreign key: rows are copied from requests whose credential named the organisation, and expire.
      `create table request_log (
        id uuid primary key,
        organisation_id uuid not null,
        environment text not null,
        method text not null,
        path text not null,
        status smallint not null,
        duration_ms integer not null,
        request_id text not null,
        key_id uuid,
        session_id uuid,
        replayed boolean not null,
        error_code text,
        resource_id uuid,
        ip text,
        user_agent text,
        idempotency_key text,
        request_body json,
        response_body json,
        created_at timestamptz(3) not null
      ) partition by range (id)`,
      "create index request_log_of_resource on request_log (resource_id, created_at desc) where resource_id is not null and (method <> 'GET' or status >= 400)",
      `create index request_log_newest on request_log (organisation_id, environment, created_at desc, id desc)
        where path like '/v1/%' and path not like '/v1/admin/%'`,
      `create index request_log_by_path on request_log (organisation_id, environment, path, created_at desc, id desc)
        where path like '/v1/%' and path not like '/v1/admin/%'`,
      'create index request_log_failed on request_log (organisation_id, environment, created_at desc, id desc) where status >= 400',
      'create index request_log_by_request_id on request_log (organisation_id, request_id)',
      `create index request_log_by_idempotency_key on request_log (organisation_id, idempotency_key)
        where idempotency_key is not null`,
      'create index request_log_by_resource on request_log (resource_id, created_at desc, id desc) where resource_id is not null',
      ...countRows('request_log', countedRequests).up,
      ...partitionByWeek('request_log', countedRequests),
    ],
  },
  {
    name: '20261129120000_platform_without_archive',
    up: [
      'drop function if exists drop_request_log_partition(text, timestamptz, bigint)',
      ...dropPartitions('request_log', countedRequests),
      'drop table archived_weeks',
    ],
  },
  {
    // Organisations that move to another cell: see installation/moves.
    name: '20261129150000_organisation_moves',
    up: [
      `create table organisation_moves (
        id uuid primary key,
        organisation_id uuid not null,
        direction text not null check (direction in ('out', 'in')),
        cell integer not null,
        state text not null check (state in ('packed', 'complete', 'copied', 'arrived', 'refused')),
        created_at timestamptz not null,
        ended_at timestamptz
      )`,
      'create unique index organisation_moves_open_key on organisation_moves (organisation_id) where ended_at is null',
      `create table moved_rows (
        move_id uuid not null,
        number bigint generated by default as identity,
        table_name text not null,
        row text not null,
        primary key (move_id, number)
      )`,
    ],
  },
]
