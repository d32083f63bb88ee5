import { join } from 'node:path'
import { runProgram } from '../documents/programs.ts'
import type { Place } from './place.ts'

/** The protocol's own inspector, which refuses what breaks the protocol. */
export const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0'

interface Printed {
  readonly tools?: readonly { readonly name: string; readonly annotations?: { readonly readOnlyHint?: boolean } }[]
  readonly resources?: readonly { readonly name: string; readonly uri: string }[]
  readonly contents?: readonly { readonly text: string }[]
  readonly content?: readonly { readonly text: string }[]
  readonly isError?: boolean
}

/**
 * Inspects both servers for agents: `payments mcp` over standard input and output, and `/mcp` over HTTP. Each lists its tools and guides,
 * reads one, calls a tool, and changes something only where that is allowed. Returns `inspected`.
 * @throws Error that says what a server did otherwise
 */
export async function byInspector(place: Place): Promise<string> {
  const { modules, url, key } = place
  const program = [process.execPath, join(modules, '.bin/payments'), 'mcp']
  const env = [
    '-e',
    `PAYMENTS_URL=${url}`,
    '-e',
    `PAYMENTS_API_KEY=${key}`,
    '-e',
    `PAYMENTS_CONFIG_DIR=${place.folder}`,
  ]
  const header = ['--transport', 'http', '--header', `Authorization: Bearer ${key}`]
  const customer = ['--tool-arg', 'name=Ada Obi', 'email=ada@example.com', 'idempotencyKey=inspected']
  const servers = [
    { name: 'payments mcp', reads: [...program, ...env], writes: [...program, '--allow-writes', ...env] },
    { name: '/mcp', reads: [`${url}/mcp`, ...header], writes: [`${url}/mcp?allow_writes=true`, ...header] },
  ]
  for (const { name, reads, writes } of servers) {
    const { tools = [] } = await inspect(place, [...reads, '--method', 'tools/list'])
    expect(name, tools.length > 40 && tools.every(({ annotations }) => annotations?.readOnlyHint === true), tools)
    const { resources = [] } = await inspect(place, [...reads, '--method', 'resources/list'])
    const uri = resources.find((each) => each.name === 'Webhooks')?.uri ?? ''
    const guide = await inspect(place, [...reads, '--method', 'resources/read', '--uri', uri])
    expect(name, guide.contents?.[0]?.text.includes('# Webhooks') === true, guide)
    const made = await inspect(place, [...writes, ...call('customers_create'), ...customer])
    expect(name, !made.isError && made.content?.[0]?.text.includes('ada@example.com') === true, made)
    const listed = await inspect(place, [...reads, ...call('customers_list')])
    // Both servers repeat one change with one key.
    expect(name, listed.content?.[0]?.text.split('ada@example.com').length === 2, listed)
  }
  const refused = await inspect(place, [`${url}/mcp`, '--transport', 'http', '--method', 'tools/list']).catch(String)
  expect('/mcp without a key', /auth_required|401/.test(String(refused)), refused)
  return 'inspected'
}

const call = (tool: string) => ['--method', 'tools/call', '--tool-name', tool]

function expect(name: string, isTrue: boolean, seen: unknown): void {
  if (!isTrue) throw new Error(`${name}: ${JSON.stringify(seen).slice(0, 1000)}`)
}

/** What the inspector prints. @throws Error with its message when it ends with an error */
async function inspect({ folder, modules }: Place, args: readonly string[]): Promise<Printed> {
  const { status, printed, output } = await runProgram(join(modules, '.bin/mcp-inspector'), ['--cli', ...args], {
    cwd: folder,
    timeout: 60_000,
    env: { HOME: folder },
  })
  if (status !== 0) throw new Error(output)
  return JSON.parse(printed) as Printed
}
