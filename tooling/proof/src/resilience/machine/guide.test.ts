import { expect, test } from 'vitest'
import { blocksOf, startGuide } from './guide.ts'

const PAGE = `# Guide
\`\`\`sh
greet() { echo "hello $1"; }
NAME=Ada
\`\`\`
## Then
\`\`\`sh
greet "$NAME"
\`\`\`

1. A list

   \`\`\`sh
   false
     echo never
   \`\`\`
`

test('blocks run in one shell, a command that fails ends it, and a block that was not run is named', async () => {
  const guide = startGuide(blocksOf('guide.md', PAGE), { PATH: process.env.PATH ?? '' }, '/tmp')
  try {
    expect(guide.rest().map(({ line, heading }) => `${line} ${heading}`)).toEqual(['2 Guide', '7 Then', '13 Then'])
    await guide.run('Guide')
    expect(await guide.run('Then', 1)).toBe('hello Ada\n')
    expect(guide.rest()).toMatchObject([{ page: 'guide.md', line: 13 }])
    await expect(guide.run('Then')).rejects.toThrow('guide.md:13 (Then) ended with 1')
    await expect(guide.run('Elsewhere')).rejects.toThrow('No block is left under "Elsewhere"')
    expect(guide.rest()).toHaveLength(1)
  } finally {
    guide.close()
  }
})
