import { callOperation, commandOf, kebab, type Operation, operations, pagesOf, typedValue } from '@payments/agents'
import { type Download, isPaymentsError } from '@payments/sdk'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { trigger, triggers } from './commands/trigger.ts'
import { clientOf, connectionOf, type Env, environmentOf, folderOf } from './config.ts'
import { EXIT, fail, type Output, print, UsageError } from './output.ts'

export interface Surroundings {
  readonly env: Env
  readonly signal: AbortSignal
  out(text: string): void
  err(text: string): void
  /** Writes the bytes of a file, such as an export. */
  write(chunk: Uint8Array): Promise<void>
}

interface Globals {
  readonly json?: boolean
  readonly url?: string
  readonly apiKey?: string
}

/** Runs one command line. Returns the exit code. What a single command needs is loaded by it: most commands would wait for it in vain. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { out, err, signal } = surroundings
  const output: Output = { json: args.includes('--json'), out, err }
  let exitCode = 0
  const program = programOf({
    ...surroundings,
    output,
    args,
    end: (code) => (exitCode = code),
  })
  try {
    await program.parseAsync([...args], { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage
    return fail(error, output, signal.aborted)
  }
}

type Place = Surroundings & { readonly output: Output; readonly args: readonly string[]; end(code: number): void }

function programOf(place: Place): Command {
  const { env, output, signal, out, err } = place
  const program = new Command('payments')
    .description('The payments service from your terminal')
    .version(manifest.version, '-V, --version', 'print the version')
    .option('--json', 'print results as JSON, and nothing else on standard output')
    .option('--url <address>', 'the service; else PAYMENTS_URL, else the one of login')
    .option(
      '--api-key <key>',
      'the API key, which other users of this machine see among its processes; else PAYMENTS_API_KEY, else the one of login for the service',
    )
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: (text) => out(text.trimEnd()), writeErr: (text) => err(text.trimEnd()) })
    // Each command takes the options of the program.
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${command.usage().replace(' [command]', '')}` })
    .showHelpAfterError('Add --help to see what the command takes')
  const connection = (own: Globals = {}) => connectionOf({ ...program.opts<Globals>(), ...own }, env)
  const payments = () => clientOf(connection())
  const collect = (value: string, all: string[] | undefined) => [...(all ?? []), value]

  const named = operations.filter((operation) => mayName(place.args, commandOf(operation)[0]))
  for (const operation of named) addOperation(program, operation, place, payments)
  // The program's own help and its suggestions need no more than names.
  if (named.length === 0) for (const operation of operations) groupOf(program, commandOf(operation).slice(0, 1))

  program
    .command('login')
    .description('Sign in with the browser, with a code from an email, or keep an API key with --api-key')
    .option('--email <address>', 'sign in with a code that is sent there, and get a test key')
    .option('--account <address>', 'your email address, for the browser: where the service has several installations')
    .action(async ({ email, account }) => {
      const { apiKey } = program.opts<Globals>()
      const { login } = await import('./commands/login.ts')
      await login(
        connection(),
        { ...(apiKey && { apiKey }), ...(email && { email }), ...(account && { account }) },
        place,
      )
    })

  program
    .command('listen')
    .description('Print events as they happen, and forward them to local servers')
    .option('--forward-to <url>', 'a server that receives each event, signed; may be repeated', collect)
    .option('--events <types>', 'only these types, comma-separated')
    .option('--after <id>', 'begin after this event; "start" is before the oldest')
    .action(async ({ forwardTo = [], events, after }) => {
      const { listen } = await import('./local/listen.ts')
      await listen(payments(), { forwardTo, events: events?.split(','), after }, { env, output, signal })
    })

  program
    .command('logs')
    .description('Requests to the API')
    .command('tail')
    .description('Print requests as they are answered, of the environment of the key')
    .option(
      '--status <status>',
      'only replies with these statuses: 404, 4xx or 400-499, several with a comma between them',
    )
    .option('--method <method>', 'only this method')
    .option('--path <path>', 'only paths that begin so, such as /v1/customers/{customerId}')
    .option('--last <number>', 'how many of before are printed first', wholeNumber, 10)
    .action(async ({ status, method, path, last }) => {
      const { tail } = await import('./local/tail.ts')
      await tail(payments(), { status, method, path, last }, { output, signal })
    })

  program
    .command('trigger')
    .description('Make an event happen in the sandbox')
    .argument('<event>', `one of ${triggers.join(', ')}`)
    .option('--override <path=value>', 'another value for the object that is created; may be repeated', collect)
    .action(async (type, { override = [] }) => {
      if (environmentOf(connection().apiKey) === 'live')
        throw new UsageError('Events are triggered in the sandbox: use a test key')
      print(output, await trigger(payments(), type, override))
    })

  groupOf(program, ['events'])
    .command('resend')
    .description('Send an event again: to every `listen` of this machine, or to a webhook endpoint')
    .argument('<eventId>')
    .option('--endpoint <id>', 'the webhook endpoint that receives it again')
    .action(async (eventId, { endpoint }) => {
      if (endpoint) return print(output, await resendTo(payments(), endpoint, eventId))
      const { tellListeners } = await import('./local/listeners.ts')
      const listeners = await tellListeners(folderOf(env), eventId)
      if (listeners === 0)
        throw new UsageError('No `payments listen` runs on this machine; name an endpoint with --endpoint')
      print(output, { eventId, listeners })
    })

  groupOf(program, ['webhooks'])
    .description('Webhook endpoints and their deliveries')
    .command('verify')
    .description('Find out why the signature of a delivery does not verify')
    .requiredOption('--secret <whsec>', 'the signing secret of the endpoint')
    .requiredOption('--signature <header>', 'the value of X-Service-Signature')
    .option('--body <file>', 'the raw body; standard input by default', '-')
    .action(async ({ secret, signature, body }) => {
      const [{ readFile }, { buffer }, { explain }] = await Promise.all([
        import('node:fs/promises'),
        import('node:stream/consumers'),
        import('./commands/verify.ts'),
      ])
      const bytes = body === '-' ? await buffer(process.stdin) : await readFile(body)
      const finding = await explain({ body: bytes, headers: { 'x-service-signature': signature }, secret })
      print(output, finding)
      if (!finding.verified) place.end(EXIT.failed)
    })

  program
    .command('open')
    .description('Open an object in the dashboard')
    .argument('<id>')
    .action(async (id) => {
      const { url, apiKey } = connection()
      const page = `${url.replace(/\/+$/, '').replace(/\/v1$/, '')}/dashboard/${environmentOf(apiKey)}/${await sectionOf(payments(), id)}/${id}`
      print(output, { page })
      if (!process.stdout.isTTY || output.json) return
      const { openPage } = await import('./commands/open-page.ts')
      openPage(page)
    })

  program
    .command('mcp')
    .description(
      'Serve an agent over the Model Context Protocol, on standard input and output; it only reads, unless it is allowed to write',
    )
    .option('--allow-writes', 'let it change objects; it moves money in the sandbox alone')
    .option(
      '--allow <operation=currency:call/day>',
      'let it move money in live, as in swaps.create=USDC:100/500; may be repeated',
      collect,
    )
    .action(async ({ allowWrites = false, allow = [] }) => {
      const { url, apiKey } = connection()
      const [{ serveAgent }, { allowancesOf, limitsOf }] = await Promise.all([
        import('./agents/index.ts'),
        import('./agents/limits.ts'),
      ])
      const options = {
        ...{ allowWrites, environment: environmentOf(apiKey), limits: limitsOf(folderOf(env), allowancesOf(allow)) },
        page: pagesOf(url.replace(/\/+$/, '').replace(/\/v1$/, ''), fetch),
      }
      await serveAgent(payments(), options, signal)
    })

  program
    .command('completion')
    .description('Print the completion script of a shell: bash, zsh or fish')
    .argument('<shell>')
    .action(async (shell) => out((await import('./commands/completion.ts')).completionScript(shell)))
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words: string[]) =>
      out((await import('./commands/completion.ts')).completions(program, words).join('\n')),
    )
  passOn(program)
  return program
}

/** Words that are followed by the words of other commands. */
const OF_ALL = ['help', '__complete']

