import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { installTools } from '@payments/checks'
import { type Ended, runProgram } from '@payments/stand'

/** Programs that only this proof needs: installed for it, by npm. */
const TOOLS = [
  '@stoplight/spectral-cli@6.16.3',
  '@stoplight/spectral-owasp-ruleset@2.0.1',
  '@hey-api/openapi-ts@0.95',
  'orval@7',
  'openapi-typescript@7',
  'openapi-fetch@0.17',
  'typescript@5.9.3',
  '@types/node@24',
]

export interface Tools {
  readonly folder: string
  readonly modules: string
  /** Runs an installed program in the folder. */
  run(file: string, args: readonly string[], env?: Record<string, string>): Promise<Ended>
  remove(): void
}

/** Installs the programs into a temporary folder, which is also where they run. */
export function startTools(): Tools {
  const folder = mkdtempSync(join(tmpdir(), 'payments-contract-'))
  const modules = installTools(folder, TOOLS)
  return {
    folder,
    modules,
    run: (file, args, env = {}) => runProgram(resolve(modules, file), args, { cwd: folder, env }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
