import { lookupsOf, type QueryContext } from '@payments/platform'
import { errors } from '../errors.ts'
import { newCall } from '../provider/limits.ts'
import type { Account, AccountName, FiatProvider } from '../provider/provider.ts'
import { fiatSettings } from '../provider/settings.ts'

/** How long an answer of a bank is used again. */
const FRESH_HOURS = 24

type Purpose = 'verification' | 'order'
/** Asks a bank. Another provider may know the banks of a country too. */
type Ask = () => Promise<AccountName>
/** Who is asked: a provider, or another source. */
type Source = FiatProvider | Ask

/** An answer of a bank, and when it was given. */
export type CheckedAccount = AccountName & { readonly checkedAt: Date }

/** Questions that this process is asking now: the same one is asked once. */
const inFlight = new Map<string, Promise<CheckedAccount>>()

const keyOf = (account: Account, purpose: Purpose): string =>
  [purpose, account.currency, account.bankCode, account.channel, account.businessNumber, account.accountNumber].join(
    '/',
  )

/**
 * The name of an account's holder as its bank tells it, from the answers of the last day or from the source.
 * An answer that comes after the deadline is stored: the next request finds it.
 * @throws fiat_provider_unavailable 503 when the bank does not answer in time
 */
export async function accountName(
  context: QueryContext,
  source: Source,
  account: Account,
  purpose: Purpose,
): Promise<CheckedAccount> {
  const ask: Ask =
    typeof source === 'function' ? source : () => newCall(context, source, () => source.accountName(account, purpose))
  const { organisationId, environment } = context.actor
  const key = [organisationId, environment, keyOf(account, purpose)].join('/')
  // The stored answers are read as part of the question: one that begins after another has ended finds its answer.
  const asking = inFlight.get(key) ?? find(context, account, purpose, ask).finally(() => inFlight.delete(key))
  inFlight.set(key, asking)
  const seconds = fiatSettings.from(context.runtime.settings).FIAT_ACCOUNT_DEADLINE_SECONDS
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, seconds * 1000, undefined)
  })
  // The question goes on when nobody waits for it any more.
  asking.catch((error: unknown) => context.log.warn({ err: error }, 'account check failed'))
  const answer = await Promise.race([asking, deadline])
  clearTimeout(timer)
  if (!answer) throw errors.fiat_provider_unavailable({ retryAfter: 5 })
  return answer
}

const find = async (context: QueryContext, account: Account, purpose: Purpose, ask: Ask): Promise<CheckedAccount> =>
  (await stored(context, account, purpose)) ?? keep(context, account, purpose, await ask())

async function keep(
  context: QueryContext,
  account: Account,
  purpose: Purpose,
  answer: AccountName,
): Promise<CheckedAccount> {
  const { runtime, actor } = context
  const checkedAt = new Date()
  // An account that does not exist now may be opened in a minute: that answer is not kept.
  if (answer.status !== 'not_found')
    await runtime.pool.query(
      `insert into fiat_account_names (organisation_id, environment, account, status, account_name, checked_at)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (organisation_id, environment, account) do update
         set status = excluded.status, account_name = excluded.account_name, checked_at = excluded.checked_at`,
      [
        actor.organisationId,
        actor.environment,
        keyOf(account, purpose),
        answer.status,
        answer.status === 'verified' ? answer.accountName : null,
        checkedAt,
      ],
    )
  return { ...answer, checkedAt }
}

/** A fresh answer. An order may use what a verification found, not the other way round. */
async function stored(context: QueryContext, account: Account, purpose: Purpose): Promise<CheckedAccount | undefined> {
  const { organisationId, environment } = context.actor
  const keys = (purpose === 'order' ? (['verification', 'order'] as const) : [purpose]).map((each) =>
    keyOf(account, each),
  )
  const { rows } = await lookupsOf(context).query<{
    status: 'verified' | 'unresolved'
    account_name: string | null
    checked_at: Date | string
  }>(
    `select status, account_name, checked_at
       from (select * from fiat_account_names where organisation_id = $1 and environment = $2 and account = any ($3) offset 0) n
      where checked_at > now() - make_interval(hours => $4) order by checked_at desc limit 1`,
    [organisationId, environment, keys, FRESH_HOURS],
  )
  const [row] = rows
  if (!row) return undefined
  const checkedAt = new Date(row.checked_at)
  return row.status === 'verified' && row.account_name !== null
    ? { status: 'verified', accountName: row.account_name, checkedAt }
    : { status: 'unresolved', checkedAt }
}

/** The words of a name in one spelling: upper case, without accents and punctuation, each once. */
export const nameWords = (name: string): string[] => [
  ...new Set(
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toUpperCase()
      .replace(/['’.]/g, '')
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean),
  ),
]

/** Are two spellings the name of one holder? Order, case, accents and punctuation do not count; a middle name may be missing. */
export function sameHolder(one: string, other: string): boolean {
  const [few = [], many = []] = [nameWords(one), nameWords(other)].sort((a, b) => a.length - b.length)
  return few.length > 0 && (few.length > 1 || many.length === 1) && few.every((word) => many.includes(word))
}