/**
 * Whether the arguments may be of a command of this resource. A hundred commands take longer to describe than most take to run. A value
 * of an option may be taken for the name, which costs time and changes nothing.
 */
const mayName = (args: readonly string[], resource: string | undefined): boolean =>
  args.some((each) => each === resource || OF_ALL.includes(each))

/**
 * The options of the program, but `--version`, may follow a command, unless it has one of the same name: `--url` of a webhook endpoint is the address of the
 * endpoint, to which no key is sent.
 */
function passOn(program: Command): void {
  const passed = new Set<Option>()
  const add = (_parent: Command, command: Command): void => {
    for (const { long, flags } of program.options) {
      if (long === '--version' || command.options.some((own) => own.long === long)) continue
      const option = new Option(flags).hideHelp()
      passed.add(option)
      command.addOption(option)
    }
    command.hook('preSubcommand', add)
  }
  // Only the commands that the arguments lead to have them: adding them to all took a sixth of the start.
  program.hook('preSubcommand', add)
  program.hook('preAction', (_program, action) => {
    for (let at: Command | null = action; at && at !== program; at = at.parent)
      for (const option of at.options) {
        const name = option.attributeName()
        const value = at.getOptionValue(name)
        if (passed.has(option) && value !== undefined) program.setOptionValue(name, value)
      }
  })
}

