import { expect } from 'vitest'
import type { TestService } from './service.ts'

/** Until as many statements on the service's database wait for a lock. */
export const statementsWaiting = ({ runtime }: TestService, count: number): Promise<void> =>
  expect
    .poll(
      async () =>
        (
          await runtime.priorityPool.query(
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          )
        ).rowCount,
      { timeout: 10_000 },
    )
    .toBe(count)
