import type { MoveDeclaration } from '@payments/platform'

/** SQL: the accounts of a relation of them whose balance is not the sum of their postings. */
const differing = (rows: (table: string) => string): string =>
  `select count(*) from ${rows('ledger_accounts')} a
     left join (select account_id, sum(amount) as amount from ${rows('ledger_postings')} p group by 1) s on s.account_id = a.id
    where a.balance <> coalesce(s.amount, 0)`

/** What becomes of the ledger when an organisation moves to another cell: all of it moves, and is the same there. */
export const moves: MoveDeclaration = {
  stays: { ledger_checks: 'results of checks of the whole ledger of this cell' },
  obstacles: {
    '{count} accounts of its ledger differ from their postings: see payments ledger-check': differing(
      (table) => `(select * from ${table} where organisation_id = $1)`,
    ),
    '{count} balances of live money are at accounts that this cell has with its providers: pay them out first':
      "select count(*) from ledger_accounts where organisation_id = $1 and environment = 'live' and purpose in ('available', 'reserved', 'suspense') and balance <> 0",
  },
  compared: {
    balances: (rows) =>
      `select string_agg(name || ' ' || balance, ', ' order by name) as value from (
         select concat_ws(' ', environment, purpose, asset) as name, sum(balance) as balance from ${rows('ledger_accounts')} a group by 1 having sum(balance) <> 0) b`,
    'accounts that differ from their postings': (rows) => `select count as value from (${differing(rows)}) d`,
    postings: (rows) =>
      `select count(*) || ' of ' || count(distinct entry_id) || ' entries' as value from ${rows('ledger_postings')} p`,
    'last seals': (rows) =>
      `select string_agg(environment || ' ' || number || ' ' || left(hash, 12), ', ' order by environment) as value from (
         select distinct on (environment) environment, number, hash from ${rows('ledger_seals')} s order by environment, number desc) s`,
  },
}
