import { expect, test } from 'vitest'
import { blocksOf, startGuide } from './guide.ts'
import { uncovered } from './settings.ts'

const PAGE = `# Guide
\`\`\`sh
greet() { echo "hello $1"; }
NAME=Ada
\`\`\`
## Then
\`\`\`sh
greet "$NAME"
\`\`\`

\`\`\`sh
false
echo never
\`\`\`
`

test('blocks run in one shell, a command that fails ends it, and a block that was not run is named', async () => {
  const guide = startGuide(blocksOf('guide.md', PAGE), { PATH: process.env.PATH ?? '' }, '/tmp')
  try {
    expect(guide.rest().map(({ line, heading }) => `${line} ${heading}`)).toEqual(['2 Guide', '7 Then', '11 Then'])
    await guide.run('Guide')
    expect(await guide.run('Then', 1)).toBe('hello Ada\n')
    expect(guide.rest()).toMatchObject([{ page: 'guide.md', line: 11 }])
    await expect(guide.run('Then')).rejects.toThrow('guide.md:11 (Then) ended with 1')
    await expect(guide.run('Elsewhere')).rejects.toThrow('No block is left under "Elsewhere"')
    expect(guide.rest()).toHaveLength(1)
  } finally {
    guide.close()
  }
})

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
