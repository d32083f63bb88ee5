import type { Diagnosis } from '@payments/platform'

const MARKS = { ok: '✓', warning: '!', failed: '✗', skipped: '–' } as const

/** One line for each check, with what to do below it, and a summary. */
export function asText(found: readonly Diagnosis[]): string {
  const lines = found.flatMap(({ check, status, message, action }) => [
    `${MARKS[status]} ${check}: ${message}`,
    ...(action && status !== 'ok' ? [`    ${action}`] : []),
  ])
  const count = (status: Diagnosis['status']) => found.filter((each) => each.status === status).length
  const summary = `${count('ok')} in order, ${count('warning')} warnings, ${count('failed')} failed, ${count('skipped')} skipped`
  return `${[...lines, '', summary].join('\n')}\n`
}
