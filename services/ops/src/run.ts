import { parseArgs } from 'node:util'
import { commandsOf, type OperatorCommand, type OperatorsDocument } from '@payments/client'
import { describe, RequestError } from './failures.ts'
import { programOf, runProgram } from './program.ts'
import { addressOf } from './session/address.ts'
import { request } from './session/rest.ts'
import { connect, type Service } from './session/session.ts'
import { stateFile } from './session/state.ts'
import { say, type Terminal } from './terminal.ts'

/** The commands of the session, which work without the service's list of the others. */
const ACCOUNT = ['login', 'logout', 'whoami', 'invite', 'confirm']

/** Runs one command line. Returns the exit code. */
export async function run(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { url: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
      strict: false,
      allowPositionals: true,
    })
    const base = addressOf(typeof values.url === 'string' ? values.url : undefined, env.PAYMENTS_URL)
    const service = connect(base, stateFile(base, env), env.PAYMENTS_TOKEN || undefined)
    const [first] = positionals
    // `help organisations suspend` is `organisations suspend --help`.
    const line = first === 'help' ? [...args.toSpliced(args.indexOf('help'), 1), '--help'] : args
    // Help of everything is shown without the service; help of one of its commands is not there then, and must not look like success.
    const named = first === 'help' ? positionals[1] : first
    const commands =
      named !== undefined && ACCOUNT.includes(named) ? [] : await commandsAt(service, named === undefined, terminal)
    return await runProgram(programOf(commands, service, terminal), line, terminal)
  } catch (error) {
    const { lines, exitCode } = describe(error)
    say(terminal, lines.join('\n'))
    return exitCode
  }
}

/**
 * The commands that the service has. It describes them itself, so they fit its version, and this program needs none of its code.
 * `optional`: without the service, there are none.
 */
async function commandsAt(
  { base }: Service,
  optional: boolean,
  terminal: Terminal,
): Promise<readonly OperatorCommand[]> {
  try {
    return commandsOf((await request(base, 'GET /docs/operators.json')) as unknown as OperatorsDocument)
  } catch (error) {
    if (!optional || !(error instanceof RequestError)) throw error
    say(
      terminal,
      `${error.message}\nIt names the other commands: set --url or PAYMENTS_URL, or start it with \`npm start\`.\n`,
    )
    return []
  }
}
