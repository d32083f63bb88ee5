/**
 * The tables that are not distributed over servers by organisation, each with the reason: they lie on one server, or a copy of them on each. All
 * others are business tables: they have an organisation, and every unique key of theirs includes it.
 */
export const globalTables: Readonly<Record<string, string>> = {
  append_only_tables: 'of the installation',
  database_origin: 'of the installation',
  migrations: 'of the installation',
  readiness_probes: 'of the installation',
  restores: 'of the installation',
  setting_fingerprints: 'of the installation',
  ledger_checks: 'of the installation',
  rate_limits: 'counts by IP address or credential, before the organisation is known',
  event_streams: 'a few rows that no crash outlives',

  // Who calls is found before the organisation is known.
  organisations: 'every table refers to it',
  users: 'a user belongs to several organisations, and an email address to one user',
  memberships: 'the organisations of a user are listed at the sign-in',
  invitations: 'the invitations of an email address are listed at the sign-in',
  sessions: 'found by its id',
  refresh_tokens: 'found by its digest',
  sign_in_addresses: 'of a user',
  challenges: 'of an email address',
  code_tries: 'of an email address',
  email_sends: 'of an email address',
  device_requests: 'found by a code, and belongs to an organisation only when it was answered',
  api_keys: 'found by its lookup part, which is unique',
  internal_tokens: 'found by its lookup part, which is unique',

  audit_log: 'of the operators',
  operator_amounts: 'of an operator',
  operator_approvals: 'of the operators',
  operator_resolutions: 'of the operators',

  provider_budgets: 'all organisations share the allowance of a provider',
  provider_controls: 'of a provider',
  provider_prices: 'of a provider',
  provider_minutes: 'of a provider',
  payment_route_feeds: 'of a provider',

  payment_route_addresses: 'a deposit address belongs to one route over all organisations',
  payment_route_requests: 'a request of a provider is one deposit over all organisations',

  swap_addresses: 'the address of a swap is unique, and its index the next one',
  swap_fee_payer_changes: 'of the fee payer, whom all organisations share',
  swap_fee_payers: 'of the fee payer, whom all organisations share',
  swap_rates: 'all organisations share a rate',
  swap_upkeep: 'of the fee payer, whom all organisations share',

  cngn_checkpoints: "of the provider's account, which all organisations share",
  cngn_feeds: "of the provider's account, which all organisations share",
  cngn_forgotten: "of the provider's account, which all organisations share",
  cngn_listed: "of the provider's account, which all organisations share",
  cngn_receipts:
    'its reference is unique in the account that all organisations share, and its organisation is found later',
  cngn_records: 'its digest is unique in the account that all organisations share',
  cngn_sends: 'its reference is unique in the account that all organisations share',
  cngn_treasuries: "of the provider's account, which all organisations share",
  cngn_treasury_adjustments: "of the provider's account, which all organisations share",

  webhook_changes: 'a few rows, taken in their order',
}

/** What a simulated provider would have on a server of its own. */
export const SANDBOX = 'sandbox_'

/** Business tables with a key that does not include the organisation yet, and what it would need. */
export const NOT_YET: Readonly<Record<string, string>> = {
  webhook_queues:
    'the organisation in the statements that take an endpoint that is due: tried, and slower (docs/decisions/scaling.md)',
  webhook_deliveries:
    'the organisation in its key, and in the statements that take and settle what is due: tried, and slower (docs/decisions/scaling.md)',
}

/** Business tables that are partitioned by time. */
export const TIME_PARTITIONED: readonly string[] = ['request_log']
