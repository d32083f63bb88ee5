import type { MigrationStep } from '@payments/platform'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261129100100_accounts',
    up: [
      `create table organisations (
        id uuid primary key,
        name text not null,
        operator boolean not null default false,
        suspended_at timestamptz(3),
        suspension_reason text,
        live_enabled_at timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null
      )`,
      'create unique index organisations_one_operator on organisations (operator) where operator',

      `create table users (
        id uuid primary key,
        email text not null check (email = lower(email)),
        full_name text,
        created_at timestamptz(3) not null,
        unique (email)
      )`,

      `create table memberships (
        organisation_id uuid not null references organisations,
        user_id uuid not null references users,
        role text not null check (role in ('owner', 'member', 'operator')),
        created_at timestamptz(3) not null,
        invited_by uuid references users,
        primary key (organisation_id, user_id)
      )`,
      'create index memberships_of_user on memberships (user_id)',

      // A code signs in, confirms a session or changes an email address; the latter belong to the session that requested it.
      `create table challenges (
        id uuid primary key,
        email text not null,
        organisation_name text,
        full_name text,
        code_hash text not null,
        tries integer not null check (tries >= 0 and tries <= 5),
        expires_at timestamptz(3) not null,
        used_at timestamptz(3),
        purpose text not null default 'sign-in' check (purpose in ('sign-in', 'confirm', 'email-current', 'email-new')),
        session_id uuid,
        created_at timestamptz(3) not null,
        constraint challenges_session_check check ((purpose = 'sign-in') = (session_id is null))
      )`,
      'create index challenges_by_time on challenges (created_at)',
      'create index challenges_of_session on challenges (session_id, created_at) where session_id is not null',

      `create table code_tries (
        id uuid primary key,
        email text not null,
        place text not null,
        wrong boolean not null,
        warned boolean not null,
        tried_at timestamptz(3) not null
      )`,
      'create index code_tries_by_email on code_tries (email, tried_at)',
      'create index code_tries_by_time on code_tries (tried_at)',

      `create table device_requests (
        id uuid primary key,
        digest text not null,
        user_code text not null,
        client_name text not null,
        address text,
        interval_seconds integer not null,
        polled_at timestamptz(3),
        organisation_id uuid references organisations,
        environment text check (environment in ('test', 'live')),
        access text check (access in ('read', 'read_write')),
        answered_by uuid references users,
        approved_at timestamptz(3),
        denied_at timestamptz(3),
        redeemed_at timestamptz(3),
        expires_at timestamptz(3) not null,
        created_at timestamptz(3) not null,
        unique (digest),
        unique (user_code),
        constraint device_requests_answer_check check (num_nonnulls(approved_at, denied_at) <= 1
          and (approved_at is null) = (organisation_id is null) and num_nonnulls(organisation_id, environment, access) in (0, 3)),
        constraint device_requests_redeemed_check check (redeemed_at is null or approved_at is not null)
      )`,
      'create index device_requests_by_time on device_requests (created_at)',

      // One row for each email of the last hour, including those that were not sent. The limits count them.
      `create table email_sends (
        email text not null,
        sent_at timestamptz(3) not null,
        kind text not null default 'code' check (kind in ('code', 'invitation', 'confirm')),
        address text not null default '',
        reserved boolean not null default false,
        organisation_id uuid
      )`,
      'create index email_sends_by_email on email_sends (email, sent_at)',
      'create index email_sends_by_time on email_sends (sent_at)',
      'create index email_sends_of_organisation on email_sends (organisation_id, sent_at) where organisation_id is not null',

      `create table sign_in_addresses (
        user_id uuid not null references users,
        address text not null,
        signed_in_at timestamptz(3) not null,
        primary key (user_id, address)
      )`,
      'create index sign_in_addresses_by_time on sign_in_addresses (signed_in_at)',

      `create table invitations (
        id uuid primary key,
        organisation_id uuid not null references organisations,
        email text not null check (email = lower(email)),
        role text not null check (role in ('owner', 'member')),
        invited_by uuid references users,
        expires_at timestamptz(3) not null,
        accepted_at timestamptz(3),
        declined_at timestamptz(3),
        revoked_at timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        constraint invitations_email_key unique (organisation_id, email)
      )`,
      'create index invitations_of_email on invitations (email)',

      // confirmed_at: when the user last proved the email address for this session, by signing in or by a fresh code.
      `create table sessions (
        id uuid primary key,
        user_id uuid not null,
        organisation_id uuid not null,
        expires_at timestamptz(3) not null,
        revoked_at timestamptz(3),
        confirmed_at timestamptz(3),
        address text,
        device text,
        last_used_at timestamptz(3),
        created_at timestamptz(3) not null,
        foreign key (organisation_id, user_id) references memberships (organisation_id, user_id)
      )`,
      'create index sessions_expiry on sessions (least(expires_at, revoked_at))',
      'create index sessions_of_user on sessions (user_id, created_at desc)',

      // Every refresh token that a session ever had: a spent token is recognised as long as the session is stored.
      // The successor is encrypted; a client that repeats the request after a lost reply gets it again.
      `create table refresh_tokens (
        digest text primary key,
        session_id uuid not null references sessions on delete cascade,
        spent_at timestamptz(3),
        successor text,
        created_at timestamptz(3) not null,
        constraint refresh_tokens_check check ((spent_at is null) = (successor is null))
      )`,
      'create index refresh_tokens_of_session on refresh_tokens (session_id)',

      `create table api_keys (
        id uuid primary key,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        name text not null,
        type text not null check (type in ('secret', 'publishable')),
        lookup text not null,
        digest text not null,
        masked text not null,
        scopes text[] not null,
        expires_at timestamptz(3),
        revoked_at timestamptz(3),
        last_used_at timestamptz(3),
        created_by uuid,
        allowed_ips text[],
        created_at timestamptz(3) not null,
        unique (lookup)
      )`,
      'create index api_keys_of_organisation on api_keys (organisation_id, created_at desc)',

      `create table internal_tokens (
        id uuid primary key,
        organisation_id uuid not null references organisations,
        name text not null,
        lookup text not null,
        digest text not null,
        masked text not null,
        procedures text[] not null,
        expires_at timestamptz(3) not null,
        revoked_at timestamptz(3),
        last_used_at timestamptz(3),
        created_by uuid not null references users,
        created_at timestamptz(3) not null,
        unique (lookup)
      )`,
    ],
  },
  {
    // The time zone of an organisation, and of one that is being registered.
    name: '20261129130000_time_zones',
    up: [
      "alter table organisations add column time_zone text not null default 'UTC'",
      'alter table challenges add column time_zone text',
    ],
  },
  {
    // Where an organisation is that has moved to another cell.
    name: '20261129150100_moved_organisations',
    up: ['alter table organisations add column moved_to integer'],
  },
  {
    // Roles beside owner and member.
    name: '20261129200000_roles',
    up: [
      'alter table memberships drop constraint memberships_role_check',
      "alter table memberships add constraint memberships_role_check check (role in ('owner', 'finance', 'developer', 'viewer', 'member', 'operator'))",
      'alter table invitations drop constraint invitations_role_check',
      "alter table invitations add constraint invitations_role_check check (role in ('owner', 'finance', 'developer', 'viewer', 'member'))",
    ],
  },
]
