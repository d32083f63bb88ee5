import { type Field, inputOf, kebab, type OperatorCommand } from '@payments/client'
import { Command, CommanderError, Option } from 'commander'
import { addAccountCommands, examples } from './commands/account.ts'
import { callCommand } from './commands/call.ts'
import { describe, EXIT } from './failures.ts'
import type { Service } from './session/session.ts'
import { say, type Terminal } from './terminal.ts'

const HELP = `
Sign in first, with the email address that OPERATOR_EMAILS of the service names. A program uses an internal token instead.

Environment:
  PAYMENTS_URL    address of the service (http://127.0.0.1:4000)
  PAYMENTS_TOKEN  internal token, in place of a session
  XDG_STATE_HOME  where the session is kept (~/.local/state)

Exit codes: 0 done, 1 refused or failed, 2 not understood or not confirmed, 130 interrupted.`

/** The program, and what the operator typed for a field of the command that runs. */
interface Program {
  readonly program: Command
  nameOf(field: string): string
}

/** The program: the commands of the session, and one for each procedure of operators. */
export function programOf(commands: readonly OperatorCommand[], service: Service, terminal: Terminal): Program {
  const program = new Command('ops')
    .description('The operators’ command line of the payments service.')
    .option('--url <address>', 'address of the service')
    .option('--json', 'print the result as JSON, and nothing else on standard output')
    .option('--yes', 'change things without asking')
    .addHelpText(
      'after',
      `${HELP}\n${examples(
        'ops login --email ada@example.com',
        'ops organisations list',
        'ops organisations list --json | jq -r ".organisations[].name"',
        'ops help organisations suspend',
      )}`,
    )
    .showHelpAfterError('(add --help for what there is)')
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
  const groups = new Map<string, Command>([['', program]])
  configure(program, terminal)
  addAccountCommands(program, service, terminal, () => program.opts().json === true)
  let running: OperatorCommand | undefined
  for (const command of commands)
    addCommand(groupFor(command, commands, groups), command, async (input, dryRun) => {
      running = command
      const { json = false, yes = false } = program.opts()
      await callCommand(command, input, service, terminal, { json, yes, dryRun })
    })
  const nameOf = (field: string) => {
    const flag = running?.options.find(({ name }) => name === field)?.flag ?? kebab(field)
    return running?.arguments.some(({ name }) => name === field) ? `<${flag}>` : `--${flag}`
  }
  return { program, nameOf }
}

/** Every command throws instead of ending the process, and writes where the others write. */
function configure(command: Command, { stdout, stderr }: Terminal): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text),
    ...(stdout.isTTY && stdout.columns ? { getOutHelpWidth: () => stdout.columns ?? 80 } : {}),
  })
}

/** The group that a command is in: `webhooks` for `webhooks set-aside-events`. It is made when its first command is added. */
function groupFor(
  { path }: OperatorCommand,
  commands: readonly OperatorCommand[],
  groups: Map<string, Command>,
): Command {
  let group = groups.get('') as Command
  for (const [index, name] of path.slice(0, -1).entries()) {
    const own = path.slice(0, index + 1)
    const key = own.join(' ')
    const existing = groups.get(key)
    const members = commands.filter((each) => own.every((part, at) => each.path[at] === part))
    const next =
      existing ??
      group
        .command(name)
        .helpCommand(false)
        .description(members.map((each) => each.path.slice(own.length).join(' ')).join(', '))
    groups.set(key, next)
    group = next
  }
  return group
}

function addCommand(
  group: Command,
  command: OperatorCommand,
  call: (input: Readonly<Record<string, unknown>>, dryRun: boolean) => Promise<void>,
): void {
  const { path, summary, description, money, errors } = command
  const leaf = group
    .command(path.at(-1) ?? '')
    .summary(summary)
    .description([`${summary}.`, description, money ? 'It moves money.' : ''].join(' ').trim())
  for (const field of command.arguments) leaf.argument(`<${field.flag}>`, field.description)
  for (const field of command.options) leaf.addOption(optionOf(field))
  if (command.dryRun) leaf.option(`--${DRY_RUN}`, 'show what it would do, and do nothing')
  leaf.addHelpText('after', examples(exampleOf(command)))
  if (errors.length > 0) leaf.addHelpText('after', `\nMay fail with:\n${errors.map((each) => `  ${each}`).join('\n')}`)
  leaf.action(async (...given: unknown[]) => {
    const values = leaf.opts()
    const input = Object.fromEntries([
      ...command.arguments.map((field, index) => [field.name, given[index]]),
      ...command.options.flatMap((field) => {
        const typed = values[camel(field.flag)]
        return typed === undefined ? [] : [[field.name, inputOf(field, typed)]]
      }),
    ])
    await call(input, values[camel(DRY_RUN)] === true)
  })
}

const DRY_RUN = 'dry-run'

/** The name under which commander keeps an option. */
const camel = (flag: string): string => flag.replace(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase())

function optionOf({ flag, kind, required, description, choices }: Field): Option {
  const value = { text: ' <text>', number: ' <number>', json: ' <json>', list: ' <values...>', boolean: '' }[kind]
  const option = new Option(`--${flag}${value}`, required ? `${description} (required)` : description)
  if (choices.length > 0 && (kind === 'text' || kind === 'list')) option.choices(choices)
  return option.makeOptionMandatory(required)
}

/** A command line with the examples of its fields. */
function exampleOf(command: OperatorCommand): string {
  const quoted = (value: unknown) => {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    return /^[\w.:@/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
  }
  const valueFor = ({ example, choices, flag }: Field) => quoted(example ?? choices[0] ?? `<${flag}>`)
  const options = command.options
    .filter(({ required }) => required)
    .map((field) => (field.kind === 'boolean' ? `--${field.flag}` : `--${field.flag} ${valueFor(field)}`))
  return ['ops', ...command.path, ...command.arguments.map(valueFor), ...options].join(' ')
}

/** Runs the program. Returns the exit code. */
export async function runProgram(
  { program, nameOf }: Program,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // What commander says, it has said already. Help that was asked for is no failure.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage
    const { lines, exitCode } = describe(error, nameOf)
    say(terminal, lines.join('\n'))
    return exitCode
  }
}
