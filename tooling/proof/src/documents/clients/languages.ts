import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installTools } from '@payments/checks'
import { openApiDocument } from '@payments/gateway'
import { type Ended, newKey, runCommand, runProgram } from '@payments/stand'
import { preparedForOpenApi30 } from './openapi-3.0.ts'
import type { Clients, Service } from './typescript.ts'

/** The newest version that brings its generator along: later ones download it. It reads OpenAPI 3.0. */
const GENERATOR = '@openapitools/openapi-generator-cli@1.0.18-5.0.0-beta2'
const CONVERTER = '@apiture/openapi-down-convert@0.14.2'

/** Where Debian has the languages, to which its packages belong that generated clients need. */
const LANGUAGES = [
  {
    name: 'python',
    command: '/usr/bin/python3',
    check: ['-c', 'import urllib3, dateutil, six, certifi'],
    packages: 'python3-urllib3 python3-dateutil python3-six python3-certifi',
    story: 'story.py',
    args: [],
    env: { PYTHONPATH: 'python' },
  },
  {
    name: 'ruby',
    command: '/usr/bin/ruby',
    check: ['-e', "require 'typhoeus'"],
    packages: 'ruby ruby-typhoeus',
    story: 'story.rb',
    args: ['-Iruby/lib'],
    env: {},
  },
] as const
const JAVA = { name: 'java', command: 'java', check: ['-version'], packages: 'default-jre-headless' }

/**
 * Generates a client in Python and in Ruby from the merchants' document and runs a story with each, unedited, against a service. Returns
 * what fails, among it in one line the packages of Debian that are missing, and the clients that told their story.
 */
export async function languageClients(folder: string, service: Service): Promise<Clients> {
  const absent: string[] = []
  for (const { command, check, packages } of [JAVA, ...LANGUAGES]) {
    const { status } = await runCommand(command, check, {}).catch(() => ({ status: 1 }))
    if (status !== 0) absent.push(packages)
  }
  if (absent.length > 0)
    return { problems: [`Clients in other languages need ${absent.join(' ')} of Debian`], clients: [] }
  const modules = installTools(folder, [GENERATOR, CONVERTER])
  const problems: string[] = []
  const clients: string[] = []
  const cwd = { cwd: folder }
  writeFileSync(join(folder, 'prepared.json'), JSON.stringify(preparedForOpenApi30(openApiDocument('merchants'))))
  const converter = join(modules, '@apiture/openapi-down-convert/lib/src/cli.js')
  const converted = await runProgram(converter, ['--allOf', '--input', 'prepared.json', '--output', 'older.json'], cwd)
  if (converted.status !== 0) return { problems: [`${CONVERTER}: ${converted.output}`], clients }
  const jar = join(modules, '@openapitools/openapi-generator-cli/bin/openapi-generator.jar')
  // Its own tests and pages of a client are not needed to use it.
  const own = '--global-property=apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'
  for (const { name, command, story, args, env } of LANGUAGES) {
    const generated = await runCommand(
      'java',
      ['-jar', jar, 'generate', '-i', 'older.json', '-g', name, '-o', name, own],
      cwd,
    )
    if (generated.status !== 0) {
      problems.push(`${name}: ${generated.output}`)
      continue
    }
    cpSync(join(import.meta.dirname, story), join(folder, story))
    const key = await newKey(service.runtime)
    const credentials = { API_KEY: key, API_URL: `${service.url}/v1` }
    const told = await runCommand(command, [...args, story], { ...cwd, env: { ...env, ...credentials } })
    if (isTold(told)) clients.push(name)
    else problems.push(`${name}: ${told.output}`)
  }
  return { problems, clients }
}

/** The amount of the transaction, then the status and the message of the error. */
const isTold = ({ status, printed }: Ended): boolean =>
  status === 0 && /^12\.5 USDC\n409\s.*Customer already exists/.test(printed)
