import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commitsSince } from '@payments/checks'

interface Promised {
  readonly command: string
  readonly measured: {
    readonly commit: string
    readonly covers?: readonly string[]
    readonly size?: string
    readonly findings: readonly string[]
  } | null
}

/** What is wrong with the records behind docs/reliability.md: each is of this commit's code, in full, and found nothing. */
export function staleRecords(root: string): string[] {
  const text = readFileSync(join(root, 'docs/derived/reliability.json'), 'utf8')
  const { promises } = JSON.parse(text) as { promises: readonly Promised[] }
  return promises
    .filter(({ command }) => /^npm run (?:proof|bench) -- /.test(command))
    .flatMap(({ command, measured }) => {
      if (!measured) return [`\`${command}\` was never recorded`]
      const { commit, covers, size = 'full', findings } = measured
      const commits = commitsSince(commit, covers, root)
      return [
        ...(size === 'full' ? [] : [`\`${command}\` was recorded in its ${size} form`]),
        ...(findings.length === 0 ? [] : [`\`${command}\` has findings: ${findings.length}`]),
        ...(commits === undefined ? [`\`${command}\` was recorded at ${commit}, which is not in this history`] : []),
        ...(commits
          ? [`\`${command}\` was recorded at ${commit}; commits that changed what it covers since: ${commits}`]
          : []),
      ]
    })
}
