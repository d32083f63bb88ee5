import { noInput } from '@payments/kernel'
import { job, type Metric, type Runtime } from '@payments/platform'
import { FREE_WRONG_CODES } from './code-tries.ts'

/** More wrong codes than this within 10 minutes are no typing errors. */
const ALERT_ABOVE = 100

/** Wrong codes of the last 10 minutes, by the time of the try, over all email addresses. */
async function wrongCodes({ pool }: Runtime): Promise<number> {
  const { rows } = await pool.query<{ wrong: number }>(
    "select count(*)::int as wrong from code_tries where wrong and tried_at > now() - interval '10 minutes'",
  )
  return rows[0]?.wrong ?? 0
}

/** Accounts for which so many wrong codes were entered within an hour that further ones are slowed down. */
async function guessedAccounts({ pool }: Runtime): Promise<number> {
  const { rows } = await pool.query<{ accounts: number }>(
    `select count(*)::int as accounts
       from (select from code_tries where wrong and tried_at > now() - interval '1 hour'
              group by email having count(*) >= $1) guessed`,
    [FREE_WRONG_CODES],
  )
  return rows[0]?.accounts ?? 0
}

/** Guessing is limited for each challenge and account, but a distributed attack shows only in the sum. Nobody is refused because of it. */
export const wrongCodesMetric: Metric = {
  name: 'accounts_wrong_codes',
  help: 'Wrong sign-in and confirmation codes of the last 10 minutes',
  read: wrongCodes,
}

/** An attack on one account does not show in the sum of all. */
export const guessedAccountsMetric: Metric = {
  name: 'accounts_guessed_accounts',
  help: 'Email addresses for which ten or more wrong codes were entered in the last hour',
  read: guessedAccounts,
}

/** Writes an error to the log while there are many wrong codes, in all or for one account. */
export const wrongCodesAlert = job({
  name: 'accounts.wrong-codes',
  data: noInput,
  schedule: { everyMinutes: 5 },
  queue: { policy: 'short' },
  async run(runtime) {
    const [wrong, accounts] = [await wrongCodes(runtime), await guessedAccounts(runtime)]
    if (wrong > ALERT_ABOVE || accounts > 0) runtime.log.error({ wrong, accounts }, 'many wrong sign-in codes')
  },
})
