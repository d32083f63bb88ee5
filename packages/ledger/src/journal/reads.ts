import { type AssetSymbol, type Environment, isId } from '@payments/kernel'
import { type QueryContext, sqlOf } from '@payments/platform'
import type { z } from 'zod'
import { errors } from '../errors.ts'
import { type AccountKey, accountId, type Purpose } from '../model/accounts.ts'
import type { LedgerAccount, LedgerLine } from '../model/schemas.ts'

/** SQL: the balance of an account in minor units, zero where it has never been used. The parameters are the tenant's and an {@link accountId}. */
export const balanceSql = (organisationId: string, environment: string, id: string): string =>
  `coalesce((select balance from ledger_accounts
    where organisation_id = ${organisationId} and environment = ${environment} and id = ${id}), 0)`

/** The balance of an account of the actor's tenant, in minor units; zero if nothing was posted. Reads one row by its key. */
export async function balance(context: QueryContext, key: AccountKey): Promise<bigint> {
  const { organisationId, environment } = context.actor
  const { rows } = await sqlOf(context.em).query<{ balance: string }>(
    `select ${balanceSql('$1', '$2', '$3')}::text as balance`,
    [organisationId, environment, accountId(context.actor, key)],
  )
  return BigInt(rows[0]?.balance ?? 0)
}

export interface Statement {
  readonly account: z.infer<typeof LedgerAccount>
  readonly lines: z.infer<typeof LedgerLine>[]
}

const ACCOUNT = `jsonb_build_object('id', a.id, 'organisationId', a.organisation_id, 'environment', a.environment,
  'customerId', a.customer_id, 'asset', a.asset, 'purpose', a.purpose, 'party', a.party, 'balance', a.balance::text)`

/**
 * The newest lines of an account, with the balance after each: the current balance less all later postings, read in one
 * statement. For operators: an account of any organisation.
 * @throws ledger_account_not_found 404
 */
export async function statement(
  context: QueryContext,
  id: string,
  { limit = 200, before }: { limit?: number; before?: string } = {},
): Promise<Statement> {
  const { rows } = isId(id)
    ? await sqlOf(context.em).query<{
        account: Statement['account']
        lines: (LineRow & { created_at: string })[] | null
      }>(
        `select ${ACCOUNT} as account, l.lines from ledger_accounts a
           cross join lateral (
             select a.balance - coalesce(sum(p.amount), 0) as balance from ledger_postings p
              where p.account_id = a.id and $3::bigint is not null and p.seq >= $3) n
           cross join lateral (
             select json_agg(json_build_object('seq', p.seq::text, 'amount', p.amount::text, 'entryId', e.id,
                      'sourceType', e.source_type, 'sourceId', e.source_id, 'step', e.step, 'reverses', e.reverses, 'memo', e.memo,
                      'balanceAfter', (n.balance - p.later)::text, 'created_at', e.created_at) order by p.seq desc) as lines
               from (select *, coalesce(sum(amount) over (order by seq desc rows between unbounded preceding and 1 preceding), 0) as later
                       from (select * from ledger_postings p where p.account_id = a.id and ($3::bigint is null or p.seq < $3)
                              order by p.seq desc limit $2) newest) p
               join ledger_entries e on (e.organisation_id, e.environment, e.id) = (p.organisation_id, p.environment, p.entry_id)) l
          where a.id = $1`,
        [id, limit, before ?? null],
      )
    : { rows: [] }
  const [row] = rows
  if (!row) throw errors.ledger_account_not_found()
  return {
    account: row.account,
    lines: (row.lines ?? []).map(({ created_at, ...line }) => ({
      ...line,
      createdAt: new Date(created_at).toISOString(),
    })),
  }
}

type LineRow = Omit<z.infer<typeof LedgerLine>, 'createdAt'>

/** One line of a trial balance: the sum of the balances of all accounts with one purpose and asset. */
export interface TrialLine {
  readonly environment: Environment
  readonly asset: AssetSymbol
  readonly purpose: Purpose
  readonly accounts: number
  readonly balance: string
}

/** Sums of balances by environment, asset and purpose, of one organisation or of all. Each asset's lines sum to zero. */
export async function trialBalance(context: QueryContext, organisationId?: string): Promise<TrialLine[]> {
  const { rows } = await sqlOf(context.em).query<TrialLine>(
    `select environment, asset, purpose, count(*)::int as accounts, sum(balance)::text as balance from ledger_accounts
      where $1::uuid is null or organisation_id = $1 group by 1, 2, 3 order by 1, 2, 3`,
    [organisationId ?? null],
  )
  return rows
}

/** The accounts of all organisations that have a balance in suspense: the 200 oldest, and the exact total. */
export async function suspenseBalances(
  context: QueryContext,
): Promise<{ accounts: Statement['account'][]; total: number }> {
  const { rows } = await sqlOf(context.em).query<{ account: Statement['account']; total: number }>(
    `select ${ACCOUNT} as account, count(*) over ()::int as total from ledger_accounts a
      where a.purpose = 'suspense' and a.balance <> 0 order by a.created_at, a.id limit 200`,
  )
  return { accounts: rows.map((row) => row.account), total: rows[0]?.total ?? 0 }
}

/** The newest 200 accounts of an organisation, or of one of its customers, and the exact total. */
export async function accounts(
  context: QueryContext,
  organisationId: string,
  customerId?: string,
): Promise<{ accounts: Statement['account'][]; total: number }> {
  const { rows } = await sqlOf(context.em).query<{ account: Statement['account']; total: number }>(
    `select ${ACCOUNT} as account, count(*) over ()::int as total from ledger_accounts a
      where a.organisation_id = $1 and ($2::uuid is null or a.customer_id = $2) order by a.created_at desc, a.id limit 200`,
    [organisationId, customerId ?? null],
  )
  return { accounts: rows.map((row) => row.account), total: rows[0]?.total ?? 0 }
}
