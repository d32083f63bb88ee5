import { job, type Metric, type Runtime } from '@payments/platform'
import { z } from 'zod'

/** More wrong codes than this within 10 minutes are no typing errors. */
const ALERT_ABOVE = 100

/** Wrong codes of the challenges of the last 10 minutes, over all email addresses. */
async function wrongCodes({ pool }: Runtime): Promise<number> {
  const { rows } = await pool.query<{ wrong: number }>(
    `select coalesce(sum(tries - (used_at is not null)::int), 0)::int as wrong
       from challenges where created_at > now() - interval '10 minutes'`,
  )
  return rows[0]?.wrong ?? 0
}

/** Guessing is limited for each challenge, but a distributed attack shows only in the sum. Nobody is refused because of it. */
export const wrongCodesMetric: Metric = {
  name: 'accounts_wrong_codes',
  help: 'Wrong sign-in and confirmation codes of the challenges of the last 10 minutes',
  read: wrongCodes,
}

/** Writes an error to the log while there are many wrong codes. */
export const wrongCodesAlert = job({
  name: 'accounts.wrong-codes',
  data: z.strictObject({}),
  schedule: '*/5 * * * *',
  queue: { retryLimit: 0, policy: 'short' },
  async run(runtime) {
    const wrong = await wrongCodes(runtime)
    if (wrong > ALERT_ABOVE) runtime.log.error({ wrong }, 'many wrong sign-in codes')
  },
})
