import { spawnSync } from 'node:child_process'
import { root } from '@payments/checks'
import { openApiDocument } from '@payments/gateway'
import { commandTable } from './commands.ts'
import type { ApiDocument } from './document.ts'
import { sdkFiles } from './sdk.ts'

const BIOME = `${root}node_modules/.bin/biome`

/** The generated sources of the clients, path → text. `codes` are the errors that a client may meet. */
export function clientSources(codes: readonly string[]): Record<string, string> {
  const document = openApiDocument('merchants') as unknown as ApiDocument
  const files = Object.entries(sdkFiles(document, codes)).map(
    ([name, text]) => [`packages/sdk/src/${name}`, text] as const,
  )
  const table = ['packages/agents/src/generated/operations.ts', commandTable(document)] as const
  return Object.fromEntries([...files, table].map(([path, text]) => [path, formatted(path, text)]))
}

function formatted(path: string, text: string): string {
  const { stdout, stderr, status } = spawnSync(BIOME, ['check', '--fix', `--stdin-file-path=${path}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${path} cannot be formatted: ${stderr}`)
  return stdout
}