/** The command that holds others: `cngn payouts`. */
function groupOf(program: Command, names: readonly string[]): Command {
  return names.reduce((parent, name) => {
    const found = parent.commands.find((each) => each.name() === name)
    return found ?? parent.command(name).description(`Operations of ${name.replaceAll('-', ' ')}`)
  }, program)
}

function addOperation(
  program: Command,
  operation: Operation,
  place: Place,
  payments: () => ReturnType<typeof clientOf>,
): void {
  const names = commandOf(operation)
  const { ids, fields, method, summary, description, reply } = operation
  const command = groupOf(program, names.slice(0, -1))
    .command(names.at(-1) ?? '')
    .summary(summary)
    .description(`${summary}. ${description}`)
  for (const id of ids) command.argument(`<${id.name}>`, id.description)
  for (const field of fields) {
    const option = new Option(
      `--${kebab(field.name)} <${field.type}>`,
      `${field.description}${field.required ? ' (required)' : ''}`,
    )
    if (field.choices) option.choices(field.choices)
    command.addOption(option)
  }
  if (fields.some(({ type }) => ['object', 'array'].includes(type)) || method !== 'GET')
    command.option('--data <json>', 'all fields as JSON; options replace those of the same name')
  if (method !== 'GET')
    command.option('--idempotency-key <key>', 'names this change, so that repeating the command does not do it twice')
  command.action(async (...given: unknown[]) => {
    const options = command.opts<Record<string, string>>()
    const own = Object.fromEntries(
      fields.flatMap((field) => {
        const text = options[attributeOf(field.name)]
        return text === undefined ? [] : [[field.name, typedValue(field, text)]]
      }),
    )
    const { idempotencyKey } = options
    const result = await callOperation(
      payments(),
      operation,
      given.slice(0, ids.length).map(String),
      { ...dataOf(options.data), ...own },
      {
        signal: place.signal,
        ...(idempotencyKey && { idempotencyKey }),
      },
    )
    if (reply === 'file') for await (const chunk of result as Download) await place.write(chunk)
    else print(place.output, result, reply === 'data' ? undefined : reply)
  })
}

function wholeNumber(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > 200) throw new InvalidArgumentError('It must be a number from 0 to 200')
  return Number(text)
}

/** The name under which commander keeps an option. */
const attributeOf = (field: string): string => new Option(`--${kebab(field)} <value>`).attributeName()

function dataOf(text: string | undefined): object {
  if (text === undefined) return {}
  try {
    return JSON.parse(text) as object
  } catch {
    throw new UsageError('--data must be JSON, such as \'{"amount":"12.50"}\'')
  }
}

/** Delivers an event to an endpoint again. @throws UsageError where it was not delivered there before */
async function resendTo(payments: ReturnType<typeof clientOf>, endpoint: string, eventId: string): Promise<unknown> {
  const { deliveries } = await payments.webhooks.deliveries(endpoint)
  const delivery = deliveries.find((each) => each.eventId === eventId)
  if (!delivery) throw new UsageError('The newest 200 deliveries of the endpoint have none of this event')
  return payments.webhooks.retry(endpoint, delivery.id)
}

/** The part of the dashboard that shows an object. */
async function sectionOf(payments: ReturnType<typeof clientOf>, id: string): Promise<string> {
  const sections = {
    transactions: () => payments.transactions.get(id),
    collections: () => payments.collections.get(id),
    webhooks: () => payments.webhooks.get(id),
  }
  for (const [section, get] of Object.entries(sections)) {
    const found = await get().catch((error) => {
      if (isPaymentsError(error) && error.status === 404) return undefined
      throw error
    })
    if (found) return section
  }
  throw new UsageError(
    'The dashboard shows transactions, collections and webhook endpoints: this id is of none of them',
  )
}
