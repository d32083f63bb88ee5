import { expect, test } from 'vitest'
import { unhandledErrors } from './service-process.ts'

test('an error that ended a process is told from errors that were logged, with where it came from', () => {
  const logged = '{"level":"error","msg":"database unavailable"}\nDATABASE_URL: the database cannot be reached\n'
  expect(unhandledErrors(logged)).toEqual([])
  const ended = `node:events:505\n    throw er;\n\nerror: terminating connection\n    at x (y.js:1:1)\n\nNode.js v26.10.0\n`
  expect(unhandledErrors(`${logged}${ended}${logged}`)).toEqual([
    'a process ended by an error that nothing handled: error: terminating connection\n    at x (y.js:1:1)',
  ])
})
