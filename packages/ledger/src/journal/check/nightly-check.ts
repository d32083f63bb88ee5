import { newId, noInput } from '@payments/kernel'
import { job, type Metric, type Runtime, type SelfCheck } from '@payments/platform'
import { checkLedger, type Report } from './check.ts'

/** Results that are kept. */
const KEPT = 100
/** Findings whose text is kept with a result; their number is exact up to the limit of the check. */
const SHOWN = 20
const SIX_HOURS = 6 * 3600

/** Checks the whole ledger and stores the result, also when there are findings. Each finding is in the log. */
export async function checkAndStore(runtime: Pick<Runtime, 'pool' | 'domains' | 'log'>): Promise<Report> {
  const startedAt = new Date()
  const report = await checkLedger(runtime)
  for (const finding of report.findings) runtime.log.error({ finding }, 'ledger check finding')
  await runtime.pool.query(
    `insert into ledger_checks (id, started_at, finished_at, walked, findings, shown) values ($1, $2, now(), $3, $4, $5)`,
    [newId(), startedAt, report.walked, report.findings.length, JSON.stringify(report.findings.slice(0, SHOWN))],
  )
  await runtime.pool.query(
    'delete from ledger_checks where id not in (select id from ledger_checks order by id desc limit $1)',
    [KEPT],
  )
  return report
}

/** Checks the ledger every night. */
export const checkJob = job({
  name: 'ledger.check',
  data: noInput,
  schedule: { dailyAt: '02:20' },
  queue: { policy: 'short', expireInSeconds: SIX_HOURS },
  async run(runtime) {
    await checkAndStore(runtime)
  },
})

/** Since the last complete check: one that ends early stores no result. */
const AGE = 'greatest(0, extract(epoch from now() - finished_at))::int'
/** A night, and what a long check takes. An older result says nothing of today. */
const MOST_SECONDS = 30 * 3600

/** The latest stored result; null before the first night. Not `ok` when it has findings, and when it is older than 30 hours. */
export const ledgerSelfCheck: SelfCheck = {
  name: 'ledger',
  async latest({ pool }) {
    const { rows } = await pool.query(
      `select started_at as "startedAt", finished_at as "finishedAt", ${AGE} as "ageSeconds",
              findings = 0 and ${AGE} <= $1 as ok, findings, walked, shown
         from ledger_checks order by id desc limit 1`,
      [MOST_SECONDS],
    )
    return rows[0] ?? null
  },
}

export const checkMetric: Metric = {
  name: 'ledger_check_findings',
  help: 'Findings of the latest nightly check of the ledger',
  async read({ pool }) {
    const { rows } = await pool.query<{ findings: number }>(
      'select findings from ledger_checks order by id desc limit 1',
    )
    return rows[0]?.findings ?? 0
  },
}

export const checkAgeMetric: Metric = {
  name: 'ledger_check_age_seconds',
  help: 'Seconds since the last complete check of the ledger ended; since the first migration where there was none',
  async read({ pool }) {
    const { rows } = await pool.query<{ age: number }>(
      `select coalesce((select ${AGE} from ledger_checks order by id desc limit 1),
                       (select extract(epoch from now() - min(executed_at))::int from migrations), 0) as age`,
    )
    return rows[0]?.age ?? 0
  },
}
