import type { MigrationStep } from '@payments/platform'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261121000100_accounts',
    up: [
      `create table organisations (
        id uuid primary key,
        name text not null,
        operator boolean not null default false,
        suspended_at timestamptz(3),
        suspension_reason text,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null
      )`,
      'create unique index organisations_one_operator on organisations (operator) where operator',
      `create table users (
        id uuid primary key,
        email text not null check (email = lower(email)),
        full_name text,
        created_at timestamptz(3) not null,
        constraint users_email_key unique (email)
      )`,
      `create table memberships (
        organisation_id uuid not null references organisations,
        user_id uuid not null references users,
        role text not null check (role in ('owner', 'member', 'operator')),
        created_at timestamptz(3) not null,
        primary key (organisation_id, user_id)
      )`,
      'create index memberships_of_user on memberships (user_id)',
      `create table challenges (
        id uuid primary key,
        email text not null,
        organisation_name text,
        full_name text,
        code_hash text not null,
        tries integer not null check (tries between 0 and 5),
        expires_at timestamptz(3) not null,
        used_at timestamptz(3),
        created_at timestamptz(3) not null
      )`,
      'create index challenges_by_time on challenges (created_at)',
      // One row for each code of the last hour, including codes that were not sent. The limit counts these rows.
      'create table code_sends (email text not null, sent_at timestamptz(3) not null)',
      'create index code_sends_by_email on code_sends (email, sent_at)',
      'create index code_sends_by_time on code_sends (sent_at)',
      `create table invitations (
        id uuid primary key,
        organisation_id uuid not null references organisations,
        email text not null check (email = lower(email)),
        role text not null check (role in ('owner', 'member')),
        invited_by uuid references users,
        expires_at timestamptz(3) not null,
        accepted_at timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        constraint invitations_email_key unique (organisation_id, email)
      )`,
      'create index invitations_of_email on invitations (email)',
      `create table sessions (
        id uuid primary key,
        user_id uuid not null,
        organisation_id uuid not null,
        expires_at timestamptz(3) not null,
        revoked_at timestamptz(3),
        created_at timestamptz(3) not null,
        foreign key (organisation_id, user_id) references memberships
      )`,
      'create index sessions_expiry on sessions (least(expires_at, revoked_at))',
      // Every refresh token that a session ever had: a spent token is recognised as long as the session is stored.
      // The successor is encrypted; a client that repeats the request after a lost reply gets it again.
      `create table refresh_tokens (
        digest text primary key,
        session_id uuid not null references sessions on delete cascade,
        spent_at timestamptz(3),
        successor text,
        created_at timestamptz(3) not null,
        check ((spent_at is null) = (successor is null))
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
        created_at timestamptz(3) not null,
        constraint api_keys_lookup_key unique (lookup)
      )`,
      'create index api_keys_of_organisation on api_keys (organisation_id, created_at desc)',
    ],
  },
  {
    name: '20261121170500_accounts_controls',
    up: [
      // Live access may now need an operator's approval. Organisations that use it already keep it.
      'alter table organisations add column live_enabled_at timestamptz(3)',
      "update organisations set live_enabled_at = now() where id in (select organisation_id from api_keys where environment = 'live')",

      // Operators are named by a setting alone; an invitation no longer makes one.
      'delete from invitations where accepted_at is null and organisation_id in (select id from organisations where operator)',

      // A code can also confirm a session or change an email address; it then belongs to the session that requested it.
      "alter table challenges add column purpose text not null default 'sign-in'",
      "alter table challenges add constraint challenges_purpose_check check (purpose in ('sign-in', 'confirm', 'email-current', 'email-new'))",
      'alter table challenges add column session_id uuid',
      "alter table challenges add constraint challenges_session_check check ((purpose = 'sign-in') = (session_id is null))",
      'create index challenges_of_session on challenges (session_id, created_at) where session_id is not null',

      // The limits count emails: of every kind, renewed invitations too, by client address.
      'alter table code_sends rename to email_sends',
      "alter table email_sends add column kind text not null default 'code' check (kind in ('code', 'invitation', 'confirm'))",
      "alter table email_sends add column address text not null default ''",
      'alter table email_sends add column reserved boolean not null default false',
      'alter table email_sends add column organisation_id uuid',
      'alter index code_sends_by_email rename to email_sends_by_email',
      'alter index code_sends_by_time rename to email_sends_by_time',
      'create index email_sends_of_organisation on email_sends (organisation_id, sent_at) where organisation_id is not null',

      `create table sign_in_addresses (
        user_id uuid not null references users,
        address text not null,
        signed_in_at timestamptz(3) not null,
        primary key (user_id, address)
      )`,
      'create index sign_in_addresses_by_time on sign_in_addresses (signed_in_at)',

      // confirmed_at: when the user last proved the email address for this session, by signing in or by a fresh code.
      'alter table sessions add column confirmed_at timestamptz(3)',
      'alter table sessions add column address text',
      'alter table sessions add column device text',
      'alter table sessions add column last_used_at timestamptz(3)',
      'create index sessions_of_user on sessions (user_id, created_at desc)',

      'alter table api_keys add column allowed_ips text[]',
    ],
  },
  {
    name: '20261122001100_internal_tokens',
    up: [
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
        constraint internal_tokens_lookup_key unique (lookup)
      )`,
    ],
  },
  {
    name: '20261122195000_invitations_end',
    up: [
      'alter table invitations add column declined_at timestamptz(3), add column revoked_at timestamptz(3)',
      'alter table memberships add column invited_by uuid references users',
      `update memberships m set invited_by = i.invited_by from invitations i join users u on u.email = i.email
        where m.user_id = u.id and m.organisation_id = i.organisation_id and i.accepted_at is not null`,
      // An invitation ended when its inviter lost the right to invite.
      `update invitations i set revoked_at = now() where accepted_at is null and invited_by is not null
          and not exists (select from memberships m where m.organisation_id = i.organisation_id and m.user_id = i.invited_by and m.role <> 'member')`,
    ],
  },
  {
    name: '20261122210000_code_tries',
    up: [
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
    ],
  },
  {
    name: '20261125300201_device_requests',
    up: [
      `create table "device_requests" (
        "id" uuid not null,
        "digest" text not null,
        "user_code" text not null,
        "client_name" text not null,
        "address" text null,
        "interval_seconds" int4 not null,
        "polled_at" timestamptz(3) null,
        "organisation_id" uuid null,
        "environment" text null,
        "access" text null,
        "answered_by" uuid null,
        "approved_at" timestamptz(3) null,
        "denied_at" timestamptz(3) null,
        "redeemed_at" timestamptz(3) null,
        "expires_at" timestamptz(3) not null,
        "created_at" timestamptz(3) not null,
        primary key ("id")
      )`,
      'create index "device_requests_by_time" on "device_requests" ("created_at")',
      'alter table "device_requests" add constraint "device_requests_digest_key" unique ("digest")',
      'alter table "device_requests" add constraint "device_requests_user_code_key" unique ("user_code")',
      'alter table "device_requests" add constraint "device_requests_answered_by_fkey" foreign key ("answered_by") references "users" ("id") on update no action on delete no action',
      'alter table "device_requests" add constraint "device_requests_organisation_id_fkey" foreign key ("organisation_id") references "organisations" ("id") on update no action on delete no action',
      `alter table "device_requests" add constraint "device_requests_access_check" check ("access" in ('read', 'read_write'))`,
      'alter table "device_requests" add constraint "device_requests_answer_check" check ((num_nonnulls(approved_at, denied_at) <= 1) AND ((approved_at IS NULL) = (organisation_id IS NULL)) AND (num_nonnulls(organisation_id, environment, access) = ANY (ARRAY[0, 3])))',
      `alter table "device_requests" add constraint "device_requests_environment_check" check ("environment" in ('test', 'live'))`,
      'alter table "device_requests" add constraint "device_requests_redeemed_check" check ((redeemed_at IS NULL) OR (approved_at IS NOT NULL))',
    ],
  },
]
