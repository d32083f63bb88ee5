import { expect, test } from 'vitest'
import { cronOf, describeSchedule, type Schedule } from './jobs.ts'

test.each<[Schedule, string, string]>([
  [{ everyMinutes: 1 }, '* * * * *', 'Every minute'],
  [{ everyMinutes: 10 }, '*/10 * * * *', 'Every 10 minutes'],
  [{ dailyAt: '02:05' }, '5 2 * * *', 'Daily at 02:05 UTC'],
])('the queue and operators are told the same schedule: %j', (schedule, cron, description) => {
  expect(cronOf(schedule)).toBe(cron)
  expect(describeSchedule(schedule)).toBe(description)
})
