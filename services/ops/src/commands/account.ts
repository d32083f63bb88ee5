import type { Command } from 'commander'
import { UsageError } from '../failures.ts'
import { show } from '../output.ts'
import { requestCode, type Service, signIn, signOut } from '../session/session.ts'
import { ask, isInteractive, say, type Terminal } from '../terminal.ts'
import { confirmSession, requestConfirmation, withConfirmedSession } from './call.ts'

const CODE = ['--code <code>', 'the emailed code; asked for when a terminal is there'] as const

/** Adds the commands of the operator's own session. They need no list of commands from the service. */
export function addAccountCommands(program: Command, service: Service, terminal: Terminal, json: () => boolean): void {
  program
    .command('login')
    .summary('Sign in with a code that is sent to your email address')
    .description(
      'Sign in with a code that is sent to your email address. The session is kept in a file that only you can read, and is refreshed by itself for 30 days.',
    )
    .option('--email <email>', 'your email address; with --code alone, the one of the last code')
    .option(...CODE)
    .addHelpText('after', examples('ops login --email ada@example.com', 'ops login --code 123456'))
    .action(async ({ email, code }: { email?: string; code?: string }) => {
      if (service.token !== undefined) throw new UsageError('PAYMENTS_TOKEN is set: no session is needed')
      if (!email && !code) throw new UsageError('--email: required')
      if (email && !code) {
        await requestCode(service, email)
        say(terminal, `A code was sent to ${email}, if it is the address of a user`)
        if (!isInteractive(terminal)) return say(terminal, 'Then: ops login --code <code>')
      }
      const user = await signIn(service, code ?? (await ask(terminal, 'Code: ')))
      say(terminal, `Signed in as ${user} at ${service.base}`)
    })
  program
    .command('logout')
    .summary('End the session and forget it')
    .description('End the session at the service, and remove its file.')
    .action(async () => {
      await signOut(service)
      say(terminal, 'Signed out')
    })
  program
    .command('whoami')
    .summary('Show who is signed in, and where')
    .description('Show who is signed in, and where.')
    .action(async () => {
      const { user, organisation } = await service.client.auth.me.query({})
      show(terminal, { service: service.base, email: user.email, role: organisation.role }, json())
    })
  program
    .command('invite')
    .summary('Invite a person to register an organisation')
    .description(
      'Invite a person to register an organisation. The email says how; inviting the same address again renews the invitation, which lasts for 7 days.',
    )
    .requiredOption('--email <email>', 'the email address of the owner')
    .addHelpText('after', examples('ops invite --email ada@example.com'))
    .action(async ({ email }: { email: string }) => {
      if (service.token !== undefined)
        throw new UsageError('PAYMENTS_TOKEN is set: only an operator who is signed in invites')
      const invite = () => service.client.auth.invite.mutate({ email, role: 'owner' })
      show(terminal, await withConfirmedSession(service, terminal, invite), json())
    })
  program
    .command('confirm')
    .summary('Confirm the session with a fresh code')
    .description(
      'Confirm the session with a fresh code, which actions on money need. It lasts for 10 minutes; a session that was signed in less than 10 minutes ago counts as confirmed.',
    )
    .option(...CODE)
    .addHelpText('after', examples('ops confirm', 'ops confirm --code 123456'))
    .action(async ({ code }: { code?: string }) => {
      if (code === undefined) {
        await requestConfirmation(service, terminal)
        if (!isInteractive(terminal)) return say(terminal, 'Then: ops confirm --code <code>')
      }
      await confirmSession(service, terminal, code ?? (await ask(terminal, 'Code: ')))
    })
}

/** The end of a help text. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`
