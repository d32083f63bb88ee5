import {
  CannotServe,
  checkStandby,
  type Diagnosis,
  diagnose,
  platformSettings,
  type Settings,
} from '@payments/platform'
import type { Pool } from 'pg'

/** What to do where the server of `DATABASE_READ_URL` does not serve reads. */
const ACTIONS: Readonly<Record<CannotServe['problem'], string>> = {
  unreachable: 'Start it, and compare DATABASE_READ_URL with it',
  not_a_standby: 'Name a streaming standby in DATABASE_READ_URL, or leave it out: the primary is in DATABASE_URL',
  other_history:
    'After a failover wait for its next restartpoint (checkpoint_timeout); else make it from a base backup of this primary',
  behind: 'Look at the network between both servers, and at long queries on the standby, for which its replay waits',
}

/** Whether the standby of `DATABASE_READ_URL` serves reads. The service does without it: the primary serves what it cannot. */
export const diagnoseStandby = (settings: Settings, pool: Pool): Promise<Diagnosis> =>
  diagnose(
    'database: reads on a standby',
    async () => {
      const { DATABASE_READ_URL } = platformSettings.from(settings)
      if (!DATABASE_READ_URL)
        return { status: 'skipped', message: 'DATABASE_READ_URL is not set: the primary serves all reads' }
      try {
        await checkStandby(DATABASE_READ_URL, pool)
        return 'It has replayed all that the primary has acknowledged'
      } catch (error) {
        if (!(error instanceof CannotServe)) throw error
        const status = error.problem === 'behind' ? 'warning' : 'failed'
        return { status, message: error.message, action: ACTIONS[error.problem] }
      }
    },
    ACTIONS.unreachable,
  )
