import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openApiDocument } from '@payments/gateway'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import type { Tools } from './tools.ts'

const RULES = fileURLToPath(new URL('spectral.yaml', import.meta.url))
export const audiences = ['merchants', 'operators'] as const

/** What Redocly's recommended rules find in a document, warnings included. */
export async function redoclyProblems(audience: (typeof audiences)[number]): Promise<string[]> {
  const problems = await lintFromString({
    source: JSON.stringify(openApiDocument(audience)),
    config: await createConfig({
      extends: ['recommended'],
      // `/payment-routes/deposits/{depositId}` and `/payment-routes/{paymentRouteId}/deposits`: fixed words come first.
      rules: { 'no-ambiguous-paths': 'off' },
    }),
  })
  return problems.map(
    ({ severity, ruleId, message, location }) =>
      `Redocly, ${audience}: ${severity} ${ruleId}: ${message} ${location[0]?.pointer}`,
  )
}

/** What Spectral finds in a document by `spectral.yaml`: its rules for OpenAPI and OWASP's, hints included. */
export async function spectralProblems(tools: Tools, audience: (typeof audiences)[number]): Promise<string[]> {
  const file = `${audience}.json`
  writeFileSync(join(tools.folder, file), JSON.stringify(openApiDocument(audience)))
  // Spectral finds the rules that a ruleset extends beside it.
  copyFileSync(RULES, join(tools.folder, 'spectral.yaml'))
  const { status, output } = await tools.run('.bin/spectral', [
    'lint',
    file,
    '-r',
    'spectral.yaml',
    '--fail-severity',
    'hint',
  ])
  return status === 0 ? [] : [`Spectral, ${audience}: ${output}`]
}
