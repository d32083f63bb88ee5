import { CallError, callByName, type OperatorCommand, type Outputs } from '@payments/client'
import { UsageError } from '../failures.ts'
import { show, textOf } from '../output.ts'
import type { Service } from '../session/session.ts'
import { ask, isInteractive, say, type Terminal, withProgress } from '../terminal.ts'

type DryRun = Outputs['admin']['dryRun']
type Input = Readonly<Record<string, unknown>>

export interface CallOptions {
  readonly json: boolean
  /** Do it without asking. */
  readonly yes: boolean
  /** Show what it would do, and do nothing. */
  readonly dryRun: boolean
}

/**
 * Calls the procedure of a command and shows its result. One that changes something is confirmed first: by `--yes`, or by a
 * person who sees what it would do.
 * @throws UsageError without both; AbortError when the person stops
 */
export async function callCommand(
  command: OperatorCommand,
  input: Input,
  service: Service,
  terminal: Terminal,
  { json, yes, dryRun }: CallOptions,
): Promise<void> {
  const { procedure, summary } = command
  const tryOut = () =>
    withProgress(terminal, summary, service.client.admin.dryRun.query({ command: procedure.name, input: { ...input } }))
  if (dryRun) return show(terminal, await tryOut(), json)
  if (procedure.type === 'mutation' && !yes) {
    if (!isInteractive(terminal))
      throw new UsageError(`This changes something: add --yes to do it without a question (${summary})`)
    await confirmChange(command, input, command.dryRun ? await tryOut() : undefined, terminal)
  }
  const result = await withConfirmedSession(service, terminal, () =>
    withProgress(terminal, summary, callByName(service.client, procedure, input)),
  )
  show(terminal, result, json)
}

/** Shows what is about to happen, and asks. @throws UsageError when the answer is not yes */
async function confirmChange(
  { summary, description, money }: OperatorCommand,
  input: Input,
  preview: DryRun | undefined,
  terminal: Terminal,
): Promise<void> {
  const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`)
  const what = [`${summary}. ${description}`.trim(), ...indented(textOf(input))]
  if (preview) {
    const effects = preview.effects.flatMap((effect) => textOf(effect.summary))
    what.push('It would do this:', ...indented(effects.length > 0 ? effects : ['no change of an object, no posting']))
  }
  if (money) what.push('This moves money.')
  say(terminal, what.join('\n'))
  if (!/^y(es)?$/i.test(await ask(terminal, 'Do it? [y/N] '))) throw new UsageError('Nothing was changed')
}

/** Where the service wants the session confirmed first, a person is led through it, and the call is repeated. */
export async function withConfirmedSession<T>(
  service: Service,
  terminal: Terminal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CallError) || error.code !== 'confirmation_required') throw error
    if (service.token !== undefined) throw error
    if (!isInteractive(terminal))
      throw new UsageError('Confirm the session first: ops confirm, then ops confirm --code <code>')
    await requestConfirmation(service, terminal)
    await confirmSession(service, terminal, await ask(terminal, 'Code: '))
    return work()
  }
}

/** Has a fresh code sent to the address of the user. */
export async function requestConfirmation({ client, state }: Service, terminal: Terminal): Promise<void> {
  await client.auth.confirm.mutate({})
  say(terminal, `A code to confirm the session was sent to ${state.read().session?.email ?? 'your address'}`)
}

/** Confirms the session for 10 minutes. @throws CallError for a wrong code */
export async function confirmSession({ client }: Service, terminal: Terminal, code: string): Promise<void> {
  const { confirmedUntil } = await client.auth.confirm.mutate({ code })
  say(terminal, `The session is confirmed until ${confirmedUntil}`)
}
