import { expect, test } from 'vitest'
import { uncovered } from './settings.ts'

test('a setting that every start leaves at its default is named, and so is one that is not documented', () => {
  const page = '| `PORT` | `4000` | Port |\n| `HOST` |  | Address |\n| `LIMIT` | empty | Limit |\n'
  const starts: Record<string, string>[] = [
    { PORT: '4000', HOST: '127.0.0.1' },
    { PORT: '4000', PROT: '1' },
  ]
  expect(uncovered(starts, page)).toEqual([
    'PORT has no other value than its default in any start',
    'LIMIT has no other value than its default in any start',
    'PROT is set and is no documented setting',
  ])
  expect(uncovered([...starts, { PORT: '4001', LIMIT: '5' }].slice(1), page)).toEqual([
    'HOST has no other value than its default in any start',
    'PROT is set and is no documented setting',
  ])
})
