import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '@payments/gateway'
import type { Runtime } from '@payments/platform'
import { newKey } from '@payments/stand'
import type { Tools } from '../tools.ts'
import { stories } from './stories.ts'

/** A running service. */
export interface Service {
  /** Without `/v1`. */
  readonly url: string
  readonly runtime: Runtime
}

/** What failed, and the clients that told their story. */
export interface Clients {
  readonly problems: string[]
  readonly clients: string[]
}

/** Names that a person would choose, in any client. */
const NAMES = [/\bpaymentRoutes\W?create\b/i, /\bPaymentRoute\b/]

const COMPILER = {
  target: 'es2022',
  module: 'commonjs',
  moduleResolution: 'node10',
  strict: true,
  outDir: 'out',
  lib: ['esnext', 'dom', 'dom.iterable'],
  types: ['node'],
  skipLibCheck: true,
}

/** The generators, each with its arguments and where its client is. `url` is the service with `/v1`. */
const generators = (url: string) =>
  [
    {
      name: 'openapi-typescript',
      args: ['.bin/openapi-typescript', 'merchants.json', '-o', 'fetch/api.d.ts'],
      files: ['fetch/api.d.ts'],
    },
    {
      name: '@hey-api/openapi-ts',
      args: ['.bin/openapi-ts', '-i', 'merchants.json', '-o', 'hey'],
      files: ['hey/sdk.gen.ts', 'hey/types.gen.ts'],
    },
    {
      name: 'orval',
      args: ['.bin/orval', '--config', 'orval.config.cjs'],
      files: ['orval/api.ts'],
      config: `module.exports = { api: { input: 'merchants.json', output: { target: 'orval/api.ts', client: 'fetch', baseUrl: ${JSON.stringify(url)} } } }\n`,
    },
  ] as const

/**
 * Generates a client with each generator from the merchants' document, compiles it strictly with a story that is written against its
 * types, and runs the story against a service. Returns what fails, and the clients that told their story.
 */
export async function typescriptClients(tools: Tools, service: Service): Promise<Clients> {
  const problems: string[] = []
  const clients: string[] = []
  const url = `${service.url}/v1`
  writeFileSync(join(tools.folder, 'merchants.json'), JSON.stringify(openApiDocument('merchants')))
  for (const generator of generators(url)) {
    const { name, args, files } = generator
    if ('config' in generator) writeFileSync(join(tools.folder, args[2]), generator.config)
    const generated = await tools.run(args[0], args.slice(1))
    if (generated.status !== 0) {
      problems.push(`${name}: ${generated.output}`)
      continue
    }
    const text = files.map((file) => readFileSync(join(tools.folder, file), 'utf8')).join('\n')
    problems.push(...NAMES.filter((each) => !each.test(text)).map((each) => `${name}: the client lacks ${each}`))
    const folder = files[0].split('/')[0] ?? ''
    writeFileSync(join(tools.folder, folder, 'story.ts'), stories[name])
    writeFileSync(
      join(tools.folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: COMPILER, include: [`${folder}/**/*.ts`] }),
    )
    // The folder is of modules, the compiled story is not.
    writeFileSync(join(tools.folder, 'package.json'), '{ "private": true }\n')
    const compiled = await tools.run('typescript/bin/tsc', ['-p', '.', '--rootDir', '.'])
    if (compiled.status !== 0) {
      problems.push(`${name} does not compile: ${compiled.output}`)
      continue
    }
    const key = await newKey(service.runtime)
    const told = await tools.run(join(tools.folder, 'out', folder, 'story.js'), [], { API_KEY: key, API_URL: url })
    if (told.status === 0 && told.output.includes('12.5 USDC')) clients.push(name)
    else problems.push(`${name}: ${told.output}`)
  }
  return { problems, clients }
}
