import type { changes } from './surface.ts'

type Change = ReturnType<typeof changes>[number]

/** A page to complete: what changed is named, and what it means to an operator is to be said. */
export const draftOf = (version: string, changed: readonly Change[]): string => `# ${version}

**Merchants** ([the API](../CHANGELOG.md)):

**Operators** ([the service](../operators/CHANGELOG.md)):

${changed.map(({ name, change }) => `- \`${name}\` (${change}):\n`).join('')}
**Upgrade**:
`

/** What the page of a release lacks. */
export const lackingOn = (page: string, changed: readonly Change[]): string[] => [
  ...page.split('\n').flatMap((line, index, lines) => {
    const list =
      !line.startsWith('- ') &&
      lines
        .slice(index + 1)
        .find((next) => next !== '')
        ?.startsWith('- ')
    return line.endsWith(':') && !list ? [`line ${index + 1} has nothing after its colon: ${line}`] : []
  }),
  ...changed
    .filter(({ name }) => !page.includes(`\`${name}\``))
    .map(({ name, change }) => `nothing is said of \`${name}\` (${change})`),
]
